"""Between handing out and grading much can happen to a notebook: nothing is lost, and every student has a row."""

import json
import os
import tracemalloc

import nbformat
import pytest

from tests.teaching.small import LINES, notebook_of, sources_in
from tests.teaching.test_exercises import cell_of, hand_in, maxima, points, remarked, solved, table
from tools.teaching import grading
from tools.teaching.course import release
from tools.teaching.examination import given_names
from tools.teaching.exercises import identity, is_solution, is_test, read
from tools.teaching.grading import grade
from tools.teaching.submissions import UngradableError, read_submission

SECONDS = 4
LATE = f"gcv-test ran longer than {SECONDS} s"
GCV = {  # what stands for it, what is remarked
    "endless": ("while True: pass", LATE),
    "uninterruptible": ("(lambda: 10 ** 10**9 % 7)()", LATE),  # Python looks at no signal meanwhile
    "asleep": ("import time; time.sleep(1e6)", f"gcv-test waited longer than {3 * SECONDS} s"),
    "crash": ("import os; os._exit(1)", "gcv-test ended Python"),
    "killed": ("import ctypes; ctypes.string_at(0)", "gcv-test ended Python by signal 11"),
    "left": ("exit()", "gcv-test called exit()"),
    "half a character": ("print('\\ud800'); raise ValueError('\\ud800')", ""),
    "chatty": ("[print(i, flush=True) for i in range(20000)]", ""),
    "shouting": ("import os; [os.write(1, bytes(10**6)) for _ in range(300)]", ""),
}
STRANGE = {"[c] zoe": "[c] zoe", "{name}": "{name}", "50% + José": "50% + José", "=1+1": "'=1+1", "\t@a\n": "\\t@a\\n"}
LOST = ["setup", "tools", "compare", "gcv", "gcv-test", "carry", "tuning-test"]

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


def answers_in_code(notebook):
    return [cell for cell in notebook.cells if is_solution(cell) and cell.cell_type == "code"]


@pytest.fixture(scope="module")
def trouble(tmp_path_factory):
    """What can go wrong between handing out and grading, each mishap once."""
    course = tmp_path_factory.mktemp("trouble")
    with sources_in(course / "sources", lines=LINES):
        return graded_trouble(course)


def graded_trouble(course):
    released = read(release("lines", 1, course))

    cut = solved("lines", released)
    cell_of(cut, "carry").metadata.nbgrader.grade_id = "mine"
    pasted = nbformat.from_dict({**cell_of(cut, "dual"), "id": "pasted"})
    cut.cells.insert(cut.cells.index(cell_of(cut, "dual")), pasted)
    cut.cells = [cell for cell in cut.cells if identity(cell) not in LOST]
    hand_in(course, "lines", "cut", cut)

    changed = nbformat.from_dict(read(course / "release" / "lines" / "lines.ipynb"))
    for cell in changed.cells:
        cell.source = cell.source.replace("SEED = 1", "SEED = 2")
        if is_test(cell):
            cell.source = "pass"
            cell.metadata.nbgrader.points = 100
    hand_in(course, "lines", "changed", changed)

    for student, (body, _) in GCV.items():
        notebook = solved("lines", released)
        cell_of(notebook, "gcv").source = f"def gcv(K, y, ridge):\n    {body}"
        hand_in(course, "lines", student, notebook)

    quitting = solved("lines", released)
    for cell in answers_in_code(quitting)[:9]:
        cell.source = "import os; os._exit(1)"
    hand_in(course, "lines", "quitting", quitting)

    strange = solved("lines", released)
    cell_of(strange, "gcv").source += "\nimport numpy as np\nfor _ in range(2): pass\nhalf = '\ud800'"
    cell_of(strange, "gcv").metadata["slideshow"] = ["no", {"such": "thing"}]
    strange.cells.insert(3, {"cell_type": "code", "source": ["2 + ", "2"], "metadata": {"nbgrader": "mine"}})
    strange.cells.insert(3, {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": ["a", "list"]}}})
    strange.cells.insert(3, {"cell_type": "sticky note", "source": "remember"})
    strange.metadata = {"kernelspec": 7}
    for student in STRANGE:
        path = hand_in(course, "lines", student, json.dumps(strange))
        os.mkfifo(path.with_name("pipe"))
        path.with_name(os.fsdecode(b"caf\xe9.txt")).touch()
        path.with_name("timestamp.txt").write_text("yesterday", encoding="utf-8")
    (course / "submitted" / ".ipynb_checkpoints").mkdir()
    (course / "submitted" / "loose.ipynb").write_text(nbformat.writes(released), encoding="utf-8")
    many = [nbformat.v4.new_code_cell("1") for _ in range(1001)]
    hand_in(course, "lines", "many", nbformat.v4.new_notebook(cells=many))
    piped = hand_in(course, "lines", "piped", "")
    piped.unlink()
    os.mkfifo(piped)

    helped = solved("lines", released)
    cell_of(helped, "dual").source = """
def oracle(X, ridge):
    return X @ X.T + ridge * np.eye(len(X))

def dual(X, y, ridge):
    return np.linalg.solve(oracle(X, ridge), y)
"""
    hand_in(course, "lines", "helped", helped)

    tampering = solved("lines", released)
    helpers = [name for name in given_names(cell_of(released, "compare")) if name.startswith("_")]
    taken = "\n".join(f"{name} = lambda *_, **__: None" for name in helpers)
    cell_of(tampering, "gcv").source = f"def gcv(K, y, ridge):\n    return 0.0\n\n{taken}"
    hand_in(course, "lines", "tampering", tampering)

    deep = solved("lines", released)
    cell_of(deep, "dual").source += "\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    pass"
    cell_of(deep, "gcv").source += f"\nlong = 0{' + 1' * 3000}"
    hand_in(course, "lines", "deep", deep)

    for place, there in {"linked/lines": "../../release/lines", "link": "deep"}.items():
        (course / "submitted" / place).parent.mkdir(exist_ok=True)
        (course / "submitted" / place).symlink_to(there)
    hand_in(course, "lines", os.fsdecode(b"zo\xe9"), "{")

    hand_in(course, "lines", "torn", "{")
    other = hand_in(course, "lines", "renamed", solved("lines", released))
    other.rename(other.with_name("lines (1).ipynb"))
    other = hand_in(course, "lines", "twice", released)
    other.with_name("lines (2).ipynb").write_text("{", encoding="utf-8")
    other.rename(other.with_name("lines (1).ipynb"))
    before = {path: path.read_bytes() for path in (course / "submitted").rglob("*.ipynb") if path.is_file()}
    rows = table(grade("lines", course, SECONDS))
    return rows, before, released


def test_what_was_handed_in_stays_as_it_was(trouble):
    _, before, _ = trouble
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"nbformat": 4, "cells": [' + "{}," * 400_000 + "{}]}", "more than 1000 cells"),
        ('{"nbformat": 4, "worksheets": [], "cells": [' + "{}," * 2000 + "{}]}", "more than 1000 cells"),
        ('{"nbformat": 3, "worksheets": [{"cells": [' + "{}," * 2000 + "{}]}]}", "more than 1000 cells"),
        ('{"nbformat": 4, "cells": [' + "[]," * 10**6 + "[]]}", "more than 1000000 parts"),
        (json.dumps({"nbformat": 4, "cells": [{"source": "x=1\n" * 10**5}]}), "a cell of more than 200000 characters"),
    ],
)
def test_a_notebook_without_measure_is_refused_before_it_takes_any_memory(content, reason, tmp_path):
    (tmp_path / "krr").mkdir()
    (tmp_path / "krr" / "krr.ipynb").write_text(content, encoding="utf-8")
    tracemalloc.start()
    with pytest.raises(UngradableError, match=reason):
        read_submission(tmp_path, "krr")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.5e8


def test_lost_renamed_and_copied_cells_cost_a_lost_answer_alone(trouble):
    rows, _, released = trouble
    assert points(rows["cut"], released) == {**maxima(released), "gcv": 0}
    assert remarked(rows["cut"]).endswith(f"came without the cells {', '.join(LOST)}")


def test_a_test_takes_no_name_from_the_student(trouble):
    rows, _, released = trouble
    assert "oracle = " in cell_of(notebook_of(LINES), "dual-test").source
    assert points(rows["helped"], released) == maxima(released)


def test_what_was_given_means_what_it_did(trouble):
    rows, _, released = trouble
    assert points(rows["tampering"], released) == {**maxima(released), "gcv": 0}
    assert remarked(rows["tampering"]).startswith("gives another meaning to _compare, _numbers, which")


def test_changed_tests_points_and_seed_gain_nothing(trouble):
    rows, _, _ = trouble
    assert (rows["changed"]["total"], remarked(rows["changed"])) == ("0", "came with SEED 2, graded with 1")


def test_code_that_the_remarks_cannot_read_is_graded(trouble):
    rows, _, released = trouble
    earned = points(rows["deep"], released)
    assert earned | {"gcv": 0} == maxima(released) | {"gcv": 0}  # Python itself may give up on 3000 terms


def test_cells_that_end_python_cost_their_own_points_however_many_they_are(trouble):
    rows, _, released = trouble
    tests = [identity(cell) for cell in released.cells if is_test(cell)]
    answers = list(map(identity, answers_in_code(released)))
    earned = points(rows["quitting"], released)
    assert all(earned[name] == most for name, most in maxima(released).items() if name in answers[9:])
    assert not any(earned[name] for name in answers[:9] if f"{name}-test" in tests)
    assert remarked(rows["quitting"]).count("ended Python") == 9


@pytest.mark.parametrize("student", STRANGE)
def test_strange_names_files_and_metadata_cost_nothing(trouble, student):
    rows, _, released = trouble
    row = rows[STRANGE[student]]
    assert (points(row, released), remarked(row)) == (maxima(released), "")


def test_hidden_folders_are_no_students(trouble):
    rows, _, _ = trouble
    assert not [student for student in rows if student.startswith(".")]


@pytest.mark.parametrize("student", GCV)
def test_an_answer_that_does_not_end_costs_its_own_points(trouble, student):
    rows, _, released = trouble
    assert points(rows[student], released) == {**maxima(released), "gcv": 0}
    assert remarked(rows[student]) == GCV[student][1]


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("torn", "not a notebook"),
        ("twice", "but lines/lines (1).ipynb, lines/lines (2).ipynb"),
        ("linked", "a link to another place"),
        ("link", "a link to another place"),
        ("loose.ipynb", "a file, where a folder"),
        ("piped", "not an ordinary file"),
        ("many", "more than 1000 cells"),
        (r"zo\udce9", "not a notebook"),
    ],
)
def test_what_cannot_be_graded_has_a_row_that_says_why(trouble, student, reason):
    rows, _, _ = trouble
    assert rows[student]["total"] == rows[student]["gcv"] == ""
    assert remarked(rows[student]).startswith("not graded: ")
    assert reason in remarked(rows[student])


def test_the_only_notebook_is_taken_whatever_its_name(trouble):
    rows, _, released = trouble
    assert points(rows["renamed"], released) == maxima(released)
    assert remarked(rows["renamed"]) == "came as lines (1).ipynb"


def test_what_goes_wrong_with_one_is_not_the_end_of_the_others_and_a_table_is_whole(tmp_path, monkeypatch, capsys):
    released = read(release("krr", 1, tmp_path))
    hand_in(tmp_path, "krr", "first", released)
    hand_in(tmp_path, "krr", "second", released)

    def fails(error):
        def examined(job):
            raise error

        return examined

    monkeypatch.setattr(grading, "examine", fails(ArithmeticError("of the grader's own")))
    path = grade("krr", tmp_path)
    rows = table(path)
    assert [remarked(row) for row in rows.values()] == ["not graded: ArithmeticError: of the grader's own"] * 2
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr(grading, "examine", fails(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        grade("krr", tmp_path)
    assert path.read_text(encoding="utf-8") == before
