"""Every link of the built book that stays inside it leads somewhere."""

from collections import Counter
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

ADDRESSES = ["href", "src"]


def parsed(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def parse_pages(site):
    pages = (path for path in site.rglob("*.html") if path.relative_to(site).parts[0] not in ("_static", "live"))
    return {path.relative_to(site).as_posix(): parsed(path) for path in pages}


def addresses(soup):
    yield from (tag[name] for name in ADDRESSES for tag in soup.find_all(attrs={name: True}))
    for tag in soup.find_all("meta", attrs={"http-equiv": "Refresh"}):
        yield tag["content"].partition("url=")[2]


def anchors(soup):
    return {tag["id"] for tag in soup.find_all(id=True)}


def broken_links(site):
    """One sentence for each link that only works on the machine that built the site, or nowhere."""
    pages = parse_pages(site)
    # Compared as strings: a wrong capital letter must not pass on a file system that ignores case.
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    ids = {name: anchors(soup) for name, soup in pages.items()}
    found = []
    for name, soup in pages.items():
        for address in addresses(soup):
            url = urlsplit(address)
            inside = not url.scheme and not url.netloc
            if url.scheme == "file" or url.hostname in ("localhost", "127.0.0.1") or (inside and url.path[:1] == "/"):
                found.append(f"{name}: {address} is an address of this machine")
            elif inside:
                target = normpath(join(name, "..", unquote(url.path))) if url.path else name
                if target not in files:
                    found.append(f"{name}: {address} leads to no file")
                elif url.fragment and target in ids and unquote(url.fragment) not in ids[target]:
                    found.append(f"{name}: {address} leads to no anchor")
    return found


def test_links_inside_the_book_lead_somewhere(site):
    assert broken_links(site) == []


def test_no_page_has_two_elements_of_one_id(site):
    counts = {name: Counter(tag["id"] for tag in soup.find_all(id=True)) for name, soup in parse_pages(site).items()}
    assert [(name, identity) for name, count in counts.items() for identity in count if count[identity] > 1] == []


def test_the_root_address_leads_to_the_landing_page(site):
    assert list(addresses(parsed(site / "index.html"))) == ["book/index.html"]


def test_broken_links_are_found(tmp_path):
    good = '<h1 id="top">a</h1> <a href="#top">b</a> <a href="b.html#x">c</a> <a href="https://example.org/#y">d</a>'
    bad = ["#nowhere", "b.html#nowhere", "B.html", "../outside.html", "/b.html", "file:///b.html", "http://localhost/b"]
    (tmp_path / "b.html").write_text('<p id="x">x</p>', encoding="utf-8")
    (tmp_path / "a.html").write_text(good, encoding="utf-8")
    assert broken_links(tmp_path) == []
    for address in bad:
        (tmp_path / "a.html").write_text(f'{good} <a href="{address}">e</a>', encoding="utf-8")
        assert [sentence.split()[1] for sentence in broken_links(tmp_path)] == [address]
