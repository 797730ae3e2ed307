// The page of search: sections that say what was asked, the best first, each with the words around.
(async () => { // not once all scripts of the page are there: the answer comes first
  const SHOWN = 25, AROUND = 90; // hits; characters beside the word that was found
  const asked = (new URLSearchParams(location.search).get("q") ?? "").trim();
  const place = document.getElementById("search-results");
  for (const input of document.querySelectorAll("form.bd-search input")) input.value = asked;
  if (!asked) return;

  const WORD = /\p{Script=Greek}|(?:(?!\p{Script=Greek})[\p{L}\p{N}\p{M}_])+/gu;
  const element = (name, text, parent, options) =>
    parent.appendChild(Object.assign(document.createElement(name), {textContent: text, ...options}));
  const term = (word, terms) => Search.stems(word).find(stem => terms.has(stem));
  const marked = (text, terms, parent) => {
    let end = 0;
    for (const {0: word, index} of text.matchAll(WORD)) {
      if (!term(word, terms)) continue;
      parent.append(text.slice(end, index));
      element("mark", word, parent);
      end = index + word.length;
    }
    parent.append(text.slice(end));
  };
  const excerpt = (text, terms) => {
    const there = [...text.matchAll(WORD)].map(({0: word, index}) => ({index, term: term(word, terms)})).filter(word => word.term);
    const near = word => there.filter(other => Math.abs(other.index - word.index) < AROUND);
    const kinds = word => new Set(near(word).map(other => other.term)).size;
    const at = there.reduce((best, word) => (kinds(word) > kinds(best) ? word : best), there[0] ?? {index: 0}).index;
    const start = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1, end = text.indexOf(" ", at + 2 * AROUND);
    return (start ? "… " : "") + text.slice(start, end < 0 ? undefined : end) + (end < 0 ? "" : " …");
  };

  const found = await Search.find(asked);
  const sections = `${found.length || "no"} section${found.length === 1 ? "" : "s"}`;
  const count = found.length > SHOWN ? `the best ${SHOWN} of ${sections}` : sections;
  // Who asked by keyboard goes on from here: the next stop is the first hit.
  element("p", `For “${asked}”: ${count}.`, place, {role: "status", tabIndex: -1}).focus({preventScroll: true});
  const list = element("ol", "", place, {className: "search-hits"});
  for (const hit of found.slice(0, SHOWN)) {
    const item = element("li", "", list);
    marked(hit.title, hit.terms, element("a", "", item, {href: hit.url}));
    if (hit.page !== hit.title) element("span", ` in ${hit.page}`, item, {className: "search-page"});
    const around = element("p", "", item);
    Search.text(hit).then(text => marked(excerpt(text, hit.terms), hit.terms, around));
  }
})();
