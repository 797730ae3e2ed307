"""Gather what the search finds: the prose of every section, terms of the glossary, theorems that have a name."""

import html as markup
import posixpath
import re
from pathlib import Path

from bs4 import BeautifulSoup

from tools.site.formula_lines import formula_line
from tools.site.search_index import write_index

GLOSSARY = "book/glossary"
GATHERING_PAGES = ("book/results", "book/slips")  # repeats of other pages, and what only readers of the notes need
DROPPED = re.compile(r"<(svg|script|style|pre|noscript|annotation)\b.*?</\1>", flags=re.DOTALL)
FORMULA = re.compile(r"<math\b.*?</math>", flags=re.DOTALL)
SECTION = "section[id]:not([class*=-content])"  # excludes sections that sphinx-proof makes
NO_PROSE = (
    "div.cell_input, div.output, summary, .eqno, .headerlink, .explorer-controls, table.dataframe, nav, .live, "
    "div.claim, .claim-mark"
)


def formula_text(found):
    text = markup.escape(formula_line(found[0]))
    return f" {text} " if 'display="block"' in found[0] else text


def text_of(tag):
    return " ".join(tag.get_text().split())


def title_of(section):
    heading = section.find(["h1", "h2", "h3", "h4"], recursive=False)
    for number in heading.select(".section-number"):
        number.extract()
    return text_of(heading.extract())


def extract_records(tags, url, page):
    """Take terms and theorems, which have names of their own, out of a section; return their records."""
    found = []
    for name, anchor, tag in tags:
        for label in tag.select(":scope > p.admonition-title"):
            label.extract()
        name, *others = name
        found.append({"url": f"{url}#{anchor}", "page": page, "title": name, "names": others, "text": text_of(tag)})
        tag.decompose()
    return found


def terms_of(section):
    """The glossary entries in a section, as triples: names, anchor and element."""
    for entry in section.select("dl.glossary dd"):
        names = [entry.find_previous_sibling("dt")]
        while (before := names[0].find_previous_sibling()) is not None and before.name == "dt":
            names.insert(0, before)
        yield [*map(text_of, names)], names[0]["id"], entry


def sections(html, page):
    """The sections of a page as records of URL, page, title and text."""
    start, end = html.find("<article"), html.rfind("</article>")
    soup = BeautifulSoup(FORMULA.sub(formula_text, DROPPED.sub("", html[start:end])), "html.parser")
    for tag in soup.select(NO_PROSE):
        tag.decompose()
    number = soup.select_one("h1 .section-number")
    number = text_of(number) + " " if number else ""  # the page is shown with it, and found without it
    url, found, name = f"{page}.html", [], ""
    for section in soup.select(SECTION):
        title = title_of(section)
        name = name or number + title
        found.append({"url": f"{url}#{section['id']}" if found else url, "page": name, "title": title})
        section.record = found[-1]
    for section in reversed(soup.select(SECTION)):  # inner sections first, which are then removed from the outer ones
        named = []
        for proof in section.select("div.proof[id]"):
            label = proof.find("p", class_="admonition-title")
            if label and (bracket := re.search(r"\((.*)\)", text_of(label))):
                kind = ["formula"] if proof.select_one("div.math") else []  # "leave-one-out formula"
                named.append(([text_of(label), bracket[1], *kind], proof["id"], proof))
        named += terms_of(section)
        found += extract_records(named, url, name)
        section.record["text"] = text_of(section)
        section.decompose()
    return found


def synonyms(html):
    """The terms that lead to each section from the glossary, by the section's URL."""
    found = {}
    soup = BeautifulSoup(html, "html.parser")
    for mark in soup.select("dt .headerlink"):
        mark.decompose()
    for names, _, entry in terms_of(soup):
        for link in entry.select("a.reference.internal[href]"):
            url = posixpath.normpath(posixpath.join(posixpath.dirname(GLOSSARY), link["href"]))
            found.setdefault(url, []).extend(names)
    return found


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    records = []
    for page in sorted(app.env.found_docs.difference(GATHERING_PAGES)):
        if (path := out / f"{page}.html").is_file():
            found = sections(path.read_text(encoding="utf-8"), page)
            of_glossary = [record for record in found if "#term-" in record["url"]]
            records += of_glossary if page == GLOSSARY else [record for record in found if record["text"]]
    glossary = out / f"{GLOSSARY}.html"
    terms = synonyms(glossary.read_text(encoding="utf-8")) if glossary.is_file() else {}
    for record in records:
        record["names"] = [*record.get("names", []), *terms.get(record["url"], [])]
    write_index(records, out / "_static" / "search")
    (out / "_static" / "searchtools.js").unlink(missing_ok=True)  # Sphinx's own search


def skip_sphinx_index(app):
    """Let Sphinx make no index of its own; only the stemmer of its search is used, language_data.js."""
    if app.builder.format == "html":
        app.builder.index_page = app.builder.dump_search_index = lambda *_: None


def setup(app):
    app.add_js_file("search-field.js", loading_method="defer")
    app.connect("builder-inited", skip_sphinx_index)
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
