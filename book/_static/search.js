// The search: which sections answer what was asked, the best first. The parts of the index are loaded as they are needed;
// tools/site/search_index.py writes them, and says in the same way what a word is.
const Search = (() => {
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const parts = new Map();
  const part = name => parts.get(name) ?? parts.set(name, new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), {src: `${root}_static/search/${name}.js`, onerror: failed});
    script.onload = () => done(parts.get(name));
    document.head.append(script);
  })).get(name);
  const take = (name, content) => parts.set(name, content);

  const GREEK = Object.fromEntries([..."αβγδεζηθικλμνξοπρσςτυφχψω"].map((letter, i) => [letter,
    ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi " +
      "chi psi omega").split(" ")[i]]));
  const words = text => (text.replace(/[\p{Lm}\p{No}]/gu, " ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .match(/[α-ω]|(?:(?![α-ω])[\p{L}\p{N}_])+/gu) ?? []).map(word => GREEK[word] ?? word);
  const stemmer = new Stemmer(), known = new Map();
  const stem = word => known.get(word) ?? known.set(word, /^[a-z]{3,}$/.test(word) ? stemmer.stemWord(word) : word).get(word);
  const dull = new Set(); // words that tell nothing
  const telling = text => words(text).filter(word => !dull.has(word));
  const stems = text => words(text).flatMap(word => (word.includes("_") ? [word, ...word.split("_")] : [word]))
    .filter(word => word && !dull.has(word)).map(stem);
  const shelf = word => (/^[a-z]/.test(word) ? word[0] : /^\d/.test(word) ? "0" : "other");

  // How many letters must be changed, at most `most`.
  const near = (one, other, most) => {
    if (Math.abs(one.length - other.length) > most) return false;
    let row = [...other, 0].map((_, i) => i);
    for (let i = 1; i <= one.length; i++) {
      const next = [i];
      for (let j = 1; j <= other.length; j++)
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1]));
      row = next;
    }
    return row[other.length] <= most;
  };
  // The terms of the index that a word may mean, and how much each counts: itself, longer words, else misspelled ones.
  const meant = (word, terms) => {
    const found = Object.keys(terms).filter(term => term === word || (word.length > 2 && term.startsWith(word)))
      .map(term => [term, term === word ? 1 : 0.4 * word.length / term.length]);
    for (let most = 1; !found.length && word.length > 4 && most <= 2; most++)
      found.push(...Object.keys(terms).filter(term => near(word, term, most)).map(term => [term, 0.2]));
    return found;
  };

  let sections; // each with its page, name, other names, and what of them is compared with a question
  const load = async () => {
    const {empty, shelves, pages} = await part("sections");
    if (sections) return sections;
    for (const word of empty) dull.add(word);
    sections = {shelves: new Set(shelves), list: pages.flatMap(([address, page, inner]) =>
      inner.map(([anchor, title, others], place) => {
        const names = [title, ...others].map(telling);
        const whole = page.replace(/^[\d.]+ /, "") === title; // the page, which is shown with its number
        return {url: anchor ? `${address}#${anchor}` : address, page, title: whole ? page : title, place,
          texts: `texts/${address.slice(0, -5)}`,
          spelled: names.map(name => name.join(" ")), names: names.map(name => name.map(stem))};
      }))};
    return sections;
  };
  const API = /^book\/(reference|kernels)/, TERM = /#term-/, NAMED = /#(term|thm|def|prop)-/;

  // How much more a section counts that has this name, by what of the question is in it.
  const alike = (name, asked) => {
    const inner = (one, other) => one.length > 0 && one.every(word => other.includes(word));
    return inner(name, asked) && inner(asked, name) ? 5 : ` ${name.join(" ")} `.includes(` ${asked.join(" ")} `) ? 3 :
      name.length > 1 && inner(name, asked) ? 2 : 1;
  };

  // By section that holds a word: how much it counts there, and as which term of the index.
  const holding = async (word, shelves) => {
    const terms = shelves.has(shelf(word)) ? await part(`words/${shelf(word)}`) : {}, found = new Map();
    for (const [term, share] of meant(word, terms)) {
      let place = 0;
      for (let i = 0; i < terms[term].length; i += 2) {
        place += terms[term][i];
        const count = share * terms[term][i + 1];
        if (count > (found.get(place)?.count ?? 0)) found.set(place, {count, term});
      }
    }
    return found;
  };

  // The sections that hold what was asked: those with all words first, and of these the reference of the library last.
  const find = async asked => {
    const {shelves, list} = await load();
    const told = telling(asked), exact = told.map(stem), spelled = told.join(" ");
    const asks = [...new Set(stems(asked))];
    const held = await Promise.all(asks.map(word => holding(word, shelves)));
    const places = new Set(held.flatMap(found => [...found.keys()]));
    const hits = [...places].map(place => {
      const section = list[place], here = held.map(found => found.get(place)).filter(Boolean);
      const likeness = Math.max(...section.names.map(name => alike(name, exact)));
      const letters = [spelled, spelled.replace(/s$/, "")].some(name => section.spelled.includes(name));
      const weight = NAMED.test(section.url) && letters ? 12 : likeness === 5 && TERM.test(section.url) ? 3 : likeness;
      return {
        ...section, terms: new Set(here.map(({term}) => term)),
        group: (here.length < asks.length ? 2 : 0) + (API.test(section.url) && likeness < 5 ? 1 : 0),
        score: here.reduce((sum, {count}) => sum + count, 0) * weight * (here.length / asks.length) ** 4,
      };
    });
    return hits.sort((one, other) => one.group - other.group || other.score - one.score);
  };
  const text = async ({texts, place}) => (await part(texts))[place];
  return {take, load, find, text, words, stems};
})();
