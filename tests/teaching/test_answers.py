"""Tests and answers live in two processes: what they say to each other means what it would in one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from kernelbook import RBF
from tests.teaching.exams import GIVEN, QUESTIONS, error_of, exam, printed, right
from tools.teaching.answers import Answers
from tools.teaching.sandbox import can_confine


@pytest.fixture(scope="module")
def process():
    answers = Answers(20, can_confine())
    yield answers
    answers.stop()


@pytest.fixture
def bound(process):
    """A function that runs a cell of the answers, and returns what it gives a name, as a test sees it."""

    def run(names, source):
        process.run({"name": "cell", "source": source, "names": []})
        process.ready({"name": "test"})
        found = [value for name in names.split() for value in process.look_up(name)]
        return found[0] if len(found) == 1 else found

    return run


def test_right_answers_pass_and_blank_ones_fail():
    assert exam(**right(*QUESTIONS))[0] == list(QUESTIONS)
    passed, outputs, endings = exam(golden="golden = None", energy="def energy(x):\n    return np.sum(x)")
    assert (passed, endings) == ([], [])
    assert error_of(outputs["golden-test"]) == "AssertionError: golden is None"
    assert error_of(outputs["energy-test"]) == "AssertionError: energy: a wrong number"
    assert error_of(outputs["positive-test"]) == "NameError: name 'positive' is not defined"
    assert error_of(outputs["positive"]) == "NotImplementedError: "


def test_without_bubblewrap_too():
    assert exam(confined=False, **right(*QUESTIONS))[0] == list(QUESTIONS)


def test_a_cell_may_do_what_it_may_in_a_notebook():
    source = """
%matplotlib inline
from matplotlib import pyplot as plt
plt.plot([1, 2])
plt.show()
display(np.ones(2))
!echo from a shell
help(len)
golden = !echo 2.61803398874989
golden = float(golden[0])
golden
"""
    passed, outputs, _ = exam(golden=source)
    assert passed == ["golden"]
    assert error_of(outputs["golden"]) is None
    for words in ("from a shell", "array([1., 1.])", "Return the number of items", "2.61803"):
        assert words in printed(outputs["golden"])


def test_functions_pass_both_ways(bound):
    twice, maker, table, late, same = bound(
        "twice maker table late same",
        """
def twice(f, x): return f(f(x))
def maker(n): return lambda x, by=1: n * x * by
table = {"a": abs, "pair": [lambda x: x + 1, 3]}
def late(): return [maker(2)]
def same(f): return f
""",
    )
    assert twice(lambda x: x + 1, 5) == 7
    assert maker(3)(2, by=2) == 12
    assert table["a"](-2) == 2
    assert table["pair"][0](1) == 2
    assert late()[0](4) == 8
    assert twice(table["pair"][0], 1) == 3  # a function of its own is itself there
    own = lambda x: x  # noqa: E731
    assert same(own) is own
    assert same([own, {1: own}]) == [own, {1: own}]


def test_a_call_within_a_call_within_a_call(bound):
    down = bound("down", "def down(n, f): return 0 if n == 0 else 1 + f(n - 1)")

    def back(n):
        return down(n, back)

    assert down(20, back) == 20


def test_calls_by_the_thousand(bound):
    each = bound("each", "def each(f, n): return sum(f(i) for i in range(n))")
    assert each(lambda i: 2 * i, 5000) == 24_995_000


def test_calls_from_the_answers_own_threads(bound):
    each = bound(
        "each",
        """
from concurrent.futures import ThreadPoolExecutor
def each(f, n):
    with ThreadPoolExecutor(4) as pool: return list(pool.map(f, range(n)))
""",
    )
    assert each(lambda i: i**2, 200) == [i**2 for i in range(200)]


@pytest.mark.parametrize(
    ("raises", "kind", "text"),
    [
        ("ValueError('too short')", ValueError, "too short"),
        ("FileNotFoundError('not there')", FileNotFoundError, "not there"),
        ("EOFError('the end')", EOFError, "the end"),
        ("np.linalg.LinAlgError('singular')", ValueError, "LinAlgError: singular"),
        ("type('Own', (Exception,), {})('mine')", Exception, "Own: mine"),
        ("StopIteration(3)", RuntimeError, "StopIteration: 3"),
        ("UnicodeDecodeError('a', b'', 0, 1, 'b')", RuntimeError, "UnicodeDecodeError"),
        ("KeyboardInterrupt()", RuntimeError, "KeyboardInterrupt"),
        ("SystemExit(0)", RuntimeError, "called exit"),
        ("type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})()", Exception, "Mute"),
    ],
)
def test_an_error_there_is_one_here(bound, raises, kind, text):
    fail = bound("fail", f"import numpy as np\ndef fail(): raise {raises}")
    with pytest.raises(Exception, match=text) as caught:
        fail()
    assert caught.type is kind


def test_an_error_of_the_tests_own_function_passes_through(bound):
    tries = bound("tries", "def tries(f):\n    try: f()\n    except ZeroDivisionError as error: return str(error)")
    assert tries(lambda: 1 / 0) == "division by zero"
    fails = bound("fails", "def fails(f): return f()")
    with pytest.raises(ZeroDivisionError):
        fails(lambda: 1 / 0)


def test_what_is_no_data_says_so_when_it_is_used_and_can_be_given_back(bound):
    thing, ask = bound("thing ask", "class Thing: size = 3\nthing = Thing()\ndef ask(thing): return thing.size")
    assert ask(thing) == 3
    for use in (np.asarray, len, iter, bool, float, lambda it: it.size, lambda it: it == 1, lambda it: np.add(it, 1)):
        with pytest.raises(TypeError, match="type Thing cannot be graded"):
            use(thing)


def test_tables_machines_kernels_and_library_functions_reach_the_answers(bound):
    mean, predict, gram, apply = bound(
        "mean predict gram apply",
        """
def mean(table): return table["b"].mean()
def predict(machine, X): return machine.predict(X)
def gram(k, X): return k(X), type(k).__name__
def apply(f, X): return f(X)
""",
    )
    assert mean(pd.DataFrame({"b": [1.0, 3.0]})) == 2
    machine = Ridge(alpha=1e-9).fit([[0.0], [1.0]], [1.0, 3.0])
    np.testing.assert_allclose(predict(machine, [[2.0]]), [5.0])
    K, name = gram(RBF(gamma=1), [[0.0], [1.0]])
    np.testing.assert_allclose(K[0, 1], np.exp(-1))
    assert name == "RBF"
    np.testing.assert_array_equal(apply(np.linalg.inv, np.eye(2)), np.eye(2))


def test_an_argument_that_comes_twice_is_one_thing(bound):
    alike = bound("alike", "def alike(x, y): return x is y, x == y")
    X = [[1.0, 2.0]]
    assert alike(X, X) == (True, True)
    assert alike(X, [[1.0, 2.0]]) == (False, True)


def test_a_given_function_is_the_given_one_there_too():
    """It is not called back: that would be slow, and a measurement would measure the calls."""
    questions = {
        "calls": ("", "assert calls(scaled) == ['scaled', 6.0]\nassert _peak(calls, scaled) > 10"),
        "scaled": ("", "assert scaled(3) == 6 and limit == 3"),
    }
    spoils = "scaled = lambda x: 0\nlimit = 0\n_peak = None\n"
    calls = "def calls(f): return [f.__name__, f(3)]"
    assert exam(questions=questions, calls=calls, scaled=spoils)[0] == ["calls", "scaled"]
    assert exam(questions=questions, calls=spoils + calls, scaled="pass")[0] == ["calls", "scaled"]


def test_a_given_function_by_another_name_is_itself_in_the_first_test_too():
    assert exam(questions={"twice": ("", "assert twice(3) == 6 and twice is scaled")}, twice="twice = scaled")[0]


def test_what_a_given_function_looks_up_is_the_students():
    given = GIVEN + "\ndef _twice(x):\n    return energy(energy(x))\n\ndef _held(x):\n    return _peak(energy, x)\n"
    questions = {"energy": ("", "assert _twice(3) == 81\nassert _held(np.ones(1000)) > 0")}
    assert exam(given, questions, energy="def energy(x): return x**2")[0] == ["energy"]


def test_a_figure_left_open_and_a_warning_cost_nothing():
    source = "import warnings; from matplotlib import pyplot as plt; plt.figure(); warnings.warn('late')\n"
    assert exam(golden=source + QUESTIONS["golden"][0])[0] == ["golden"]
