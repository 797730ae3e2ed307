"""Figures: explorers among them and numbered like them, sharp on every screen, with their place kept."""

import hashlib
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from PIL import Image
from sphinx.transforms import SphinxTransform

INCH = 100  # pixels of the page, as in the book's style
COLOURS = 64  # of a raster's palette,
QUALITY = 85  # of a raster with more
MOST_COLOURS = 5000  # if it has no more than these, its letters' soft edges among them
DRAWN = r"[0-9a-f]{64}\.(?:png|svg)"  # the name that myst-nb gives to what a cell drew
EXPLORER = re.compile(
    r'<figure class="explorer" id="([^"]+)">(.*)<figcaption>(.*?)</figcaption>(.*)</figure>', re.DOTALL
)
FIRST = re.compile(r'src="data:image/svg\+xml,([^"]*)"')
FRAMES = re.compile(r'<script class="explorer-frames">(.*?)</script>', re.DOTALL)


class ExplorersAreFigures(SphinxTransform):
    """Make an explorer one of the document's figures: it is numbered with them, and the text can refer to its name.

    Its first picture and its frames become files beside the page; a browser fetches the frames when the reader is near.
    """

    default_priority = 200  # before Sphinx gives figures without a name one

    def apply(self, **_):
        for raw in list(self.document.findall(nodes.raw)):
            if found := EXPLORER.search(raw.astext()):
                name, body, caption, script = found.groups()
                body, script = self.files_beside(name, body, script)
                raw.clear()
                raw += nodes.Text(f'<div class="explorer-body">{body}{script}</div>')
                bundle = raw.parent.parent
                figure = nodes.figure(ids=[name], names=[name], classes=["explorer"])
                bundle.replace_self(figure)
                figure += [bundle, nodes.caption("", unescape(caption))]
                self.document.note_explicit_target(figure)

    def files_beside(self, name, body, script):
        """The body with the address of the first picture, and the script with that of the frames."""
        images = Path(self.app.outdir) / "_images"
        images.mkdir(parents=True, exist_ok=True)
        here = "../" * self.env.docname.count("/") + "_images"
        (images / f"{name}.svg").write_text(unquote(FIRST.search(body)[1]), encoding="utf-8")
        addresses = f'src="{here}/{name}.svg"'
        if frames := FRAMES.search(script):  # where points are moved, there are none
            version = hashlib.sha256(frames[1].encode()).hexdigest()[:8]
            (images / f"{name}.js").write_text(frames[1], encoding="utf-8")
            addresses += f' data-frames="{here}/{name}.js?{version}"'
        return FIRST.sub(addresses, body), FRAMES.sub("", script)


def drawn_pictures(images):
    """For each figure that a cell drew: the name of its file, made small, and its width and height on the page.

    Rasters are stored in a palette, without dither; those with more colours than it has as WebP, which loses little.
    """
    found = {}
    for path in [path for path in images.iterdir() if re.fullmatch(DRAWN, path.name)]:
        size, small = size_of(path), path
        if path.suffix == ".png":
            with Image.open(path) as picture:
                flat, dpi = picture.convert("RGB"), picture.info.get("dpi")
            if flat.getcolors(MOST_COLOURS):
                palette = flat.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
                palette.save(path, optimize=True, dpi=dpi)
            else:
                small = path.with_suffix(".webp")
                flat.save(small, quality=QUALITY, method=6)
                path.unlink()
        found[path.name] = (small.name, *size)
    return found


def size_of(path):
    """How wide and high a picture is on the page, in pixels: what it says in inches, or its own pixels."""
    if path.suffix == ".svg":
        sides = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', path.read_text(encoding="utf-8"))
        return [round(float(side) / 72 * INCH) for side in sides.groups()]
    with Image.open(path) as picture:
        densities = picture.info.get("dpi", (INCH, INCH))
        return [round(side / density * INCH) for side, density in zip(picture.size, densities, strict=True)]


def place_pictures(html, drawn):
    """Keep a place of its size for every drawn figure, and fetch it when the reader comes near it."""

    def placed(tag):
        start, name, end = tag.groups()
        if name not in drawn or re.search(" width=", re.sub('"[^"]*"', "", tag[0])):
            return tag[0]
        file, width, height = drawn[name]
        return f'<img width="{width}" height="{height}" loading="lazy"{start}{file}{end}'

    return re.sub(r'<img([^>]*src="[^"]*_images/)([^"]*)("[^>]*>)', placed, html)


def setup(app):
    app.add_transform(ExplorersAreFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
