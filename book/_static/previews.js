// What a link leads to, shown beside it while the pointer or the focus is there; Escape puts it away.
addEventListener("DOMContentLoaded", () => {
  const SHOWN = ".math, .proof, .citation, dt", DELAY = 150; // milliseconds
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const page = DOCUMENTATION_OPTIONS.pagename;
  const loaded = new Map();
  const load = path => loaded.get(path) ?? loaded.set(path, new Promise((done, failed) => document.head.append(
    Object.assign(document.createElement("script"), {src: `${root}_static/previews/${path}.js`, onload: done, onerror: failed})))).get(path);

  const here = hash => {
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!target?.matches(SHOWN)) return "";
    const copies = [target, ...(target.matches("dt") ? [target.parentElement.querySelector(`dt#${CSS.escape(target.id)} ~ dd`)] : [])];
    return copies.map(part => {
      const copy = part.cloneNode(true);
      for (const named of [copy, ...copy.querySelectorAll("[id]")]) named.removeAttribute("id");
      copy.querySelectorAll(".headerlink").forEach(link => link.remove());
      return copy.outerHTML;
    }).join("");
  };
  const html = async link => {
    const address = link.getAttribute("href");
    if (address.startsWith("#")) return here(address);
    await load(page);
    return PREVIEWS[address] ?? "";
  };

  const tip = Object.assign(document.createElement("div"), {id: "preview", className: "preview", role: "tooltip", hidden: true});
  document.body.append(tip);
  let wanted = null, timer = 0;
  const hide = () => {
    clearTimeout(timer);
    wanted?.removeAttribute("aria-describedby");
    wanted = null;
    tip.hidden = true;
  };
  const show = async link => {
    hide();
    wanted = link;
    const [content] = await Promise.all([html(link), load("placing")]);
    if (wanted !== link || !content) return;
    tip.innerHTML = content;
    tip.hidden = false;
    link.setAttribute("aria-describedby", tip.id);
    const {autoPlacement, computePosition, offset, shift, size} = FloatingUIDOM;
    const fit = size({padding: 8, apply: ({availableHeight}) => tip.style.setProperty("--room", `${availableHeight}px`)});
    const place = autoPlacement({allowedPlacements: ["bottom-start", "top-start"]}); // where there is more room
    const {x, y} = await computePosition(link, tip, {middleware: [offset(6), place, shift({padding: 8}), fit]});
    Object.assign(tip.style, {left: `${x}px`, top: `${y}px`});
  };
  const later = (act, ...what) => {
    clearTimeout(timer);
    timer = setTimeout(act, DELAY, ...what);
  };
  const link = event => event.target.closest?.(".bd-article a.reference.internal[href*='#']");
  document.addEventListener("pointerover", event => {
    if (event.pointerType === "touch") return; // a finger's tap follows the link
    if (link(event)) later(show, link(event));
    else if (tip.contains(event.target)) clearTimeout(timer);
    else if (wanted && document.activeElement !== wanted) later(hide);
    else clearTimeout(timer);
  });
  document.addEventListener("focusin", event => link(event)?.matches(":focus-visible") ? show(link(event)) : hide());
  const LINES = {ArrowDown: 40, ArrowUp: -40}; // pixels
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") hide();
    if (tip.hidden || document.activeElement !== wanted || !(event.key in LINES)) return;
    if (tip.scrollHeight > tip.clientHeight) tip.scrollTop += LINES[event.key], event.preventDefault();
  });
});
