"""Figures: explorers among them and numbered like them, sharp on every screen, with their place kept."""

import re
from html import unescape

from docutils import nodes
from PIL import Image
from sphinx.transforms import SphinxTransform

DENSITY = 2  # dots of a raster for one of the page, as in kernelbook.pictures
POINT = 100 / 72  # pixels of the page to a point of an SVG: 100 to an inch, as in the book's style
COLOURS = 64  # of a raster's palette,
QUALITY = 85  # of a raster with more
MOST_COLOURS = 5000  # if it has no more than these, its letters' soft edges among them
DRAWN = "[0-9a-f]{64}"  # the name that myst-nb gives to what a cell drew; a picture that is a file has its own
EXPLORER = re.compile(
    r'<figure class="explorer" id="([^"]+)">(.*)<figcaption>(.*?)</figcaption>(.*)</figure>', re.DOTALL
)


class ExplorersAreFigures(SphinxTransform):
    """Make an explorer one of the document's figures: it is numbered with them and has a caption like theirs."""

    default_priority = 200  # before Sphinx gives figures without a name one

    def apply(self, **_):
        for raw in list(self.document.findall(nodes.raw)):
            if found := EXPLORER.search(raw.astext()):
                identity, body, caption, script = found.groups()
                raw.children[:] = []
                raw += nodes.Text(f'<div class="explorer-body">{body}{script}</div>')
                bundle = raw.parent.parent
                figure = nodes.figure(ids=[identity], classes=["explorer"])
                bundle.replace_self(figure)
                figure += [bundle, nodes.caption("", unescape(caption))]


def size_of(path):
    """How wide and high a drawn figure is on the page, in pixels."""
    if path.suffix == ".svg":
        sides = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', path.read_text(encoding="utf-8"))
        return [round(float(side) * POINT) for side in sides.groups()]
    with Image.open(path) as picture:
        return [round(side / DENSITY) for side in picture.size]


def place_pictures(html, images):
    """Keep a place of its size for every drawn figure, and fetch it when the reader comes near it."""

    def placed(tag):
        start, name, end = tag.groups()
        if re.search(" width=", re.sub('"[^"]*"', "", tag[0])):
            return tag[0]
        path = images / name
        if not path.exists():  # it was shaded, and has become smaller
            name, path = name.replace(".png", ".webp"), path.with_suffix(".webp")
        width, height = size_of(path)
        return f'<img width="{width}" height="{height}" loading="lazy"{start}{name}{end}'

    return re.sub(rf'<img([^>]*src="[^"]*_images/)({DRAWN}\.(?:png|svg))("[^>]*>)', placed, html)


def shrink_pictures(images):
    """Store rasters in a palette, without dither; those with more colours than it has as WebP, which loses little."""
    for path in [path for path in images.glob("*.png") if re.fullmatch(DRAWN, path.stem)]:
        with Image.open(path) as picture:
            flat = picture.convert("RGB")
        if flat.getcolors(MOST_COLOURS):
            flat.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
        else:
            flat.save(path.with_suffix(".webp"), quality=QUALITY, method=6)
            path.unlink()


def setup(app):
    app.add_transform(ExplorersAreFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
