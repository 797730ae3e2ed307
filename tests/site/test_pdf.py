"""The whole book as one PDF: its pages in order, their numbers in the contents, links from one to the other."""

import pytest
from pypdf import PdfReader

from tests.marks import CI, missing
from tools.bookbuild import pdf

SIDEBAR = """<nav class="bd-links bd-docs-nav"><ul>
<li class="toctree-l1"><a class="reference internal" href="index.html">Home</a></li>
<li class="toctree-l1 has-children"><a class="reference internal" href="one.html">1. One</a><ul>
<li class="toctree-l2"><a class="reference internal" href="deep/two.html">Two</a></li></ul></li></ul></nav>"""


LETTERS = '<svg class="letters" aria-hidden="true"><defs><path id="DejaVuSans-41" d="M0 0"/></defs></svg>'


def page(text, root="../"):
    head = (
        f'<head><link rel="stylesheet" href="{root}_static/style.css"><script src="{root}_static/x.js"></script></head>'
    )
    return f'<html>{head}<body>{SIDEBAR}<article class="bd-article">{text}</article>{LETTERS}</body></html>'


@pytest.fixture
def small_site(tmp_path):
    sheets = '<p style="break-before: page">a sheet</p>'
    files = {
        "index.html": '<meta http-equiv="Refresh" content="0; url=book/index.html" />',
        "book/index.html": page('<h1 id="top">Home</h1><a href="one.html#here">to one</a>'),
        "book/one.html": page(
            f'<h1 id="top">One</h1>{sheets * 2}<p id="here">target</p><a href="deep/two.html">two</a>'
        ),
        "book/deep/two.html": page(
            '<h1 id="top">Two</h1><a href="#top">up</a><a href="https://example.org/x.html#top">out</a>'
            '<img src="../../_images/a.svg" loading="lazy"><details><summary>s</summary><p>hidden words</p></details>',
            root="../../",
        ),
        "_static/style.css": "details:not([open]) { display: none; }",
        "_images/a.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_pages_become_one_document(small_site):
    html = pdf.document(small_site, {})
    assert [path for path, _, _ in pdf.pages_of(small_site)] == [
        "book/index.html",
        "book/one.html",
        "book/deep/two.html",
    ]
    for name in ("book-index", "book-one", "book-deep-two"):
        assert html.count(f'id="{name}"') == html.count(f'id="{name}--top"') == 1
    for address in ("#book-one--here", "#book-deep-two", "#book-deep-two--top", "https://example.org/x.html#top"):
        assert f'href="{address}"' in html
    assert 'src="_images/a.svg"' in html
    assert html.count('id="book-one--DejaVuSans-41"') == 1  # outside the article; its drawings refer to it
    assert 'href="_static/style.css"' in html
    assert "<script" not in html
    assert "lazy" not in html


def test_the_book_is_printed_with_its_numbers(small_site):
    try:
        path = pdf.print_book(small_site, small_site / "book.pdf")
    except SystemExit as error:
        missing(str(error), CI)
    reader = PdfReader(path)
    texts = [sheet.extract_text() for sheet in reader.pages]
    assert len(texts) == 7  # title, contents, one, three, one
    assert [line for line in texts[1].split("\n") if line.strip().isdigit() or line[-1:].isdigit()]
    for title, number in (("About this book", 3), ("1. One", 4), ("Two", 7)):
        assert f"{title} {number}" in " ".join(texts[1].split()), texts[1]
    assert "hidden words" not in "".join(texts)
    assert pdf.first_pages(path)["book-deep-two"] == 7
    assert [entry.title for entry in reader.outline if not isinstance(entry, list)]
    assert not list(small_site.glob("_on-paper*"))


def test_without_a_browser_it_is_one_sentence(small_site, monkeypatch):
    monkeypatch.setattr("tools.bookbuild.printing.chromium", lambda playwright: None)
    with pytest.raises(SystemExit, match="No Chromium starts here"):
        pdf.print_book(small_site, small_site / "book.pdf")
