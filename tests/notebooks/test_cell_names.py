"""Names that stand in the way of running a notebook's cells in any order are found, and no others."""

import ast

import pytest

from tools.bookbuild.cell_names import conflicts

GIVEN = "def f(x):\n    return x\ny = f(2)\nimport numpy as np"


def found(*sources):
    return conflicts([(ast.parse(source), f"cell {number}") for number, source in enumerate([GIVEN, *sources], 1)])


@pytest.mark.parametrize(
    "source",
    [
        "y += 1",
        "y = y + 1",
        "y, z = 1, y",
        "for y in y:\n    pass",
        "y = [y for _ in range(3)]",
        "y = [z for z in range(3) if z > y]",
        "y = {y: 1 for _ in range(3)}",
        "g = lambda z=y: z\ny = 1",
        "y = lambda: y",
        "y = 2\ndef g(x=1):\n    return x + y",
        "def g():\n    def h():\n        return y\n    return h\ny = 2",
        "try:\n    y\nexcept ValueError:\n    y = 2",
        "with open(y) as y:\n    y",
    ],
)
def test_a_name_taken_from_one_of_two_cells(source):
    assert found(source) == ["cell 2 takes `y` from another cell, but two bind it: cell 1 and cell 2"]


@pytest.mark.parametrize("binder", ["for y in range(3):\n    pass", "def y():\n    pass", "import y", "[y] = [1]"])
def test_the_cell_that_takes_need_not_bind(binder):
    assert found("print(y)", binder) == ["cell 2 takes `y` from another cell, but two bind it: cell 1 and cell 3"]


@pytest.mark.parametrize(
    "source",
    [
        "y = 1\nprint(y)",
        "def g(y, *args, z=1):\n    x = y + z\n    return x, args",
        "for z in range(3):\n    y = z\n    print(y)",
        "z = [y for y in range(3)]",
        "g = lambda y: y",
        "import numpy as np\nnp.e",
        "try:\n    1\nexcept ValueError as error:\n    print(error)\ny = 1",
        "print(f(y), np.pi)",
    ],
)
def test_what_is_in_nobodys_way(source):
    assert found(source) == []


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("z = 'a'", "z = [1]", "a list and a text"),
        ("z = 1", "z = -1.5\nz = (1, 2)", "a number and a tuple"),
        ("def z():\n    pass", "z = np.ones(3)", "a function and an array"),
        ("z = {x: 1 for x in range(3)}", "z = {x for x in range(3)}", "a dictionary and a set"),
        ("a, z = 1, f'{y}'", "z = lambda: 1", "a function and a text"),
    ],
)
def test_a_name_that_changes_its_type(one, other, words):
    assert found(one, other) == [f"`z` is {words} down the page: cell 2, cell 3"]
