"""Web fonts with the signs that the pages use and no others, small enough to stand in the style sheet itself."""

import base64
import io
import re
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont
from npm import node_modules

LAYOUT = {  # thousandths of the size, where TeX differs from the font
    "SubscriptBaselineDropMin": -50,  # not lower for a letter that hangs below the line: x and y have theirs alike
    "SuperscriptBaselineDropMax": 386,
    "FractionNumeratorShiftUp": 394,
    "FractionDenominatorShiftDown": 345,
    "AccentBaseHeight": 560,
}
FEATURES = ["ssty", "dtls", "flac"]  # signs for scripts, letters and accents for each other
ITALICS = ["ℎ", *(s for s in map(chr, range(0x1D434, 0x1D71C)) if "MATHEMATICAL ITALIC" in unicodedata.name(s, ""))]


def embedded(font, signs):
    """A source for the style sheet that is the font itself, with the glyphs of the signs."""
    options = subset.Options(flavor="woff2", layout_features=FEATURES, hinting=False)
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


def lower_prime(font):
    """Draw the prime as TeX does: large and on the line, since it stands in an exponent, where it is set small."""
    constants, name = font["MATH"].table.MathConstants, font.getBestCmap()[ord("′")]
    size, raised = constants.ScriptPercentScaleDown / 100, constants.SuperscriptShiftUp.Value
    glyph, (advance, bearing) = font["glyf"][name], font["hmtx"][name]
    glyph.coordinates.translate((0, -raised))
    glyph.coordinates.scale((1 / size, 1 / size))
    glyph.coordinates.toInt()
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (round(advance / size), round(bearing / size))


def narrow_roots(font):
    """Make larger root signs as wide as the smallest: Chromium leaves room for the widest after any root."""
    variants, root = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    root_variants = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    larger = {record.VariantGlyph for record in root_variants.MathGlyphVariantRecord} - {root}
    larger |= {part.glyph for part in root_variants.GlyphAssembly.PartRecords}
    width = font["hmtx"][root][0] + 100
    for name in larger:
        advance, bearing = font["hmtx"][name]
        glyph = font["glyf"][name]
        glyph.coordinates.scale((width / advance, 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (width, round(bearing * width / advance))


def font_of_formulas(pages):
    folder = node_modules() / "@fontsource" / "stix-two-math"
    font = TTFont(folder / "files" / "stix-two-math-latin-400-normal.woff2")
    for constant, value in LAYOUT.items():
        getattr(font["MATH"].table.MathConstants, constant).Value = value
    lower_prime(font)
    narrow_roots(font)
    notice = (folder / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    source = embedded(font, signs_of_formulas(pages))
    return f"/* {notice}; SIL Open Font License 1.1 */\n@font-face {{ font-family: Formulas; src: {source}; }}\n"


def with_font_of_icons(css, font):
    """The theme's style sheet with the icons that it names in it, in place of the address of 1400."""
    codes = re.findall(r'content:"\\([ef][0-9a-f]{3})"', css)
    signs = {chr(int(code, 16)) for code in codes} | set(re.findall("[\ue000-\uf8ff]", css))
    return re.sub(r'url\([^)]*/fa-solid-900.*?"truetype"\)', lambda _: embedded(TTFont(font), signs), css)
