"""Write the search index: the prose of every section, and the glossary terms that lead to it.

The index is a script and not data that a page would have to fetch, so that it also works from a folder (file://).
"""

import json
import posixpath
import re
import shutil
from pathlib import Path

from bs4 import BeautifulSoup

from tools.site.npm import node_modules

GLOSSARY = "book/glossary"
GATHERING_PAGES = ("book/results", "book/slips")  # they repeat text of other pages
MAX_FORMULA_LENGTH = 12  # characters of a formula that can be read in an excerpt
DROPPED = re.compile(r"<(svg|script|style|pre|noscript|mtable|annotation)\b.*?</\1>", flags=re.DOTALL)
FORMULA = re.compile(r"<math\b.*?</math>", flags=re.DOTALL)
EXPONENT = re.compile(r"(<msup\b[^>]*>\s*<(m[ion])\b[^>]*>[^<]*</\2>)")  # after a single letter, number or symbol
TWO_DIMENSIONAL = ("<mfrac", "<msqrt", "<mroot", "<mover", "<munder")  # a line of text cannot show these
SECTION = "section[id]:not([class*=-content])"  # excludes sections that sphinx-proof makes
NO_PROSE = "div.cell_input, div.output, summary, .eqno, .headerlink, .explorer-controls, table.dataframe, nav, .live"


def formula_text(html):
    """The text of a formula if it is short and fits into a line; else an ellipsis."""
    formula, raised = EXPONENT.subn(r"\1^", html[0])
    text = "".join(re.sub("<[^>]*>", "", formula).split()).replace("^′", "′")
    in_a_line = raised == formula.count("<msup") and not any(tag in formula for tag in TWO_DIMENSIONAL)
    return text if in_a_line and len(text) <= MAX_FORMULA_LENGTH else " … "


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
        name, *others = [name] if isinstance(name, str) else name
        record = {"url": f"{url}#{anchor}", "page": page, "title": name, "text": text_of(tag)}
        found.append({**record, "words": ", ".join(others)})
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
    url, found, name = f"{page}.html", [], ""
    for section in soup.select(SECTION):
        title = title_of(section)
        name = name or title
        found.append({"url": f"{url}#{section['id']}" if found else url, "page": name, "title": title})
        section.record = found[-1]
    for section in reversed(soup.select(SECTION)):  # inner sections first, which are then removed from the outer ones
        named = []
        for proof in section.select("div.proof[id]"):
            if (label := proof.find("p", class_="admonition-title")) and "(" in label.get_text():
                named.append((text_of(label), proof["id"], proof))
        named += terms_of(section)
        found += extract_records(named, url, name)
        section.record["text"] = text_of(section)
        section.decompose()
    return found


def synonyms(html):
    """The terms that lead to each section from the glossary, by the section's URL."""
    found = {}
    soup = BeautifulSoup(html, "html.parser")
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
    if (glossary := out / f"{GLOSSARY}.html").is_file():
        terms = synonyms(glossary.read_text(encoding="utf-8"))
        for record in records:
            record.setdefault("words", ", ".join(terms.get(record["url"], [])))
    static = out / "_static"
    listed = json.dumps(records, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (static / "search-sections.js").write_text(f"const SECTIONS = {listed};\n", encoding="utf-8")
    shutil.copy(node_modules() / "minisearch" / "dist" / "umd" / "index.js", static / "minisearch.js")
    (static / "searchtools.js").unlink(missing_ok=True)  # Sphinx's own search


def skip_sphinx_index(app):
    """Let Sphinx make no index of its own; only the stemmer of its search is used, language_data.js."""
    if app.builder.format == "html":
        app.builder.index_page = app.builder.dump_search_index = lambda *_: None


def setup(app):
    app.connect("builder-inited", skip_sphinx_index)
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
