"""Web fonts with the signs that the pages use and no others, small enough to stand in the style sheet itself."""

import base64
import io
import re
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont

from tools.site.npm import node_modules

LAYOUT = {  # thousandths of the size, where TeX differs from the font
    "SubscriptBaselineDropMin": -50,  # not lower for a letter that hangs below the line: x and y have theirs alike
    "SuperscriptBaselineDropMax": 386,
    "FractionNumeratorShiftUp": 394,
    "FractionDenominatorShiftDown": 345,
    "AccentBaseHeight": 560,
}
ROOTS = (930, 1300, 1900, 2900)  # heights
ITALICS = ["ℎ", *(s for s in map(chr, range(0x1D434, 0x1D71C)) if "MATHEMATICAL ITALIC" in unicodedata.name(s, ""))]


def embedded(font, signs):
    """A source for the style sheet that is the font itself, with the glyphs of the signs."""
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(signs)))
    cutter.subset(font)
    file = io.BytesIO()
    subset.save_font(font, file, options)
    return f'url("data:font/woff2;base64,{base64.b64encode(file.getvalue()).decode()}") format("woff2")'


def signs_of_formulas(pages):
    """What stands in formulas, the root, and the italic forms in which a browser shows single letters."""
    formulas = "".join(formula for page in pages for formula in re.findall("<math.*?</math>", page, re.DOTALL))
    signs = {"√", *re.sub("<[^>]*>", "", formulas)}
    return signs | {sign for sign in ITALICS if unicodedata.normalize("NFKC", sign) in signs}


def reshape(font, name, wide=1, high=1, raised=0):
    """Move a glyph up, and then scale it."""
    glyph, (advance, bearing) = font["glyf"][name], font["hmtx"][name]
    glyph.coordinates.translate((0, raised))
    glyph.coordinates.scale((wide, high))
    glyph.coordinates.toInt()
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (round(advance * wide), round(bearing * wide))


def lower_prime(font):
    """Draw the prime as TeX does: large and on the line, since it stands in an exponent, where it is set small."""
    constants, name = font["MATH"].table.MathConstants, font.getBestCmap()[ord("′")]
    size = constants.ScriptPercentScaleDown / 100
    reshape(font, name, 1 / size, 1 / size, -constants.SuperscriptShiftUp.Value)
    advance, bearing = font["hmtx"][name]
    font["hmtx"][name] = (round(0.8 * advance), round(0.5 * bearing))  # two make one double prime


def shape_roots(font):
    """Give root signs the heights that TeX has, and all of them the width of the smallest.

    Chromium lets a sign that is too high hang below the line, and leaves room for the widest after any root.
    """
    variants, root = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    signs = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    for record, height in zip(signs.MathGlyphVariantRecord, ROOTS, strict=True):
        reshape(font, record.VariantGlyph, high=height / record.AdvanceMeasurement)
        record.AdvanceMeasurement = height
    larger = {record.VariantGlyph for record in signs.MathGlyphVariantRecord} - {root}
    width = font["hmtx"][root][0]
    for name in larger | {part.glyph for part in signs.GlyphAssembly.PartRecords}:
        reshape(font, name, wide=width / font["hmtx"][name][0])


def font_of_formulas(pages):
    folder = node_modules() / "@fontsource" / "stix-two-math"
    font = TTFont(folder / "files" / "stix-two-math-latin-400-normal.woff2")
    for constant, value in LAYOUT.items():
        getattr(font["MATH"].table.MathConstants, constant).Value = value
    lower_prime(font)
    shape_roots(font)
    notice = (folder / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    source = embedded(font, signs_of_formulas(pages))
    return f"/* {notice}; SIL Open Font License 1.1 */\n@font-face {{ font-family: Formulas; src: {source}; }}\n"


def with_font_of_icons(css, font):
    """The theme's style sheet with the icons that it names in it, in place of the address of 1400."""
    codes = re.findall(r'content:"\\([ef][0-9a-f]{3})"', css)
    signs = {chr(int(code, 16)) for code in codes} | set(re.findall("[\ue000-\uf8ff]", css))
    return re.sub(r'url\([^)]*/fa-solid-900.*?"truetype"\)', lambda _: embedded(TTFont(font), signs), css)
