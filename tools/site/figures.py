"""Prepare figures: number explorers like other figures, set drawings into the page, and shrink the images inside."""

import base64
import hashlib
import io
import re
from functools import partial
from html import unescape
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.transforms import SphinxTransform

from kernelbook.plotting.pictures import FOR_PHONES, in_page, named_apart

PALETTE_SIZE = 64
MAX_RASTER_COLOURS = 5000  # an image with no more colours, soft edges of letters included, is stored with a palette
WEBP_QUALITY = 85  # of all other images
DRAWN_FILE = r"[0-9a-f]{64}\.svg"  # the file name that myst-nb gives to a drawn figure
LETTER = "[A-Z][A-Za-z]*-"  # how Matplotlib's ids of outlines begin: DejaVuSans-41
IMAGE = re.compile(r'"data:image/png;base64,([^"]*)"')
KEPT_FOR_PHONES = re.compile(FOR_PHONES.format("(.*)"), re.DOTALL)
EXPLORER = re.compile(
    r'<figure class="explorer" id="([^"]+)">(.*)<figcaption>(.*?)</figcaption>(.*)</figure>', re.DOTALL
)
FRAMES = re.compile(r'<script class="explorer-frames">(.*?)</script>', re.DOTALL)


class ExplorersAreFigures(SphinxTransform):
    """Make an explorer a figure of the document, with a number and a name that the text can refer to.

    Its frames become files beside the page. The browser fetches them when the reader comes near.
    """

    default_priority = 200  # before Sphinx names the figures that have no name

    def apply(self, **_):
        for raw in list(self.document.findall(nodes.raw)):
            if found := EXPLORER.search(raw.astext()):
                name, body, caption, script = found.groups()
                body, script = self.frames_beside(name, body, script)
                raw.clear()
                raw += nodes.Text(f'<div class="explorer-body">{body}{script}</div>')
                bundle = raw.parent.parent
                figure = nodes.figure(ids=[name], names=[name], classes=["explorer"])
                bundle.replace_self(figure)
                figure += [bundle, nodes.caption("", unescape(caption))]
                self.document.note_explicit_target(figure)

    def frames_beside(self, name, body, script):
        """Write the frames as files; return the body with their addresses and the script without frames."""
        images = Path(self.app.outdir) / "_images"
        images.mkdir(parents=True, exist_ok=True)
        here = "../" * self.env.docname.count("/") + "_images"
        addresses = []
        for i, frames in enumerate(FRAMES.findall(script)):  # figures with movable points have none
            version = hashlib.sha256(frames.encode()).hexdigest()[:8]
            file = f"{name}-phone.js" if i else f"{name}.js"
            (images / file).write_text(frames, encoding="utf-8")
            addresses.append(f"{here}/{file}?{version}")
        if addresses:
            picture = '<div class="explorer-picture"'
            body = body.replace(picture, f'{picture} data-frames="{" ".join(addresses)}"', 1)
        return body, FRAMES.sub("", script)


class OpeningFigure(SphinxTransform):
    """Show the figure of the cell that has the tag "opening" under the title of the page.

    The first page of the book has a place of its own for it.
    """

    default_priority = 260  # after explorers have become figures

    def apply(self, **_):
        cells = [cell for cell in self.document.findall(nodes.container) if "tag_opening" in cell["classes"]]
        for figure in [figure for cell in cells for figure in cell.findall(nodes.figure)]:
            if self.env.docname == self.config.root_doc:
                return
            self.remove(figure)
            figure["classes"].append("opening")
            title = next(self.document.findall(nodes.title))
            title.parent.insert(title.parent.index(title) + 1, figure)
            return

    def remove(self, node):
        """Remove the node, and the output around it if nothing else is in it."""
        parent = node.parent
        parent.remove(node)
        if not parent.children and parent.get("nb_element") != "cell_code":
            self.remove(parent)


def drawn_pictures(images):
    """For each figure that a cell drew its pictures: one for all screens, or one for desks and one for phones.

    An image inside a picture becomes a file, which the browser loads beside the page.
    """
    found = {}
    for path in [path for path in images.iterdir() if re.fullmatch(DRAWN_FILE, path.name)]:
        pictures = by_screen(path.read_text(encoding="utf-8"))
        found[path.name] = [IMAGE.sub(partial(as_file, images), picture) for picture in pictures]
        path.unlink()
    return found


def by_screen(svg):
    """The picture for all screens; or one for desks and one for phones, where the SVG keeps that as metadata."""
    return [KEPT_FOR_PHONES.sub("", svg), *KEPT_FOR_PHONES.findall(svg)]


def as_file(images, found):
    """Write an image into a file; return its name, in quotes."""
    kind, data = smaller(base64.b64decode(found[1]))
    name = f"{hashlib.sha256(data).hexdigest()[:16]}.{kind}"
    (images / name).write_bytes(data)
    return f'"{name}"'


def smaller(data):
    """An image in fewer bytes, and its kind: with a palette, without dithering, if it has few colours; or as WebP."""
    with Image.open(io.BytesIO(data)) as image:
        image, file, kind = image.convert("RGBA"), io.BytesIO(), "png"
        if image.getcolors(MAX_RASTER_COLOURS):
            image = image.quantize(PALETTE_SIZE, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            image.save(file, "png", optimize=True)
        else:
            kind = "webp"
            image.save(file, "webp", quality=WEBP_QUALITY, method=6)
    return (kind, file.getvalue()) if len(file.getvalue()) < len(data) else ("png", data)


def place_pictures(html, drawn):
    """Set every figure that a cell drew into its page, whose colours it takes."""

    def placed(tag):
        address = re.search(rf'src="([^"]*_images/)({DRAWN_FILE})"', tag[0])
        if address is None or address[2] not in drawn:
            return tag[0]
        folder, file = address.groups()
        pictures = [re.sub(r'(<image[^>]* href=")', rf"\g<1>{folder}", picture) for picture in drawn[file]]
        alt = unescape(found[1]) if (found := re.search(r' alt="([^"]*)"', tag[0])) else ""
        return drawing(pictures, file[:8], alt)

    return share_letters(re.sub(r"<img[^>]*>", placed, html))


def drawing(pictures, name, alt):
    """The pictures, one for all screens, or one for desks and one for phones, as elements of a page."""
    screens = ("drawn for-desks", "drawn for-phones") if len(pictures) > 1 else ("drawn",)
    return "".join(
        in_page(named_apart(picture, f"{name}-{i}", kept=LETTER), alt, screen)
        for i, (picture, screen) in enumerate(zip(pictures, screens, strict=True))
    )


def share_letters(html):
    """The page with one outline of each letter for all of its drawings, where each drawing has brought its own."""
    outlines = {}

    def taken(found):
        outlines[found[1]] = found[0]
        return ""

    html = re.sub(rf'<path id="({LETTER}[^"]*)"[^>]*/>', taken, html)
    html = re.sub(r"<defs>\s*</defs>\s*", "", html)
    shared = f'<svg class="letters" aria-hidden="true"><defs>{"".join(outlines.values())}</defs></svg>'
    return html.replace("</body>", f"{shared}</body>", 1) if outlines else html


def setup(app):
    app.add_transform(ExplorersAreFigures)
    app.add_transform(OpeningFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
