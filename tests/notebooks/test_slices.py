"""Names get the code that they need, and no more."""

import pytest

from tools.bookbuild.slices import code_needed

CELLS = [
    "import numpy as np\nfrom math import pi, e\nseen = []",
    "def far(x): return near(x) + pi\nlabels = np.arange(3)\nprint(labels)",
    "def near(x): return scale * x\nscale = 2.0\nheavy = far(3)",
    "seen = 0\nscale_of = seen",
    "table = {}\nfor k in range(3): table[k] = scale\ntable.update(a=1)\nplt.plot(table)",
    "rows = []\nrows.append(heavy)",
]


def needed(*names):
    return code_needed(CELLS, names).splitlines()


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ((), []),
        (("scale_of",), ["seen = 0", "scale_of = seen"]),
        (("labels",), ["import numpy as np", "labels = np.arange(3)"]),
        (("scale",), ["scale = 2.0"]),
        (
            ("far",),
            """\
from math import pi
def far(x): return near(x) + pi
def near(x): return scale * x
scale = 2.0""".splitlines(),
        ),
        (("table",), ["scale = 2.0", "table = {}", "for k in range(3): table[k] = scale", "table.update(a=1)"]),
    ],
)
def test_what_is_needed(names, code):
    assert [line for line in needed(*names) if line] == code


def test_what_draws_from_the_same_generator_before_comes_with_it():
    cell = (
        "import numpy as np\nrng = np.random.default_rng(0)\nold = rng.random(3)\nnew = rng.random(3)\nlater = new + 1"
    )
    code = code_needed([cell], ["later"]).splitlines()
    assert code == cell.splitlines()


def test_a_class_comes_with_what_its_methods_take():
    cells = [
        "import numpy as np\nscale = 2\nother = 3",
        "class Doubled(np.ndarray):\n\n    def of(self, x):\n        return scale * x",
    ]
    code = code_needed(cells, ["Doubled"])
    assert code == "\n".join(["import numpy as np", "scale = 2", cells[1]])


def test_of_imports_the_names_that_are_needed_come_with_it():
    cells = ["from math import (\n    pi,\n    e as euler,\n    tau,\n)", "circle = 2 * pi + euler"]
    assert code_needed(cells, ["circle"]) == "from math import pi, e as euler\ncircle = 2 * pi + euler"


def test_what_is_put_into_a_list_comes_with_it():
    assert {"rows = []", "rows.append(heavy)", "heavy = far(3)"} <= {*needed("rows")}
