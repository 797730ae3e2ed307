"""Web fonts with the signs that the pages use and no others, small enough to stand in the style sheet itself."""

import base64
import io
import re
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont
from npm import node_modules

FEATURES = ["ssty", "dtls", "flac", "ss04"]  # smaller signs in scripts, letters under accents, primes
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
    """What stands in formulas, and the italic forms in which a browser shows single letters."""
    formulas = "".join(formula for page in pages for formula in re.findall("<math.*?</math>", page, re.DOTALL))
    signs = set(re.sub("<[^>]*>", "", formulas))
    return signs | {sign for sign in ITALICS if unicodedata.normalize("NFKC", sign) in signs}


def font_of_formulas(pages):
    folder = node_modules() / "@fontsource" / "stix-two-math"
    font = TTFont(folder / "files" / "stix-two-math-latin-400-normal.woff2")
    # TeX lowers a subscript for what hangs below its nucleus, but not below a single letter: x and y have theirs alike.
    font["MATH"].table.MathConstants.SubscriptBaselineDropMin.Value = -50
    notice = (folder / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    source = embedded(font, signs_of_formulas(pages))
    return f"/* {notice}; SIL Open Font License 1.1 */\n@font-face {{ font-family: Formulas; src: {source}; }}\n"


def with_font_of_icons(css, font):
    """The theme's style sheet with the icons that it names in it, in place of the address of 1400."""
    codes = re.findall(r'content:"\\([ef][0-9a-f]{3})"', css)
    signs = {chr(int(code, 16)) for code in codes} | set(re.findall("[\ue000-\uf8ff]", css))
    return re.sub(r'url\([^)]*/fa-solid-900.*?"truetype"\)', lambda _: embedded(TTFont(font), signs), css)
