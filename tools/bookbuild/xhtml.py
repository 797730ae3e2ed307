"""A page of the built site as a page of an EPUB: XHTML, with nothing in it that needs a script or a form.

All pages are mended here, whatever a cell or an extension has written into them. Figures keep their first picture, and
say where the one that moves is; so does the page for the code that it folds.
"""

import posixpath
import re
from html import escape
from urllib.parse import unquote, urljoin

from bs4 import BeautifulSoup, Comment

NAMESPACES = {"svg": "http://www.w3.org/2000/svg", "math": "http://www.w3.org/1998/Math/MathML"}
# What acts, or leads to what acts; and the path above a title, which is the reader's own contents.
LEFT_OUT = (
    "script, noscript, style, button, a.headerlink, nav.page-path, details.live, fieldset, .explorer-goal, "
    "p:has(> a[download]), .map-read, .map-tick"
)
REFERRING = {"href", "src", "srcset"}
ON_A_LIVE_PAGE = {"loading", "tabindex", "border", "aria-live"}
FOLDED_CODE = "details.hide.above-input"
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>{title}</title><link rel="stylesheet" type="text/css" href="{style}"/></head>
<body>{body}</body>
</html>
"""


def file_of(path):
    return path.removesuffix(".html") + ".xhtml"


def as_xhtml(html, path, paths, style):
    """The page `path` of the site, whose other pages are `paths`, as XHTML; `style` is the path of the style sheet."""
    soup = BeautifulSoup(html, "html.parser")
    article = soup.article
    if letters := soup.select_one("svg.letters"):  # the outlines to which all drawings of the page refer
        article.append(letters)
    for element in article.select(LEFT_OUT):
        element.decompose()
    for comment in article.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    title = " ".join(article.h1.get_text().split())
    canonical = soup.find("link", rel="canonical")
    address = canonical["href"] if canonical else None
    place = f"the page “{escape(title)}” of the site"
    if address:
        place = f'<a href="{escape(address)}">{place}</a>'
    for figure in article.select("figure.explorer"):
        stand_still(figure, place)
    leave_out_folded_code(article, place)
    for element in article.find_all(True):
        for attribute in REFERRING & element.attrs.keys():
            refer(element, attribute, path, paths, address)
        for attribute in ON_A_LIVE_PAGE & element.attrs.keys():
            del element[attribute]
    name_for_xml(soup, article, names_in_drawings(html))
    root = posixpath.relpath(style, posixpath.dirname(path))
    return PAGE.format(title=escape(title), style=root, body=article.decode(formatter="minimal"))


def names_in_drawings(html):
    """The names with capitals, as viewBox, which SVG needs and the parser of HTML writes small."""
    return {name.lower(): name for name in re.findall(r"[<\s]([a-z]+[A-Z][A-Za-z]*)(?=[\s=>])", html)}


def stand_still(figure, place):
    """Put in place of an explorer's sliders the values for which it is drawn, and where it can be moved."""
    values = []
    for control in figure.select(".explorer-control"):
        chosen = control.output or control.select_one("label:has(:checked)")
        values.append(f"{control.select_one('.explorer-label').get_text()} {chosen.get_text(strip=True)}")
    drawn = f"Drawn for {', '.join(values)}. " if values else ""
    del figure.select_one(".explorer-result")["role"]
    note = BeautifulSoup(f'<p class="elsewhere">{escape(drawn)}Move this figure on {place}.</p>', "html.parser")
    figure.select_one(".explorer-controls").replace_with(note)


def leave_out_folded_code(article, place):
    """Leave out the folded code of drawings and experiments, and say at the foot of the page where it is."""
    folds = article.select(FOLDED_CODE)
    for fold in folds:
        fold.decompose()
    for cell in article.select("div.cell"):
        if not cell.find(True):
            cell.decompose()
    if folds:
        line = f'<p class="elsewhere">The code that draws the figures and runs the experiments is on {place}.</p>'
        article.append(BeautifulSoup(line, "html.parser"))


def refer(element, attribute, path, paths, address):
    """Let a link lead to the page in the book, or else to the site; it is no link if the site has no address."""
    value = element[attribute]
    if re.match(r"#|[a-z]+:", value):
        return
    file, mark, anchor = value.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
    if target in paths:
        element[attribute] = file_of(file) + mark + anchor
    elif element.name == "a" and address:
        element[attribute] = urljoin(address, value)
    elif element.name == "a":
        element.unwrap()


def name_for_xml(soup, article, names):
    """Give drawings and formulas their namespaces and capitals."""
    for element in article.find_all(list(NAMESPACES)):
        element["xmlns"] = NAMESPACES[element.name]
    for element in [each for drawing in article.find_all("svg") for each in (drawing, *drawing.find_all(True))]:
        element.name = names.get(element.name, element.name)
        element.attrs = {names.get(name, name): value for name, value in element.attrs.items()}
    for element in article.select("math :not(mstyle)[scriptlevel]"):  # which an EPUB allows in mstyle only
        element.wrap(soup.new_tag("mstyle", scriptlevel=element["scriptlevel"]))
        del element["scriptlevel"]
