// The page of search: sections that say what was asked, the best first, each with the words around.
addEventListener("DOMContentLoaded", () => {
  const SHOWN = 25, AROUND = 90; // hits; characters beside the word that was found
  const asked = (new URLSearchParams(location.search).get("q") ?? "").trim();
  const place = document.getElementById("search-results");
  for (const input of document.querySelectorAll("form.bd-search input")) input.value = asked;
  if (!asked) return;

  const plain = word => word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const singular = word => plain(word).replace(/(?<=\w{3}[^aisu])s$/, "").replace(/(?<=\w{3})ie$/, "y");
  const search = new MiniSearch({
    fields: ["title", "words", "page", "text"],
    idField: "url",
    storeFields: ["title", "page", "text", "words"],
    processTerm: singular,
    searchOptions: {boost: {title: 5, words: 8, page: 2}, prefix: term => term.length > 2, maxFuzzy: 1},
  });
  search.addAll(SECTIONS);
  const exact = plain(asked);
  const whole = names => names.split(", ").some(name => plain(name) === exact); // one of the names is what was asked
  const weight = (id, term, {title, words, text}) => // and the words as they were asked for, beside each other
    (whole(title) || whole(words) ? 5 : plain(title).includes(exact) ? 3 : 1) * (plain(text).includes(exact) ? 2 : 1) *
    (id.startsWith("book/references") ? 0.2 : 1);
  const options = {boostDocument: weight};
  const spelled = {...options, fuzzy: term => term.length > 4 && 0.2};
  const every = [{...options, combineWith: "AND"}, {...spelled, combineWith: "AND"}, spelled];
  const found = every.map(how => search.search(asked, how)).find(hits => hits.length) ?? [];

  const element = (name, text, parent, options) =>
    parent.appendChild(Object.assign(document.createElement(name), {textContent: text}, options));
  const marked = (text, terms, parent) => {
    for (const piece of text.split(/([\p{L}\p{N}_]+)/u))
      terms.has(singular(piece)) ? element("mark", piece, parent) : parent.append(piece);
  };
  const excerpt = ({text}, terms) => {
    const words = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].filter(([word]) => terms.has(singular(word)));
    const near = word => words.filter(other => Math.abs(other.index - word.index) < AROUND);
    const kinds = word => new Set(near(word).map(([other]) => singular(other))).size;
    const at = words.reduce((best, word) => (kinds(word) > kinds(best) ? word : best), words[0] ?? {index: 0}).index;
    const start = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1, end = text.indexOf(" ", at + 2 * AROUND);
    return (start ? "… " : "") + text.slice(start, end < 0 ? undefined : end) + (end < 0 ? "" : " …");
  };
  const sections = `${found.length || "no"} section${found.length === 1 ? "" : "s"}`;
  const count = found.length > SHOWN ? `the best ${SHOWN} of ${sections}` : sections;
  element("p", `For “${asked}”: ${count}.`, place, {role: "status"});
  const list = element("ol", "", place, {className: "search-hits"});
  for (const hit of found.slice(0, SHOWN)) {
    const item = element("li", "", list), terms = new Set(hit.terms);
    const link = element("a", "", item, {href: hit.id});
    marked(hit.title, terms, link);
    if (hit.page !== hit.title) element("span", ` in ${hit.page}`, item, {className: "search-page"});
    marked(excerpt(hit, terms), terms, element("p", "", item));
  }
});
