// The page of search: sections that say what was asked, the best first, each with the words around.
addEventListener("DOMContentLoaded", () => {
  const SHOWN = 25, AROUND = 90; // hits; characters beside the word that was found
  const asked = (new URLSearchParams(location.search).get("q") ?? "").trim();
  const place = document.getElementById("search-results");
  for (const input of document.querySelectorAll("form.bd-search input")) input.value = asked;
  if (!asked) return;

  const WORD = /[\p{L}\p{N}_]+/gu, stemmer = new Stemmer();
  const plain = word => word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const stem = word => (/^[a-z]+$/.test(plain(word)) ? stemmer.stemWord(plain(word)) : plain(word));
  const pieces = word => (word.includes("_") ? [word, ...word.split("_")].filter(Boolean) : [word]);
  const words = text => [...text.matchAll(WORD)].map(([word]) => word);
  const stems = text => words(text).map(stem).join(" ");
  const search = new MiniSearch({
    fields: ["title", "words", "page", "text"],
    idField: "url",
    storeFields: ["title", "page", "text", "words"],
    tokenize: text => words(text).flatMap(pieces),
    processTerm: stem,
    searchOptions: {boost: {title: 5, words: 8, page: 2}, prefix: term => term.length > 2, maxFuzzy: 1},
  });
  search.addAll(SECTIONS);

  const asking = new Set([...stopwords, ..."i my me we you your do does can should would want need get use using make how what which when where why who choose write explain define example".split(" ")]);
  // A word that stands nowhere is read as the nearest one that does, two letters away at most.
  const spelled = word => {
    if (word.length < 5 || search.search(word).length) return word;
    return search.search(word, {fuzzy: 0.3, maxFuzzy: 2, prefix: false})[0]?.terms[0] ?? word;
  };
  const told = words(asked).filter(word => !asking.has(word.toLowerCase()));
  const telling = (told.length ? told : words(asked)).map(spelled).join(" ") || asked;
  const exact = stems(telling);
  const whole = names => names.split(", ").some(name => stems(name) === exact); // one of the names is what was asked
  const within = text => ` ${stems(text)} `.includes(` ${exact} `); // the words as they were asked for, beside each other
  const same = names => names.split(", ").some(name => plain(name) === plain(telling)); // to the letter
  const weight = (id, term, {title, words, text}) =>
    (id.includes("#term-") && (same(title) || same(words)) ? 12 : id.startsWith("book/kernels") && whole(title) ? 10 :
      whole(title) || whole(words) ? 5 : within(title) ? 3 : 1) * (within(text) ? 2 : 1) *
    (id.startsWith("book/references") ? 0.1 : 1);
  const seen = new Map();
  const weighed = (id, term, stored) => {
    if (!seen.has(id)) seen.set(id, weight(id, term, stored));
    return seen.get(id);
  };
  const fuzzy = term => term.length > 4 && 0.2;
  const ways = [[1, {combineWith: "AND"}], [0.3, {combineWith: "AND", fuzzy}], [0.05, {fuzzy}]];
  const best = new Map(); // a section found in several ways counts by the best of them
  for (const [share, how] of ways)
    for (const hit of search.search(telling, {...how, boostDocument: weighed}))
      if (!best.has(hit.id) || best.get(hit.id).score < share * hit.score) best.set(hit.id, {...hit, score: share * hit.score});
  const found = [...best.values()].sort((a, b) => b.score - a.score);

  const element = (name, text, parent, options) =>
    parent.appendChild(Object.assign(document.createElement(name), {textContent: text, ...options}));
  const hits = (word, terms) => pieces(word).some(piece => terms.has(stem(piece)));
  const marked = (text, terms, parent) => {
    for (const piece of text.split(/([\p{L}\p{N}_]+)/u))
      hits(piece, terms) ? element("mark", piece, parent) : parent.append(piece);
  };
  const excerpt = ({text}, terms) => {
    const there = [...text.matchAll(WORD)].filter(([word]) => hits(word, terms));
    const near = word => there.filter(other => Math.abs(other.index - word.index) < AROUND);
    const kinds = word => new Set(near(word).map(([other]) => stem(other))).size;
    const at = there.reduce((best, word) => (kinds(word) > kinds(best) ? word : best), there[0] ?? {index: 0}).index;
    const start = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1, end = text.indexOf(" ", at + 2 * AROUND);
    return (start ? "… " : "") + text.slice(start, end < 0 ? undefined : end) + (end < 0 ? "" : " …");
  };
  const sections = `${found.length || "no"} section${found.length === 1 ? "" : "s"}`;
  const count = found.length > SHOWN ? `the best ${SHOWN} of ${sections}` : sections;
  // Who asked by keyboard goes on from here: the next stop is the first hit.
  element("p", `For “${asked}”: ${count}.`, place, {role: "status", tabIndex: -1}).focus({preventScroll: true});
  const list = element("ol", "", place, {className: "search-hits"});
  for (const hit of found.slice(0, SHOWN)) {
    const item = element("li", "", list), terms = new Set(hit.terms);
    const link = element("a", "", item, {href: hit.id});
    marked(hit.title, terms, link);
    if (hit.page !== hit.title) element("span", ` in ${hit.page}`, item, {className: "search-page"});
    marked(excerpt(hit, terms), terms, element("p", "", item));
  }
});
