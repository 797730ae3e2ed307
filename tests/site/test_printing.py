"""Pages on paper."""

import re

import pytest

from tests.marks import CI, missing
from tools.bookbuild.printing import print_page


def test_what_is_folded_is_open_on_paper(tmp_path):
    sheets = '<p style="break-before: page">a sheet</p>' * 3
    page = tmp_path / "page.html"
    page.write_text(f"<p>first</p><details><summary>more</summary>{sheets}</details>", encoding="utf-8")
    try:
        print_page(page, tmp_path / "place" / "page.pdf")
    except SystemExit as error:
        missing(str(error), CI)
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "place" / "page.pdf").read_bytes())) == 4


def test_without_a_browser_it_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.bookbuild.printing.chromium", lambda playwright: None)
    with pytest.raises(SystemExit, match="No Chromium starts here"):
        print_page(tmp_path / "page.html", tmp_path / "page.pdf")
