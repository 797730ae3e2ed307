"""Formulas as the build makes them: in pieces, with the signs where TeX puts them."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).parents[1] / "book" / "_ext"))
from mathml import mathml


def shown(formula, display=False):
    """The pieces between which a line may end, as text."""
    math = mathml(formula, display)
    return ["".join(piece.itertext()) for piece in (math if "breaks" in math.get("class", "") else [math])]


def operators(formula, **attributes):
    return [mo for mo in mathml(formula, True).iter("mo") if attributes.items() <= mo.attrib.items()]


def test_a_display_breaks_before_what_joins_and_the_text_after_it():
    formula = r"f(x) = \sum_i \alpha_i k(x_i, x) + b"
    assert shown(formula, display=True) == ["f(x)", "=∑iαik(xi,x)", "+b"]
    assert shown(formula) == ["f(x)=", "∑iαik(xi,x)+", "b"]


def test_a_short_formula_stays_whole_in_the_text():
    assert shown("x = y + 1") == ["x=y+1"]


def test_statements_part_before_they_break():
    math = mathml(r"a = b, \qquad c = d + e", True)
    assert ["".join(statement.itertext()) for statement in math] == ["a=b,", "c=d+e"]
    assert [len(statement) for statement in math] == [2, 3]


def test_cells_of_an_aligned_formula_break():
    cells = mathml(r"\begin{aligned} f &= a + b \\ &\le c \end{aligned}", True).findall(".//mtd")
    assert [["".join(piece.itertext()) for piece in cell] for cell in cells] == [["f"], ["=a", "+b"], [""], ["≤c"]]


def test_an_operator_keeps_its_space_beside_text_and_at_the_edge_of_a_piece():
    math = mathml(r"f = \text{const} + 1", True)
    assert [piece[-1].tag for piece in math] == ["mi", "mi", "mn"]
    assert [mo.get("form") for mo in math.iter("mo")] == ["infix", "infix"]


def test_a_sign_after_a_bracket_stands_close():
    assert [mo.text for mo in operators(r"\exp\big(-x\big) - 1", form="prefix", rspace="0em")] == ["−"]
    assert [mo.text for mo in operators(r"k(x, \cdot)", lspace="0em", rspace="0em")] == ["⋅"]


def test_a_norm_is_not_broken():
    formula = r"a + 4 \Big\|f - \frac{b + c}{2}\Big\|^2 - |d - e|"
    assert shown(formula, display=True) == ["a", "+4‖f−b+c2‖2", "−|d−e|"]
    assert shown(r"\|f\| + \|g\|", display=True) == ["‖f‖", "+‖g‖"]


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
    ],
)
def test_thin_spaces_stand_where_TeX_has_them(formula, expected):
    assert spaces(formula) == expected


def test_a_large_sign_or_a_relation_that_begins_stands_close():
    assert [mo.text for mo in operators(r"\sum_i x_i = \sum_j y_j", lspace="0em")] == ["∑", "∑"]
    assert [mo.text for mo in operators(r"2 \sum_i x_i", lspace="0em")] == []
    assert [mo.text for mo in operators(r"\ge 0", lspace="0em")] == ["≥"]
    assert [mo.text for mo in operators(r"u, \dots, v", lspace="0em", rspace="0em")] == ["…"]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [("x'", "x′"), ("x_1'", "(x′)_1"), ("x'^2", "(x′)^2"), ("x_1'^2", "(x′)_1^2")],
)
def test_a_prime_stands_beside_its_letter(formula, expected):
    math = mathml(formula, True)
    scripts = next((element for element in math.iter() if element.tag.startswith("msu")), None)
    if scripts is None:
        assert "".join(math.itertext()) == expected
    else:
        base, *rest = ["".join(child.itertext()) for child in scripts]
        marks = {"msub": "_", "msup": "^", "msubsup": "_^"}[scripts.tag]
        assert f"({base})" + "".join(mark + text for mark, text in zip(marks, rest, strict=True)) == expected


def test_a_wrong_formula_is_refused_and_the_next_one_is_not():
    with pytest.raises(ValueError, match=r"\\nonsense"):
        mathml(r"\nonsense{x}", False)
    assert ElementTree.tostring(mathml("x", False), encoding="unicode") == "<math><mi>x</mi></math>"
