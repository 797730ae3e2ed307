"""Reduce web fonts to the characters that the pages use, small enough to be embedded in the style sheet."""

import base64
import io
import re
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont

from tools.site.npm import node_modules

LAYOUT = {  # in thousandths of the font size, where TeX differs from the font
    "SubscriptBaselineDropMin": -50,  # subscripts of x and y at the same height
    "SuperscriptBaselineDropMax": 386,
    "FractionNumeratorShiftUp": 394,
    "FractionDenominatorShiftDown": 345,
    "AccentBaseHeight": 560,
}
FACES = {  # the weights and styles in use; browsers slant and thicken the few letters of other styles themselves
    "Source Serif 4": [(400, "normal"), (400, "italic"), (600, "normal")],
    "Source Sans 3": [(400, "normal"), (600, "normal")],
    "Source Code Pro": [(400, "normal")],
}
FEATURES = ("kern", "liga", "mark", "tnum")
ROOT_HEIGHTS = (930, 1300, 1900, 2900)  # of the root signs in TeX, in thousandths of the font size
ITALICS = ["ℎ", *(s for s in map(chr, range(0x1D434, 0x1D71C)) if "MATHEMATICAL ITALIC" in unicodedata.name(s, ""))]


def embedded(font, characters, features=()):
    """A `src` for the style sheet that contains the font itself, reduced to the given characters."""
    options = subset.Options(flavor="woff2", layout_features=list(features), hinting=False)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(characters)))
    cutter.subset(font)
    file = io.BytesIO()
    subset.save_font(font, file, options)
    return f'url("data:font/woff2;base64,{base64.b64encode(file.getvalue()).decode()}") format("woff2")'


def characters_of_formulas(pages):
    """The characters of formulas, the root sign, and the italic forms in which a browser shows single letters."""
    formulas = "".join(formula for page in pages for formula in re.findall("<math.*?</math>", page, re.DOTALL))
    characters = {"√", *re.sub("<[^>]*>", "", formulas)}
    return characters | {italic for italic in ITALICS if unicodedata.normalize("NFKC", italic) in characters}


def reshape(font, name, wide=1, high=1, raised=0):
    """Move a glyph up, and then scale it."""
    glyph, (advance, bearing) = font["glyf"][name], font["hmtx"][name]
    glyph.coordinates.translate((0, raised))
    glyph.coordinates.scale((wide, high))
    glyph.coordinates.toInt()
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (round(advance * wide), round(bearing * wide))


def lower_prime(font):
    """Draw the prime as TeX does, large and on the line, since browsers set it in an exponent and so make it small."""
    constants, name = font["MATH"].table.MathConstants, font.getBestCmap()[ord("′")]
    size = constants.ScriptPercentScaleDown / 100
    reshape(font, name, 1 / size, 1 / size, -constants.SuperscriptShiftUp.Value)
    advance, bearing = font["hmtx"][name]
    font["hmtx"][name] = (round(0.8 * advance), round(0.5 * bearing))  # two make one double prime


def shape_roots(font):
    """Give root signs the heights that they have in TeX, and all of them the width of the smallest.

    Chromium lets a root sign that is too high hang below the line, and leaves room for the widest one after any root.
    """
    variants, root = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    signs = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    for record, height in zip(signs.MathGlyphVariantRecord, ROOT_HEIGHTS, strict=True):
        reshape(font, record.VariantGlyph, high=height / record.AdvanceMeasurement)
        record.AdvanceMeasurement = height
    larger = {record.VariantGlyph for record in signs.MathGlyphVariantRecord} - {root}
    width = font["hmtx"][root][0]
    for name in larger | {part.glyph for part in signs.GlyphAssembly.PartRecords}:
        reshape(font, name, wide=width / font["hmtx"][name][0])


def fonts_of_text(pages):
    """The faces of text, headings and code. Greek letters are in files of their own."""
    used = {*"".join(re.sub("<(math|script|svg).*?</\\1>|<[^>]*>", "", page, flags=re.DOTALL) for page in pages)}
    rules = []
    for family, styles in FACES.items():
        folder = node_modules() / "@fontsource" / family.lower().replace(" ", "-")
        for weight, style in styles:
            for script in ("latin", "greek"):
                font = TTFont(folder / "files" / f"{folder.name}-{script}-{weight}-{style}.woff2")
                if characters := used & {*map(chr, font.getBestCmap())}:
                    codes = ",".join(f"U+{ord(character):X}" for character in sorted(characters))
                    rules.append(
                        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
                        "font-display: optional; "  # text does not move once it is there
                        f"src: {embedded(font, characters, FEATURES)}; unicode-range: {codes}; }}"
                    )
        rules.insert(0, f"/* {(folder / 'LICENSE').read_text(encoding='utf-8').partition(chr(10))[0]}; OFL-1.1 */")
    return "\n".join(rules) + "\n"


def font_of_formulas(pages):
    folder = node_modules() / "@fontsource" / "stix-two-math"
    font = TTFont(folder / "files" / "stix-two-math-latin-400-normal.woff2")
    for constant, value in LAYOUT.items():
        getattr(font["MATH"].table.MathConstants, constant).Value = value
    lower_prime(font)
    shape_roots(font)
    notice = (folder / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    source = embedded(font, characters_of_formulas(pages))
    rule = f"@font-face {{ font-family: Formulas; font-display: optional; src: {source}; }}"
    return f"/* {notice}; SIL Open Font License 1.1 */\n{rule}\n"


def with_font_of_icons(css, font):
    """The style sheet with only the icons that it uses embedded, in place of the address of a font with 1400 icons."""
    codes = re.findall(r'content:"\\([ef][0-9a-f]{3})"', css)
    icons = {chr(int(code, 16)) for code in codes} | set(re.findall("[\ue000-\uf8ff]", css))
    return re.sub(r'url\([^)]*/fa-solid-900.*?"truetype"\)', lambda _: embedded(TTFont(font), icons), css)
