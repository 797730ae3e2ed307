"""Formulas as the build makes them: in pieces, with the signs where TeX puts them."""

import base64
import io
import re
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from tools.site.fonts import LAYOUT, font_of_formulas
from tools.site.mathml import mathml


def shown(formula, display=False):
    """The pieces between which a line may end, as text."""
    math = mathml(formula, display)
    return ["".join(piece.itertext()) for piece in (math if "breaks" in math.get("class", "") else [math])]


def operators(formula, **attributes):
    return [mo for mo in mathml(formula, True).iter("mo") if attributes.items() <= mo.attrib.items()]


def test_a_display_breaks_before_what_joins_and_the_text_after_it():
    formula = r"f(x_j) = \sum_i \alpha_i k(x_i, x_j) + b"
    assert shown(formula, display=True) == ["f(xj)", "=∑iαik(xi,xj)", "+b"]
    assert shown(formula) == ["f(xj)=", "∑iαik(xi,xj)+", "b"]


def test_no_line_ends_before_the_indentation():
    assert shown(r"f(x) = a + b", display=True) == ["f(x)=a", "+b"]


def test_a_short_formula_stays_whole_in_the_text():
    assert shown("x = y + 1") == ["x=y+1"]


def test_statements_part_before_they_break():
    math = mathml(r"vwxyz = b, \qquad abcde = d + e", True)
    assert math.get("class") == "breaks statements"
    assert ["".join(statement.itertext()) for statement in math] == ["vwxyz=b,", "abcde=d+e"]
    assert [len(statement) for statement in math] == [2, 3]


def test_cells_of_an_aligned_formula_break():
    cells = mathml(r"\begin{aligned} f &= \sum_i a_i + b \\ &\le c \end{aligned}", True).findall(".//mtd")
    assert [["".join(piece.itertext()) for piece in cell] for cell in cells] == [["f"], ["=∑iai", "+b"], [""], ["≤c"]]


def test_an_operator_keeps_its_space_beside_text_and_at_the_edge_of_a_piece():
    math = mathml(r"abcde = \text{const} + 1", True)
    assert [piece[-1].tag for piece in math] == ["mi", "mi", "mn"]
    assert [mo.get("form") for mo in math.iter("mo")] == ["infix", "infix"]


def test_a_sign_after_a_bracket_stands_close():
    assert [mo.text for mo in operators(r"\exp\big(-x\big) - 1", form="prefix", rspace="0em")] == ["−"]
    assert [mo.text for mo in operators(r"k(x, \cdot)", lspace="0em", rspace="0em")] == ["⋅"]


JOINING = [
    "=",
    r"\ne",
    r"\equiv",
    r"\approx",
    r"\simeq",
    r"\sim",
    "<",
    ">",
    r"\le",
    r"\ge",
    r"\ll",
    r"\gg",
    r"\preceq",
    r"\succeq",
    r"\in",
    r"\notin",
    r"\subset",
    r"\subseteq",
    r"\supset",
    r"\to",
    r"\mapsto",
    r"\Rightarrow",
    r"\Leftrightarrow",
    r"\implies",
    r"\iff",
    r"\propto",
    "+",
    "-",
    r"\pm",
    r"\cdot",
    r"\times",
    r"\cup",
    r"\cap",
    r"\circ",
    r"\oplus",
    r"\otimes",
]


@pytest.mark.parametrize("sign", JOINING)
def test_a_line_may_end_at_every_sign_that_joins(sign):
    assert [len(piece) for piece in shown(f"abcde {sign} fghij", display=True)] == [5, 6]
    scripts = mathml(f"x_{{a {sign} b}}", True)
    assert [(mo.get("lspace"), mo.get("rspace")) for mo in scripts.iter("mo")] == [("0em", "0em")]


def test_what_else_parts_a_display_and_what_does_not():
    assert shown("abcde, fghij", display=True) == ["abcde,", "fghij"]
    assert shown(r"\mathrm{P}(abc | de) = f + g", display=True) == ["P(abc|de)", "=f", "+g"]
    assert len(mathml(r"abcde = f \quad ghijk = l", True)) == 2
    assert mathml(r"abcde = f \; ghijk = l", True).get("class") == "breaks"
    assert shown("abcdef = ghijklm") == ["abcdef=ghijklm"]
    assert len(shown("abcdefghi = jklmnopq")) == 2


@pytest.mark.parametrize("brackets", [r"()", r"[]", r"\{\}", r"\langle\rangle", r"\lceil\rceil", r"\lfloor\rfloor"])
def test_every_bracket_is_one(brackets):
    half = len(brackets) // 2
    opening, closing = brackets[:half], brackets[half:]
    if brackets == r"\langle\rangle":
        opening, closing = r"\langle ", r"\rangle"
    math = mathml(f"{opening} -x {closing}^2", True)
    (minus,) = [mo for mo in math.iter("mo") if mo.text == "−"]
    assert (minus.get("form"), minus.get("rspace")) == ("prefix", "0em")
    (scripts,) = math.iter("msup")
    assert len("".join(scripts[0].itertext())) == 1


def test_a_bracket_that_grows_keeps_its_exponent_at_its_height():
    (scripts,) = mathml(r"\left(\frac{a}{b}\right)^2", True).iter("msup")
    assert scripts[0].tag == "mrow"


@pytest.mark.parametrize("large", [r"\sum", r"\prod", r"\int", r"\bigcup", r"\bigcap"])
def test_every_large_sign_stands_close_to_a_bracket(large):
    (sign,) = [mo for mo in mathml(rf"= {large}_i (x)", True).iter("mo") if mo.text in "∑∏∫⋃⋂"]
    assert (sign.get("lspace"), sign.get("rspace")) == ("0em", "0em")


def test_a_norm_is_not_broken():
    formula = r"a + 4 \Big\|f - \frac{b + c}{2}\Big\|^2 - |d - e|"
    assert shown(formula, display=True) == ["a+4‖f−b+c2‖2", "−|d−e|"]
    assert shown(r"\|f + h\| + \|g\|", display=True) == ["‖f+h‖", "+‖g‖"]


def spaces(formula):
    """The formula's signs, with a blank for each thin space."""
    elements = mathml(formula, False).iter()
    return "".join(" " if element.tag == "mspace" else element.text or "" for element in elements).translate(
        {0x2061: "", 0x2009: " "}
    )


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"p_j \log p_j", "pj log pj"),
        (r"\alpha_i \max(0, z)", "αi max(0,z)"),
        (r"\limsup \|f\|^2", "lim sup ‖f‖2"),
        (r"= \log x", "=log x"),
        (r"(a)\exp(b)", "(a) exp(b)"),
        (r"a \max_j b", "a maxj b"),
        (r"n\mathrm{SV}", "nSV"),
        (r"-\sum_i \log p_i", "−∑ilog pi"),
        (r"O(n \log n)", "O(n log n)"),
        (r"C\sqrt{\log n}", "Clog n"),
        (r"\tfrac12 \log x", "12 log x"),
    ],
)
def test_thin_spaces_stand_where_TeX_has_them(formula, expected):
    assert spaces(formula) == expected


def test_a_large_sign_or_a_relation_that_begins_stands_close():
    assert [mo.text for mo in operators(r"\sum_i x_i = \sum_j y_j", lspace="0em")] == ["∑", "∑"]
    assert [mo.text for mo in operators(r"2 \sum_i x_i", lspace="0em")] == []
    assert [mo.text for mo in operators(r"\ge 0", lspace="0em")] == ["≥"]
    assert [mo.text for mo in operators(r"u, \dots, v", lspace="0em", rspace="0.1667em")] == ["…"]
    assert [mo.text for mo in operators(r"(u, \dots)", lspace="0em", rspace="0em")] == ["…"]
    assert [mo.text for mo in operators(r"a < \dots < b", lspace="0em", rspace="0em")] == ["⋯"]
    assert [mo.text for mo in operators(r"a \cdots b", lspace="0.1667em", rspace="0.1667em")] == ["⋯"]
    assert [mo.text for mo in operators(r"\big(a + b\big)", lspace="0em", rspace="0em")] == ["(", ")"]
    assert [mo.text for mo in operators(r"f : A \to B", lspace="0.2778em")] == [":"]
    assert [mo.text for mo in operators(r"f\colon A \to B", lspace="0.2778em")] == []
    assert [mo.text for mo in operators(r"\begin{aligned} a &- b \end{aligned}", form="infix")] == ["−"]
    assert [mo.text for mo in operators(r"\sum_i (x_i + 1)", rspace="0em")] == ["∑"]
    assert [mo.text for mo in operators(r"\begin{aligned} a =\; & b \end{aligned}", rspace="0em")] == ["="]


def test_signs_in_scripts_take_no_space():
    assert [mo.text for mo in operators(r"\sum_{i=1,j\in J}^{n-1} x_i = 2", lspace="0em", rspace="0em")] == [*"=,∈−"]


def test_signs_in_a_fraction_take_no_space_where_the_fraction_is_small():
    fraction = r"\frac{a + b}{2} - 1"
    assert [mo.text for mo in mathml(fraction, False).iter("mo") if mo.get("lspace") == "0em"] == ["+"]
    assert [mo.text for mo in mathml(fraction, True).iter("mo") if mo.get("lspace") == "0em"] == []
    small = mathml(r"\frac{\frac{a + b}{2} - 1}{3} = \tfrac{c - d}{4}", True)
    assert [mo.text for mo in small.iter("mo") if mo.get("lspace") == "0em"] == ["+", "−"]


def test_accents_are_as_wide_as_a_letter_and_raise_no_exponent():
    assert [mo.text for mo in operators(r"\bar x + \tilde x + \hat x^\top")] == ["ˉ", "+", "˜", "+", "ˆ"]
    for formula, count in [(r"\hat w^\top", 1), (r"\hat w_i^2", 1), (r"\hat w", 0), (r"\bar{\bar x}^2", 0)]:
        assert [padded.get("height") for padded in mathml(formula, True).iter("mpadded")] == ["0.7em"] * count


def test_an_exponent_stands_beside_the_bracket_that_closes():
    braced = mathml(r"\underbrace{(a + b)}_{c} + \widehat{(f + g)}", True)
    assert ["".join(element[0].itertext()) for element in braced.iter() if element.tag == "mover"] == ["(f+g)"]
    for formula, expected in [(r"(K + \lambda I)^{-1}", ")−1"), (r"(\hat w)_2^\top", ")2⊤"), (r"\|f\|^2", "‖2")]:
        scripts = [element for element in mathml(formula, True).iter() if element.tag.startswith("msu")]
        assert ["".join(element.itertext()) for element in scripts] == [expected]


def font_for(formula):
    css = font_of_formulas([f"<math>{formula}</math>"])
    return TTFont(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]*)", css)[1])))


def test_the_font_is_laid_out_as_the_table_says():
    font = font_for("<mi>x</mi><mo>′</mo>")
    for constant, value in LAYOUT.items():
        assert getattr(font["MATH"].table.MathConstants, constant).Value == value


def test_root_signs_are_low_and_equally_wide():
    font = font_for("√")
    variants = font["MATH"].table.MathVariants
    signs = variants.VertGlyphConstruction[0].MathGlyphVariantRecord
    for sign in signs:
        glyph = font["glyf"][sign.VariantGlyph]
        assert abs(glyph.yMax - glyph.yMin - sign.AdvanceMeasurement) <= 2
    assert signs[0].AdvanceMeasurement < 1000
    assert len({font["hmtx"][sign.VariantGlyph][0] for sign in signs}) == 1


def test_the_prime_is_drawn_for_exponents():
    font = font_for("<mi>x</mi><mo>′</mo>")
    constants, prime = font["MATH"].table.MathConstants, font["glyf"][font.getBestCmap()[ord("′")]]
    size, raised = constants.ScriptPercentScaleDown / 100, constants.SuperscriptShiftUp.Value
    letter = font["glyf"][font.getBestCmap()[ord("𝑥")]]
    assert prime.yMin < 0.2 * letter.yMax  # the font's own begins above the letter
    assert 0.7 * letter.yMax < raised + size * prime.yMin < letter.yMax < raised + size * prime.yMax


@pytest.mark.parametrize("formula", [r"\overline{A \cup B}", r"\underline{x}", r"\cancel{x}"])
def test_what_a_browser_would_not_draw_is_refused(formula):
    with pytest.raises(ValueError, match="not drawn"):
        mathml(formula, True)


def test_a_wrong_formula_is_refused_and_the_next_one_is_not():
    with pytest.raises(ValueError, match=r"\\nonsense"):
        mathml(r"\nonsense{x}", False)
    assert ElementTree.tostring(mathml("x", False), encoding="unicode") == "<math><mi>x</mi></math>"
