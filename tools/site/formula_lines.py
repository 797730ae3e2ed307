"""Write a formula of the site, which is MathML, as a line of text: (X⊤X + λI)⁻¹, x̂ = Σⱼ αⱼ k(x, xⱼ).

Signs that Unicode has as small ones are raised or lowered; others follow ^ or _.
"""

import re
import unicodedata
from xml.etree import ElementTree

from tools.site.mathml import APPLIED, OPERATIONS, RELATIONS

RAISED = dict(
    zip("0123456789+−=()abcdefghijklmnoprstuvwxyzT⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵀ", strict=True)
)
LOWERED = dict(zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
STANDS_HIGH = set("′″*∗†")
ACCENTS = {"ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303", "ˉ": "\u0304", "¯": "\u0304", "‾": "\u0304"}
BRACES = set("⏟⏞")
SMALL = {"Lm", "No", "Mn"}  # categories of raised and lowered letters, of such digits, of accents
SPACED = RELATIONS | (OPERATIONS - set("⋅"))


def formula_line(html: str) -> str:
    """The line of text for a <math> element."""
    text = line(ElementTree.fromstring(html.replace("&nbsp;", " ")))
    text = re.sub(rf"{APPLIED}+(?=\s*[(\[{{]|\W?$)\s*", "", text).replace(APPLIED, " ")
    return re.sub(r" (?=[,.;:)\]])", "", " ".join(text.split()))


def line(element) -> str:
    if element.get("linethickness") == "0px":
        return "({} choose {})".format(*map(line, element))
    rule = None if "tml-jot" in element.get("class", "") else RULES.get(element.tag)  # its rows are one formula
    return rule(*element) if rule else row(element)


def row(element) -> str:
    if not len(element):
        return sign(element)
    parts = "".join(map(line, element))
    return f" {parts} " if element.tag == "mtr" else parts


def sign(element) -> str:
    text = (element.text or "").replace(APPLIED, "")
    if element.tag == "mspace":
        return " " if float(element.get("width", "0em").removesuffix("em")) > 0 else ""
    wide = text in SPACED or element.get("lspace") == "0.2778em"  # as that of a colon in {x : x > 0}
    if element.tag == "mo" and wide and element.get("form") != "prefix":
        return f" {text} "
    if element.tag == "mo" and element.get("separator"):
        return f"{text} "
    return text + APPLIED if element.tag in ("mi", "mo") and len(text) > 1 and text.isalpha() else text


def bare(element) -> str:
    return re.sub(rf"[\s{APPLIED}]+", "", line(element))


def script(element, small: dict, mark: str) -> str:
    text = bare(element)
    if set(text) <= set(small) and not re.search("[a-z]{3}", text):
        return "".join(small[letter] for letter in text)
    return text if mark == "^" and set(text) <= STANDS_HIGH else mark + grouped(text)


def grouped(text: str) -> str:
    """The text in brackets, unless it is one sign, number or word, with scripts or not, or has brackets already."""
    core = "".join(letter for letter in text if unicodedata.category(letter) not in SMALL and letter not in STANDS_HIGH)
    return text if re.fullmatch(r"∂?.|\d+|[a-z]{3,}|\([^()]*\)", core) else f"({text})"


def raised(base, above) -> str:
    return line(base).rstrip() + script(above, RAISED, "^")


def lowered(base, below) -> str:
    if bare(below) in BRACES:
        return line(base)
    start = line(base)
    return start.rstrip(f" {APPLIED}") + script(below, LOWERED, "_") + start[len(start.rstrip(f" {APPLIED}")) :]


def both(base, below, above) -> str:
    return line(base).rstrip() + script(below, LOWERED, "_") + script(above, RAISED, "^")


def accented(base, above) -> str:
    text, accent = line(base), bare(above)
    if accent in BRACES:
        return text
    return text[:1] + ACCENTS[accent] + text[1:] if accent in ACCENTS else raised(base, above)


def fraction(above, below) -> str:
    return f"{grouped(line(above).strip())}/{grouped(line(below).strip())} "


def root(*inside) -> str:
    return "√" + grouped("".join(map(line, inside)).strip())


def table(*rows) -> str:
    return "; ".join(" ".join(map(line, cells)) for cells in rows)


RULES = {
    "msup": raised,
    "msub": lowered,
    "msubsup": both,
    "mover": accented,
    "munder": lowered,
    "munderover": both,
    "mfrac": fraction,
    "msqrt": root,
    "mtable": table,
}
