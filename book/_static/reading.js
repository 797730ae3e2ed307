// Which pages were read to their end. Only this browser knows; a tick in the contents and on the map shows it.
addEventListener("DOMContentLoaded", () => {
  const KEY = "kernelbook.read";
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const page = DOCUMENTATION_OPTIONS.pagename;
  let read = new Set();
  let refused = false; // some browsers store nothing, for pages from a folder for instance
  const load = () => {
    try {
      read = new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
    } catch (error) {
      refused = !(error instanceof SyntaxError || error instanceof TypeError);
    }
  };
  const store = () => {
    try {
      read.size ? localStorage.setItem(KEY, JSON.stringify([...read])) : localStorage.removeItem(KEY);
    } catch {
      refused = true;
    }
  };

  const name = link => link.getAttribute("href") === "#" ? page :
    link.pathname.replace(new URL(root).pathname, "").replace(/\.html$/, "");
  const links = [...document.querySelectorAll(".bd-links a, .map-list li > a, .route a")].map(link => [link, name(link)]);
  links.push(...[...document.querySelectorAll(".map-page")].map(link => [link, link.dataset.page])); // of an SVG
  const note = document.querySelector(".map-read");
  const show = () => {
    for (const [link, where] of links) link.classList.toggle("read", read.has(where));
    if (!note) return;
    const counted = new Set([...document.querySelectorAll(".map-page")].map(link => link.dataset.page));
    const count = [...read].filter(one => counted.has(one)).length;
    note.hidden = refused;
    note.querySelector("span").textContent = count ?
      `You have read ${count} of ${counted.size} pages to the end. Only this browser knows.` :
      "A page that you have read to its end gets a tick here and in the contents. Only this browser knows.";
    note.querySelector("button").hidden = !count;
  };
  const refresh = () => {
    load();
    show();
  };
  note?.querySelector("button").addEventListener("click", () => {
    read.clear();
    store();
    show();
  });
  refresh();
  for (const event of ["storage", "pageshow"]) addEventListener(event, refresh); // another tab, or a way back

  const end = document.querySelector(".prev-next-footer");
  if (document.querySelector(".page-path[data-counts]") && end && !read.has(page)) {
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      load();
      read.add(page);
      store();
      show();
    });
    observer.observe(end);
  }

  // On the map, the arrows from and to the page that one points at stand out.
  const map = document.querySelector(".map-picture");
  const point = event => {
    const at = event.target.closest?.(".map-page")?.dataset.page;
    for (const arrow of map.querySelectorAll(".map-arrow"))
      arrow.classList.toggle("near", at !== undefined && [arrow.dataset.from, arrow.dataset.to].includes(at));
  };
  for (const event of map ? ["pointerover", "pointerleave", "focusin", "focusout"] : []) map.addEventListener(event, point);
});
