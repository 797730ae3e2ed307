// The best sections under a search field while a reader types in it, and a line that leads to all of them.
addEventListener("DOMContentLoaded", () => {
  const SHOWN = 5;
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const script = name => new Promise((done, failed) => document.head.append(
    Object.assign(document.createElement("script"), {src: `${root}_static/${name}.js`, async: false, onload: done, onerror: failed})));
  let loading;
  const ready = () => loading ??= typeof Search === "undefined" ?
    Promise.all(["language_data", "search"].map(script)).then(() => Search.load()) : Search.load();

  for (const form of document.querySelectorAll("form.bd-search")) {
    const input = form.querySelector("input");
    const list = Object.assign(document.createElement("ul"), {className: "search-while-typing", hidden: true});
    const said = Object.assign(document.createElement("span"), {className: "visually-hidden", role: "status"});
    form.append(list, said);
    const hide = () => {
      list.hidden = true;
      list.replaceChildren();
      said.textContent = "";
    };
    const line = (href, text, page) => {
      const link = Object.assign(document.createElement("a"), {href, textContent: text});
      if (page) link.append(Object.assign(document.createElement("span"), {className: "search-page", textContent: ` ${page}`}));
      const item = document.createElement("li");
      item.append(link);
      return item;
    };
    const show = async () => {
      const asked = input.value.trim();
      if (asked.length < 2 && !/\P{ASCII}/u.test(asked)) return hide();
      await ready();
      const found = await Search.find(asked);
      if (input.value.trim() !== asked) return; // the reader has typed on
      if (!found.length) return hide();
      const all = `${root}search.html?${new URLSearchParams({q: asked})}`;
      list.replaceChildren(
        ...found.slice(0, SHOWN).map(({url, title, page}) => line(root + url, title, page !== title && page)),
        line(all, found.length > SHOWN ? `All ${found.length} results` : "All results, with the words around"));
      list.hidden = false;
      said.textContent = `${Math.min(SHOWN, found.length)} of ${found.length} sections, below the field`;
    };
    input.addEventListener("focus", ready, {once: true});
    input.addEventListener("input", show);
    form.addEventListener("keydown", event => {
      const stops = [input, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
      const next = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
      if (event.key === "Escape" && !list.hidden) {
        event.preventDefault(); // the dialog around the field stays open
        event.stopPropagation();
        input.focus();
        hide();
      } else if (at >= 0 && next !== undefined && !list.hidden) {
        event.preventDefault();
        stops[(next + stops.length) % stops.length].focus();
      }
    });
    form.addEventListener("focusout", event => {
      if (!form.contains(event.relatedTarget)) hide();
    });
  }
});
