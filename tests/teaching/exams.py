"""A notebook of three questions, for tests of grading that need no nbgrader."""

from tools.teaching.examination import names_in
from tools.teaching.examiner import Examiner
from tools.teaching.sandbox import can_confine

GIVEN = """
import tracemalloc
import numpy as np

def _number(name, got):
    assert got is not None, f"{name} is None"
    got = np.asarray(got, dtype=float).ravel()
    assert got.size == 1, f"{name}: one number"
    return got[0]

def _peak(function, *arguments):
    tracemalloc.start()
    function(*arguments)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most

def scaled(x, by=2.0):
    return by * x

limit = 3.0
"""
SECRET = "2.61803398874989"  # stands in a test, and nowhere that an answer may look
QUESTIONS = {
    "energy": (
        "def energy(x):\n    return float(np.sum(x**2))",
        """
for n in (1, 4, 30):
    x = np.random.default_rng(n).normal(size=n)
    assert np.isclose(_number("energy", energy(x)), x @ x), "energy: a wrong number"
np.testing.assert_allclose(energy(np.ones(3)), 3)
assert _peak(energy, np.ones(1000)) < 1e5, "energy: a matrix"
""",
    ),
    "golden": (
        "golden = (3 + 5**0.5) / 2",
        f"assert abs(_number('golden', golden) - {SECRET}) < 1e-9, 'golden: a wrong number, not {SECRET}'",
    ),
    "positive": (
        "def positive(f):\n    return bool(all(f(x) > 0 for x in np.linspace(-1, 1, 50)))",
        """
assert all(map(positive, [np.exp, np.cosh, lambda x: x**2 + 0.1, scaled(np.ones(1))[0].__add__]))
assert not any(map(positive, [np.sin, lambda x: x, scaled])), "positive: it changes its sign"
""",
    ),
}
BLANK = "raise NotImplementedError()"


def exam(given=GIVEN, questions=QUESTIONS, seconds=20, confined=None, beside=False, **answers):
    """Which tests are passed, a list of their names; the outputs by cell; and which cells ended the process.

    With `beside`, tests run where the answers do, as they would in a notebook.
    """
    cells = [{"kind": "answer", "name": "given", "source": given, "names": [*names_in(given)]}]
    for name, (_, test) in questions.items():
        cells.append({"kind": "answer", "name": name, "source": answers.get(name, BLANK), "names": []})
        kind = "answer" if beside else "test"
        cells.append({"kind": kind, "name": f"{name}-test", "source": test, "names": []})
    job = {"cells": cells, "given": cells[:1], "answers": [*questions, *QUESTIONS], "seconds": seconds}
    job |= {"judged": 0, "done": [], "spent": 0.0, "replayed": 0.0}
    examiner = Examiner({**job, "confined": can_confine() if confined is None else confined})
    try:
        examiner.prepare()
        outputs = {cell["name"]: output for cell, output in zip(cells, examiner.run(), strict=False)}
    finally:
        examiner.answers.stop()
    passed = [name for name in questions if outputs.get(f"{name}-test", "") == []]
    return passed, outputs, examiner.answers.endings


def right(*names):
    return {name: QUESTIONS[name][0] for name in names}


def error_of(output):
    return next((f"{item['ename']}: {item['evalue']}" for item in output if item["output_type"] == "error"), None)


def printed(output):
    return "".join(item["text"] for item in output if item["output_type"] == "stream")
