"""Prepare figures: number explorers like other figures, shrink pictures, and reserve their place on the page."""

import hashlib
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from PIL import Image
from sphinx.transforms import SphinxTransform

PIXELS_PER_INCH = 100  # as in the book's style
MAX_RASTER_COLOURS = 5000  # a raster with no more colours, soft edges of letters included, is stored with a palette
PALETTE_SIZE = 64
WEBP_QUALITY = 85  # of all other rasters
DRAWN_FILE = r"[0-9a-f]{64}\.(?:png|svg)"  # the file name that myst-nb gives to a drawn figure
EXPLORER = re.compile(
    r'<figure class="explorer" id="([^"]+)">(.*)<figcaption>(.*?)</figcaption>(.*)</figure>', re.DOTALL
)
FIRST_PICTURE = re.compile(r'src="data:image/svg\+xml,([^"]*)"')
FRAMES = re.compile(r'<script class="explorer-frames">(.*?)</script>', re.DOTALL)


class ExplorersAreFigures(SphinxTransform):
    """Make an explorer a figure of the document, with a number and a name that the text can refer to.

    Its first picture and its frames become files beside the page. The browser fetches the frames when the reader comes
    near.
    """

    default_priority = 200  # before Sphinx names the figures that have no name

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
        """Write picture and frames as files; return the body with their addresses and the script without frames."""
        images = Path(self.app.outdir) / "_images"
        images.mkdir(parents=True, exist_ok=True)
        here = "../" * self.env.docname.count("/") + "_images"
        (images / f"{name}.svg").write_text(unquote(FIRST_PICTURE.search(body)[1]), encoding="utf-8")
        addresses = f'src="{here}/{name}.svg"'
        if frames := FRAMES.search(script):  # figures with movable points have none
            version = hashlib.sha256(frames[1].encode()).hexdigest()[:8]
            (images / f"{name}.js").write_text(frames[1], encoding="utf-8")
            addresses += f' data-frames="{here}/{name}.js?{version}"'
        return FIRST_PICTURE.sub(addresses, body), FRAMES.sub("", script)


def drawn_pictures(images):
    """Shrink each figure that a cell drew; return its new file name, width and height on the page by its old name.

    Rasters with few colours are stored with a palette, without dithering; others as WebP, which loses little.
    """
    found = {}
    for path in [path for path in images.iterdir() if re.fullmatch(DRAWN_FILE, path.name)]:
        size, small = size_of(path), path
        if path.suffix == ".png":
            with Image.open(path) as picture:
                flat, dpi = picture.convert("RGB"), picture.info.get("dpi")
            if flat.getcolors(MAX_RASTER_COLOURS):
                palette = flat.quantize(PALETTE_SIZE, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
                palette.save(path, optimize=True, dpi=dpi)
            else:
                small = path.with_suffix(".webp")
                flat.save(small, quality=WEBP_QUALITY, method=6)
                path.unlink()
        found[path.name] = (small.name, *size)
    return found


def size_of(path):
    """Width and height of a picture on the page in pixels: from its size in inches, or else its own pixels."""
    if path.suffix == ".svg":
        sides = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', path.read_text(encoding="utf-8"))
        return [round(float(side) / 72 * PIXELS_PER_INCH) for side in sides.groups()]
    with Image.open(path) as picture:
        densities = picture.info.get("dpi", (PIXELS_PER_INCH, PIXELS_PER_INCH))
        return [round(side / density * PIXELS_PER_INCH) for side, density in zip(picture.size, densities, strict=True)]


def place_pictures(html, drawn):
    """Reserve the space of every drawn figure, and let the browser load it when the reader comes near."""

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
