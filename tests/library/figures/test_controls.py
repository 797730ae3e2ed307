"""What sliders hold: values of many kinds that are told apart by eye, written as in the text, and nothing else."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from kernelbook.figures.controls import label_of, text_of
from kernelbook.figures.explorer import explore
from kernelbook.figures.explorer_page import as_script


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("gamma", "γ"),
        ("nu", "ν"),
        ("ridge_lambda", "ridge λ"),
        ("width_in_km", "width in km"),
        ("C", "C"),
        ("lambda_", "λ"),
    ],
)
def test_a_parameter_is_called_as_in_the_text(name, label):
    assert label_of(name) == label


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((1e-7, "10⁻⁷"), (1e-3, "10⁻³"), (3e5, "3·10⁵"), (-2e-4, "−2·10⁻⁴"), (-1e6, "−10⁶"), (10**7, "10⁷")),
        *(
            (0.01, "0.01"),
            (-0.5, "−0.5"),
            (0.0, "0"),
            (10000.0, "10⁴"),
            (3000.0, "3000"),
            (1000, "1000"),
            (12345, "1.2345·10⁴"),
            (-1234567, "−1234567"),
            (float("inf"), "inf"),
        ),
        *((np.float32(0.25), "0.25"), (np.int64(-3), "−3"), ("one-class", "one-class"), (True, "True")),
    ],
)
def test_a_value_is_written_as_in_the_text(value, text):
    assert text_of(value) == text


def results(page):
    return json.loads(re.search(r"take\(0,(.*)\)</script>", page)[1])["results"]


LISTS = {
    "an array": (lambda: np.linspace(0, 1, 3), ["0", "0.5", "1"]),
    "integers of NumPy": (lambda: [np.int64(1), np.int64(2)], ["1", "2"]),
    "single precision": (lambda: np.float32([0.1, 1 / 3]), ["0.1", "0.333333"]),
    "booleans": (lambda: [False, True], ["False", "True"]),
    "booleans of NumPy": (lambda: np.array([True, False]), ["True", "False"]),
    "names": (lambda: ("one", "two"), ["one", "two"]),
    "pairs": (lambda: [(0, 1), (1, 2)], ["(0, 1)", "(1, 2)"]),
    "names and numbers": (lambda: ["none", 1, 2.5], ["none", "1", "2.5"]),
    "keys": (lambda: {"a": [1], "b": [2]}.keys(), ["a", "b"]),
    "a generator": (lambda: (2**i for i in range(3)), ["1", "2", "4"]),
}


@pytest.mark.parametrize(("made", "texts"), LISTS.values(), ids=LISTS)
def test_values_of_many_kinds_reach_draw_as_they_are(made, texts):
    drawn = []

    def canvas(w):
        drawn.append(repr(w))
        return plt.figure(figsize=(0.5, 0.5))

    shown = explore(canvas, w=made(), describe=lambda w: repr(w), name="fig-w")
    live = []
    for index, text in enumerate(texts):
        shown.sliders["w"].index = index
        assert shown.sliders["w"].label == text
        live.append(BeautifulSoup(shown.widget.children[1].value, "html.parser").text)
    drawn.clear()
    page = shown.to_html()
    assert f'"texts":[{as_script(texts)}]' in page
    assert live == results(page) == drawn == [repr(value) for value in made()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "w must hold at least one value, got an empty list"),
        (np.array([]), "w must hold at least one value, got an empty list"),
        (3, "w must be a list of values in the slider's order, got 3"),
        (None, "w must be a list of values in the slider's order, got None"),
        (np.array(3.0), r"w must be a list of values in the slider's order, got array\(3\.\)"),
        ("abc", "w must be a list of values in the slider's order, got 'abc'"),
        ({"a": 1}, "w must be a list of values in the slider's order, got {'a': 1}"),
        ({1, 2}, "w must be a list of values in the slider's order, got {1, 2}"),
        ([np.array([1, 2]), np.array([3])], r"w must hold numbers or names, got an array of shape \(2,\): give it"),
        (b"abc", "w must be a list of values in the slider's order, got b'abc'"),
        (frozenset([1, 2]), r"w must be a list of values in the slider's order, got frozenset\(\{1, 2\}\)"),
        (np.eye(3), r"w must be a list of values in the slider's order, got an array of shape \(3, 3\)"),
        (
            pd.DataFrame({"a": [1], "b": [2]}),
            r"w must be a list of values in the slider's order, got an array of shape",
        ),
        ([np.array(3)], r"w must hold numbers or names, got array\(3\): give it a name"),
        ([1, [2, 3]], r"w must hold numbers or names, got \[2, 3\]: give it a name, and look it up in draw"),
        ([(1, np.array([2, 3]))], r"w must hold numbers or names, got \(1, array"),
        ([("balanced", np.nan)], r"w must hold numbers or names, got \('balanced', nan\)"),
        (["balanced", None], "w must hold numbers or names, got None: give it a name"),
        ([1.0, np.nan], "w must hold numbers or names, got nan"),
        ([1, 2, 1], "w must hold different values, but 1 equals one before it"),
        ([1, True], "w must hold different values, but True equals one before it"),
        ([0.1234567, 0.1234568], "but 0.1234568 equals one before it, or is written like one"),
        ([1, "1"], "but '1' equals one before it, or is written like one"),
        ([1e-4, "0.0001"], "but '0.0001' equals one before it, or is written like one"),
        ([object()], "w must hold numbers or names, got <object obj.*>: give it a name"),
        ([len], "w must hold numbers or names, got <built-in function len>: give it a name"),
        ([(0, object())], "w must hold numbers or names, got .*: give it a name"),
    ],
)
def test_what_no_slider_can_hold_is_refused_in_a_sentence(options, said):
    with pytest.raises(ValueError, match=said) as refused:
        explore(print, gamma=[1], w=options, describe=print)
    assert "\n" not in str(refused.value)
