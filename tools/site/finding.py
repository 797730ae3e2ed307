"""What a reader's search looks through: the prose of every section, and the glossary's words for it.

The list is a script and not data that a page would have to fetch, so that it is there in a folder too (file://).
"""

import json
import posixpath
import re
import shutil
from pathlib import Path

from bs4 import BeautifulSoup

from tools.site.npm import node_modules

GLOSSARY = "book/glossary"
REPEATING = ("book/results", "book/slips")  # gather what is found where it stands
SHORT = 12  # characters of a formula that can be read in an excerpt
DROPPED = re.compile(r"<(svg|script|style|pre|noscript|mtable|annotation)\b.*?</\1>", flags=re.DOTALL)
FORMULA = re.compile(r"<math\b.*?</math>", flags=re.DOTALL)
EXPONENT = re.compile(r"(<msup\b[^>]*>\s*<(m[ion])\b[^>]*>[^<]*</\2>)")  # behind its one letter, number or sign
UPRIGHT = ("<mfrac", "<msqrt", "<mroot", "<mover", "<munder")  # what a line of text would turn into something else
SECTION = "section[id]:not([class*=-content])"  # sphinx-proof makes sections of its own
NO_PROSE = "div.cell_input, div.output, summary, .eqno, .headerlink, .explorer-controls, table.dataframe, nav, .live"


def words(html):
    """The text of a formula, if it is short and can be written in a line."""
    formula, raised = EXPONENT.subn(r"\1^", html[0])
    text = "".join(re.sub("<[^>]*>", "", formula).split()).replace("^′", "′")
    in_a_line = raised == formula.count("<msup") and not any(tag in formula for tag in UPRIGHT)
    return text if in_a_line and len(text) <= SHORT else " … "


def text_of(tag):
    return " ".join(tag.get_text().split())


def title_of(section):
    heading = section.find(["h1", "h2", "h3", "h4"], recursive=False)
    for number in heading.select(".section-number"):
        number.extract()
    return text_of(heading.extract())


def taken(tags, url, page):
    """Records of what stands in a section under a name of its own: a term, a theorem."""
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
    """The glossary's entries in a section: their names, and what they say."""
    for entry in section.select("dl.glossary dd"):
        names = [entry.find_previous_sibling("dt")]
        while (before := names[0].find_previous_sibling()) is not None and before.name == "dt":
            names.insert(0, before)
        yield [*map(text_of, names)], names[0]["id"], entry


def sections(html, page):
    """A page's sections as records: where, on which page, under which title, with which words."""
    start, end = html.find("<article"), html.rfind("</article>")
    soup = BeautifulSoup(FORMULA.sub(words, DROPPED.sub("", html[start:end])), "html.parser")
    for tag in soup.select(NO_PROSE):
        tag.decompose()
    url, found, name = f"{page}.html", [], ""
    for section in soup.select(SECTION):
        title = title_of(section)
        name = name or title
        found.append({"url": f"{url}#{section['id']}" if found else url, "page": name, "title": title})
        section.record = found[-1]
    for section in reversed(soup.select(SECTION)):  # inner ones first, and out of the outer ones
        named = []
        for proof in section.select("div.proof[id]"):
            if (label := proof.find("p", class_="admonition-title")) and "(" in label.get_text():
                named.append((text_of(label), proof["id"], proof))
        named += terms_of(section)
        found += taken(named, url, name)
        section.record["text"] = text_of(section)
        section.decompose()
    return found


def synonyms(html):
    """The address of each section that the glossary leads to, with the terms that do."""
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
    for page in sorted(app.env.found_docs.difference(REPEATING)):
        if (path := out / f"{page}.html").is_file():
            found = sections(path.read_text(encoding="utf-8"), page)
            of_glossary = [record for record in found if "#term-" in record["url"]]
            records += of_glossary if page == GLOSSARY else [record for record in found if record["text"]]
    if (glossary := out / f"{GLOSSARY}.html").is_file():
        known = synonyms(glossary.read_text(encoding="utf-8"))
        for record in records:
            record.setdefault("words", ", ".join(known.get(record["url"], [])))
    static = out / "_static"
    listed = json.dumps(records, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (static / "search-sections.js").write_text(f"const SECTIONS = {listed};\n", encoding="utf-8")
    shutil.copy(node_modules() / "minisearch" / "dist" / "umd" / "index.js", static / "minisearch.js")
    for path in (out / "searchindex.js", static / "searchtools.js"):
        path.unlink(missing_ok=True)  # Sphinx's own; its stemmer, in language_data.js, is used


def setup(app):
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
