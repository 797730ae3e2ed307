"""A course lives: it remembers, its problems change after grading, points are given by hand, work comes late."""

import csv
import html
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook

from tests.teaching.small import examine_here, notebook_of
from tests.teaching.test_exercises import NAMES, cell_of, hand_in, solved, source, table
from tools.teaching import course as courses
from tools.teaching import exercises, grading, new_exercise, packages, teach
from tools.teaching.course import assignment_settings, course_directory, release
from tools.teaching.exercises import identity, is_graded, problems_of, read, seed_of, variant
from tools.teaching.feedback import feedback
from tools.teaching.grading import grade
from tools.teaching.overview import histogram_edges

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
SMALL = [
    ("markdown", "# Exercises: small", {}),
    ("code", "SEED = 5", {"grade_id": "setup", "locked": True}),
    ("markdown", "## 1. One", {}),
    ("code", "one = None\n### BEGIN SOLUTION\none = 1\n### END SOLUTION", {"grade_id": "one", "solution": True}),
    ("code", "assert one == 1", {"grade_id": "one-test", "grade": True, "locked": True, "points": 2}),
    ("markdown", "## 2. Two", {}),
    ("code", "two = None\n### BEGIN SOLUTION\ntwo = 2\n### END SOLUTION", {"grade_id": "two", "solution": True}),
    ("code", "assert two == 2", {"grade_id": "two-test", "grade": True, "locked": True, "points": 3}),
    ("markdown", "Why?", {}),
    (
        "markdown",
        "### BEGIN SOLUTION\nBecause.\n\nPoints: one for a reason.\n### END SOLUTION",
        {"grade_id": "why", "solution": True, "grade": True, "points": 4},
    ),
    ("markdown", "## 3. Three", {}),
    (
        "code",
        "three = None\n### BEGIN SOLUTION\nthree = one + 2\n### END SOLUTION",
        {"grade_id": "three", "solution": True},
    ),
    ("code", "assert three == 3", {"grade_id": "three-test", "grade": True, "locked": True, "points": 1}),
]


class Small:
    """A course with one small assignment, whose source a test may change."""

    def __init__(self, place, monkeypatch):
        self.place, self.sources = place / "course", place / "sources"
        for module in (courses, new_exercise):
            monkeypatch.setattr(module, "SOURCES", self.sources)
        monkeypatch.setattr(courses, "COURSE", self.place)
        self.write(SMALL)

    def write(self, cells):
        path = self.sources / "small" / "small.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook_of(cells), path)

    def release(self, **options):
        return read(release("small", course=self.place, **options))

    def hand_in(self, student, **answers):
        notebook = read(self.place / "release" / "small" / "small.ipynb")
        for name, text in answers.items():
            cell_of(notebook, name).source = text
        path = self.place / "submitted" / student / "small" / "small.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return path

    def grade(self):
        return table(grade("small", self.place, 20))

    def by_hand(self, student, name, points, comment=None):
        """What a teacher does in nbgrader's formgrader."""
        with Gradebook(course_directory(self.place, "small").db_url) as gradebook:
            mark = gradebook.find_grade(name, "small", "small", student)
            mark.manual_score, mark.needs_manual_grade = points, False
            if comment:
                gradebook.find_comment(name, "small", "small", student).manual_comment = comment
            gradebook.db.commit()


RIGHT = {"one": "one = 1", "two": "two = 2", "why": "So it is.", "three": "three = one + 2"}


@pytest.fixture
def confined(tmp_path, monkeypatch):
    """A course whose submissions run where they always do."""
    return Small(tmp_path, monkeypatch)


@pytest.fixture
def small(confined, monkeypatch):
    """A course whose submissions, all harmless, run in this process: what is tested is what becomes of the scores."""
    monkeypatch.setattr(grading, "examine", examine_here)
    return confined


def test_a_course_remembers_its_seed_and_its_problems(small):
    assert seed_of(small.release()) == 5
    assert seed_of(small.release(seed=2027, problems=[1, 3])) == 2027
    again = small.release()
    assert seed_of(again) == 2027
    assert [title for _, title in problems_of(again)[1].items()] == ["One", "Three"]
    assert assignment_settings(small.place) == {"small": {"seed": 2027, "problems": [1, 3]}}


def test_another_seed_is_another_course_once_somebody_has_handed_in(small):
    small.release(seed=2027)
    small.hand_in("alice")
    with pytest.raises(SystemExit, match="handed out with SEED=2027, and 1 have handed it in"):
        small.release(seed=2028)
    assert seed_of(small.release()) == seed_of(small.release(seed=2027)) == 2027
    assert seed_of(read(release("small", 2028, course=courses.course_named("2028")))) == 2028
    assert courses.course_named("2028") == small.place.with_name("course-2028")


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("seed", "-5", "SEED must be a whole number from 0 on, as in SEED=2027, not '-5'"),
        ("seed", "abc", "SEED must be a whole number from 0 on"),
        ("seed", "1.5", "SEED must be a whole number from 0 on"),
        ("problems", "one", "PROBLEMS must be numbers of problems"),
        ("problems", "4", "There is no problem 4; there are 1 to 3"),
        ("problems", "3", "Problem 3 uses `one` of problem 1: choose both"),
        ("due", "soon", "DUE must be a time"),
        ("due", "2027-05-01 12:00", "DUE must be a time and its zone"),
        ("due", "10", "DUE must be a time"),
        ("due", "18:00 +0200", "DUE must be a time"),
        ("due", "2027-05-14 18:00 CEST+0200", "DUE must be a time"),
        ("course", "../x", "COURSE must be letters, digits"),
    ],
)
def test_a_bad_option_is_one_sentence(small, monkeypatch, option, text, says):
    monkeypatch.setattr("sys.argv", ["teach", "assignment", "small", f"--{option}={text}"])
    with pytest.raises(SystemExit, match=re.escape(says)):
        teach.main()
    assert not (small.place / "release").exists()


def test_the_command_says_where_what_is(small, monkeypatch, capsys):
    arguments = ["teach", "assignment", "small", "--seed=7", "--problems=1, 3", "--due=2027-05-01 23:59 +0200"]
    monkeypatch.setattr("sys.argv", arguments)
    teach.main()
    said = capsys.readouterr().out
    assert "SEED=7" in said
    assert "Deadline: 2027-05-01 21:59 UTC" in said
    assert "No SEED was given" not in said
    assert "1. One; 3. Three" in said
    with Gradebook(course_directory(small.place, "small").db_url) as gradebook:
        assert gradebook.find_assignment("small").duedate.isoformat() == "2027-05-01T21:59:00"


def test_points_by_hand_count_and_wait_until_they_are_given(confined):
    confined.release()
    confined.hand_in("alice", **RIGHT)
    confined.hand_in("blank")
    rows = confined.grade()
    assert (rows["alice"]["total"], rows["alice"]["why"]) == ("6", "")
    assert rows["alice"]["remark"] == "waits for points by hand: why"
    assert (rows["blank"]["total"], rows["blank"]["why"], rows["blank"]["remark"]) == ("0", "0", "")
    confined.by_hand("alice", "why", 3.5)
    row = confined.grade()["alice"]
    assert (row["why"], row["total"], row["maximum"], row["remark"]) == ("3.5", "9.5", "10", "")


def test_what_is_as_it_was_is_not_run_again(small, monkeypatch):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.hand_in("bob", **RIGHT | {"two": "two = 3"})
    before = small.grade()
    ran, autograde = [], grading.autograde

    def counted(name, student, *rest):
        ran.append(student)
        return autograde(name, student, *rest)

    monkeypatch.setattr(grading, "autograde", counted)
    assert small.grade() == before
    assert ran == []
    small.hand_in("bob", **RIGHT)
    assert small.grade()["bob"]["total"] == "6"
    assert ran == ["bob"]
    small.write([(kind, text.replace("two == 2", "two == 3"), marks) for kind, text, marks in SMALL])
    small.release()
    assert small.grade()["alice"]["two"] == "0"
    assert ran == ["bob", "alice", "bob"]


@pytest.mark.parametrize("change", ["removed", "added", "worth more", "asked anew"])
def test_a_problem_that_changes_after_grading_costs_no_points_by_hand(small, change):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.grade()
    small.by_hand("alice", "why", 3, "Well said.")
    added = ("code", "assert one + two == 3", {"grade_id": "sum-test", "grade": True, "locked": True, "points": 5})
    changed = {
        "removed": [cell for cell in SMALL if not cell[2].get("grade_id", "").startswith("three")],
        "added": [*SMALL, added],
        "worth more": [(k, t, m | {"points": 7} if m.get("grade_id") == "one-test" else m) for k, t, m in SMALL],
        "asked anew": [(k, t, m | {"points": 5} if m.get("grade_id") == "why" else m) for k, t, m in SMALL],
    }
    small.write(changed[change])
    small.release()
    row = small.grade()["alice"]
    assert row["why"] == "3"
    assert (row["total"], row["maximum"]) == {
        "removed": ("8", "9"), "added": ("14", "15"), "worth more": ("14", "15"), "asked anew": ("9", "11")
    }[change]  # fmt: skip
    flagged = "changed after points were given by hand: look at why"
    assert (flagged in row["remark"]) == (change == "asked anew")
    with Gradebook(course_directory(small.place, "small").db_url) as gradebook:
        assert gradebook.find_comment("why", "small", "small", "alice").comment == "Well said."


def test_points_by_hand_are_flagged_only_where_their_own_cell_has_changed(small):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.grade()
    small.by_hand("alice", "why", 3)
    small.hand_in("alice", **RIGHT | {"two": "two = 3"})
    row = small.grade()["alice"]
    assert (row["total"], row["why"], row["remark"]) == ("6", "3", "")
    small.hand_in("alice", **RIGHT | {"why": "So it is, by all means."})
    assert small.grade()["alice"]["remark"] == "changed after points were given by hand: look at why"
    small.hand_in("alice", **RIGHT | {"why": "So it is, by all means.", "one": "one = 2"})
    assert small.grade()["alice"]["remark"] == "changed after points were given by hand: look at why"


def test_a_score_depends_on_the_packages_that_an_answer_can_reach_and_no_others(small, monkeypatch):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.hand_in("bob", **RIGHT | {"two": "import nowhere\ntwo = 2"})
    small.grade()
    ran, autograde = [], grading.autograde
    monkeypatch.setattr(grading, "autograde", lambda name, who, *rest: ran.append(who) or autograde(name, who, *rest))
    monkeypatch.setattr(packages, "_owners", lambda: {"nowhere": ["numpy"], "other": ["pytest"]})
    small.grade()
    assert ran == ["bob"]
    monkeypatch.setattr(grading, "of_the_library", lambda: {"numpy==0.1"})
    small.grade()
    assert ran == ["bob", "alice", "bob"]


def test_one_student_alone_and_all_side_by_side_get_the_same_bytes(confined, monkeypatch):
    confined.release()
    for number in range(5):
        confined.hand_in(f"student {number}", **RIGHT | {"two": f"two = {number}"})
    files = []
    for together in (1, 3):
        monkeypatch.setattr(grading, "side_by_side", lambda together=together: together)
        courses.forget_versions(confined.place, "small")
        confined.grade()
        files.append([(confined.place / f"small{end}").read_bytes() for end in (".csv", ".html", "-canvas.csv")])
    assert files[0] == files[1]
    ran, autograde = [], grading.autograde
    monkeypatch.setattr(grading, "autograde", lambda name, who, *rest: ran.append(who) or autograde(name, who, *rest))
    courses.forget_versions(confined.place, "small")
    assert grade("small", confined.place, 20, "student 2") is None
    assert ran == ["student 2"]
    assert (confined.place / "small.csv").read_bytes() == files[0][0]
    with pytest.raises(SystemExit, match="'nobody' has handed in nothing"):
        grade("small", confined.place, 20, "nobody")


def test_a_hidden_test_that_changes_is_run_again_for_everybody(small):
    hidden = "\n### BEGIN HIDDEN TESTS\nassert one == {}\n### END HIDDEN TESTS"
    for wanted, points in ((1, "2"), (7, "0"), (1, "2")):
        cells = [
            (kind, text + hidden.format(wanted) if marks.get("grade_id") == "one-test" else text, marks)
            for kind, text, marks in SMALL
        ]
        small.write(cells)
        small.release()
        small.hand_in("alice", **RIGHT)
        assert small.grade()["alice"]["one"] == points


def test_problems_that_go_and_return_keep_their_points_those_by_hand_too(small):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.grade()
    small.by_hand("alice", "why", 3, "Well said.")
    before = small.grade()["alice"]
    small.release(problems=[1])
    small.release(problems=[1, 2, 3])
    again = small.grade()["alice"]
    assert {**again, "remark": ""} == {**before, "remark": ""}
    small.release(problems=[1, 3])
    assert small.grade()["alice"]["total"] == "3"
    small.release(problems=[1, 2, 3])
    assert small.grade()["alice"]["total"] == "9"
    with Gradebook(course_directory(small.place, "small").db_url) as gradebook:
        assert gradebook.find_comment("why", "small", "small", "alice").comment == "Well said."


def test_what_a_student_writes_runs_nowhere_in_a_teachers_browser(small):
    small.release()
    bad = [
        "<script>steal()</script>",
        "<img src=x onerror=steal()>",
        "<ScRiPt\n>steal()</sCrIpT>",
        "[here](javascript:steal())",
        "[there](java&#115;cript&#58;steal())",
        "[elsewhere][there]\n\n[there]: javascript:steal()",
        "<javascript:steal()>",
        "![x](data:text/html;base64,PHNjcmlwdD4=)",
        "a<b and $x<y$ &lt;script>steal()&lt;/script>",
        "<!--><script>steal()</script>-->",
        "https://steal.example/steal()",
    ]
    path = small.hand_in("eve", **RIGHT | {"why": "\n\n".join(bad), "one": "one = 1  # <script>steal()</script>"})
    notebook = read(path)
    retyped = nbformat.from_dict(notebook)
    for i, cell in enumerate(retyped.cells):  # what is text and what is code, the release says
        if identity(cell) in ("why", "one"):
            kind = nbformat.v4.new_code_cell if cell.cell_type == "markdown" else nbformat.v4.new_markdown_cell
            retyped.cells[i] = kind(cell.source + "\n\nx = one<two" * (identity(cell) == "one"), metadata=cell.metadata)
    nbformat.write(retyped, small.hand_in("ada"))
    notebook.cells += [
        nbformat.v4.new_markdown_cell("\n\n".join(bad)),
        nbformat.v4.new_raw_cell("<script>steal()</script>", metadata={"raw_mimetype": "text/html"}),
        nbformat.v4.new_code_cell("raise ValueError('<script>steal()</script>')"),
    ]
    notebook.metadata["title"] = "</title><script>steal()</script>"
    nbformat.write(notebook, path)
    small.grade()
    feedback("small", small.place)
    for student in ("eve", "ada"):
        page = (small.place / "feedback" / student / "small" / "small.html").read_text("utf-8")
        seen = BeautifulSoup(page, "html.parser")
        assert not [script for script in seen.find_all("script") if "steal" in script.text]
        for tag in seen.find_all(True):
            assert not [key for key in tag.attrs if key.startswith("on")]
            for key in ("href", "src"):
                leads = str(tag.get(key, "")).strip().lower()
                assert not leads.startswith(("javascript", "data:text"))
                assert "steal" not in leads
        assert "steal()" in seen.text
    assert "x = one<two" in seen.text


def test_what_an_answer_says_in_a_hidden_test_is_not_returned(confined):
    cells = [
        *SMALL[:3],
        (
            "code",
            "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION",
            {"grade_id": "f", "solution": True},
        ),
        (
            "code",
            "x = 1\nassert f(x) == x, 'not the same'\n"
            "### BEGIN HIDDEN TESTS\nx = 31415\nassert f(x) == x, 'not the same'\n"
            "float(f(x) + x)\n### END HIDDEN TESTS",
            {"grade_id": "f-test", "grade": True, "locked": True, "points": 2},
        ),
    ]
    confined.write(cells)
    confined.release()
    confined.hand_in("eve", f="def f(x):\n    if x > 1: raise ValueError(str(x))\n    return x")
    confined.hand_in("bob", f="def f(x):\n    return min(x, 2)")
    confined.hand_in("amy", f="def f(x):\n    return x + 1")
    said = "class S(int):\n    def __add__(self, x): return f'{x} apples'\ndef f(x):\n    return S(x)"
    confined.hand_in("sam", f=said.replace("S(int)", "S(float)"))
    frame = "'\\n  File \"<f-test>\", line 2\\n'"  # of a line that is shown
    confined.hand_in("ida", f=f"def f(x):\n    if x > 1: raise ValueError(f'{{x}} $x$' + {frame})\n    return x")
    feedback("small", confined.place)
    pages = {
        student: html.unescape(re.sub(r"<[^>]*>", "", path.read_text("utf-8")))
        for student in ("eve", "bob", "amy", "sam", "ida")
        for path in [confined.place / "feedback" / student / "small" / "small.html"]
    }
    assert not [student for student, page in pages.items() if "31415" in page]
    assert "f: ValueError" in pages["eve"]
    assert "f: ValueError" in pages["ida"]
    assert "f: AssertionError: not the same" in pages["bob"]
    assert "in the line\n    assert f(x) == x, 'not the same'" in pages["amy"]
    confined.hand_in("amy").write_text("{", encoding="utf-8")
    feedback("small", confined.place)
    assert not (confined.place / "feedback" / "amy" / "small" / "small.html").exists()


def test_a_bad_configuration_is_one_sentence_before_anything_is_scored(small):
    small.release()
    small.hand_in("alice", **RIGHT)
    for text in ("c = get_config(", "c.AssignLatePenalties.plugin_class = 'nowhere.Plugin'"):
        (small.place / "nbgrader_config.py").write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit, match=r"nbgrader_config.py: \w+"):
            small.grade()
    (small.place / "beside.py").write_text(
        "from nbgrader.plugins import LateSubmissionPlugin\nclass Mine(LateSubmissionPlugin): pass\n", encoding="utf-8"
    )
    (small.place / "nbgrader_config.py").write_text(
        "c.AssignLatePenalties.plugin_class = 'beside.Mine'\n", encoding="utf-8"
    )
    assert small.grade()["alice"]["total"] == "6"


def test_a_release_that_fails_leaves_the_gradebook_as_it_was(small, monkeypatch):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.grade()
    small.by_hand("alice", "why", 3)
    small.write(SMALL[:-3])
    monkeypatch.setattr(courses, "capture_log", lambda app: {"success": False, "error": "no", "log": ""})
    with pytest.raises(SystemExit, match="made no release"):
        small.release()
    monkeypatch.undo()
    with Gradebook(course_directory(small.place, "small").db_url) as gradebook:
        assert gradebook.find_grade("why", "small", "small", "alice").manual_score == 3
    assert not list(small.place.glob("*.before"))


def test_late_work_is_penalised_by_nbgraders_own_means_points_by_hand_included(small):
    small.release(due=courses.deadline("2027-05-01 12:00 UTC"))
    (small.place / "nbgrader_config.py").write_text(
        "from nbgrader.plugins import LateSubmissionPlugin\n"
        "class Tenth(LateSubmissionPlugin):\n"
        "    def late_submission_penalty(self, student_id, score, total_seconds_late):\n"
        "        return score / 10\n"
        "c = get_config()\n"
        "c.AssignLatePenalties.plugin_class = Tenth\n",
        encoding="utf-8",
    )
    times = {"early": "2027-05-01 14:00 +0200", "late": "2027-05-02 13:00:01.25 UTC", "odd": "2027-05-02 13:00"}
    for student, when in times.items():
        small.hand_in(student, **RIGHT).with_name("timestamp.txt").write_text(when, encoding="utf-8")
    small.hand_in("silent", **RIGHT)
    rows = small.grade()
    for student in rows:
        small.by_hand(student, "why", 4)
    rows = small.grade()
    assert {student: (row["penalty"], row["total"]) for student, row in rows.items()} == {
        "early": ("0", "10"),
        "late": ("1", "9"),
        "odd": ("0", "10"),
        "silent": ("0", "10"),
    }
    assert rows["late"]["remark"] == "came 1 day, 1:00:01 late"
    assert rows["odd"]["remark"] == "timestamp unreadable, so counts as in time: 2027-05-02 13:00"
    assert rows["silent"]["remark"] == "came without a time in timestamp.txt, so counts as in time"
    moodle = list(csv.reader((small.place / "small-moodle.csv").read_text("utf-8").splitlines()))
    assert {row[0]: row[2] for row in moodle[1:]} == {
        "early": "", "late": "1 taken off, because it came late", "odd": "", "silent": ""
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2027-05-14 17:55:03 +0200", "2027-05-14 15:55:03"),
        ("2027-05-14 15:55:03.123456 UTC", "2027-05-14 15:55:03.123456"),
        ("2027-05-14T15:55Z", "2027-05-14 15:55:00"),
        ("05.06.2027 17:00 +0200", None),
        ("14.05.2027 17:00", None),
        ("2027-05-14 17:55:03", None),
        ("2027-05-14 17:55:03 CEST", None),
        ("2027-05-14", None),
        ("2027-04-31 17:55 UTC", None),
        ("yesterday", None),
    ],
)
def test_a_time_is_read_as_strictly_as_the_deadline(text, read):
    found = courses.parse_time(text)
    assert (found and str(found)) == read


def test_a_name_in_no_encoding_keeps_nobody_from_the_table(small):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.hand_in("zed").rename(small.place / "submitted" / "zed" / "small" / os.fsdecode(b"caf\xe9\x1b[31m.ipynb"))
    rows = small.grade()
    assert rows["alice"]["total"] == "6"
    assert "caf\\udce9\\x1b[31m.ipynb" in rows["zed"]["remark"]


@pytest.mark.parametrize(("totals", "last"), [([], 20), ([0, 20], 20), ([3, 21.5], 22)])
def test_the_classs_page_counts_everybody(totals, last):
    edges = histogram_edges(totals, 20)
    assert edges[:11] == [2 * k for k in range(11)]
    assert edges[-1] == last


def test_tables_for_canvas_and_moodle(small):
    """Canvas: docs "How do I import grades in the Gradebook?"; Moodle: docs "Grade import", a column that says who."""
    small.release()
    small.hand_in("alice", **RIGHT)
    small.hand_in("bob", **RIGHT | {"two": "two = 3"})
    small.hand_in("torn").write_text("{", encoding="utf-8")
    small.hand_in("unread", **RIGHT)
    small.grade()
    for student in ("alice", "bob"):
        small.by_hand(student, "why", 1)
    small.grade()
    canvas, moodle = (
        list(csv.reader((small.place / f"small-{where}.csv").read_text("utf-8").splitlines()))
        for where in ("canvas", "moodle")
    )
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "small"]
    assert canvas[1] == ["    Points Possible", "", "", "", "", "10"]
    assert canvas[2:] == [["alice", "", "", "alice", "", "7"], ["bob", "", "", "bob", "", "4"]]
    assert moodle[0] == ["Username", "small", "small feedback"]
    assert [row[:2] for row in moodle[1:]] == [["alice", "7"], ["bob", "4"]]


def test_feedback_says_what_fails_and_why_and_shows_no_hidden_test(tmp_path):
    released = read(release("krr", 3, tmp_path))
    wrong = solved("krr", released)
    cell_of(wrong, "dual").source = "def dual(X, y, prices): return 0 * y"
    cell_of(wrong, "gcv").source = cell_of(wrong, "gcv").source.replace("return ", "return 1.001 * ")
    cell_of(wrong, "primal").source = "def primal(X, y, prices): return '<b>bold</b>'"
    hand_in(tmp_path, "krr", "wrong", wrong)
    hand_in(tmp_path, "krr", "untouched", released)
    hand_in(tmp_path, "krr", "torn", "{")
    feedback("krr", tmp_path)
    pages = {path.parts[-3]: path.read_text("utf-8") for path in (tmp_path / "feedback").glob("*/krr/krr.html")}
    assert pages.keys() == {"wrong", "untouched"}
    plain = {student: html.unescape(re.sub(r"<[^>]*>", "", page)) for student, page in pages.items()}
    assert "dual: AssertionError: dual: some w beats the one from your alpha" in plain["wrong"]
    assert '    assert not better, "dual: some w beats the one from your alpha"' in plain["wrong"]
    assert "Score: 0.0 / 1.0" in plain["wrong"]
    hidden = [
        line.strip()
        for cell in source("krr").cells
        for region in re.findall(r"### BEGIN HIDDEN TESTS\n(.*?)### END", cell.source, flags=re.DOTALL)
        for line in region.splitlines()
        if len(line.strip()) > 15
    ]
    shown = "\n".join(cell.source for cell in [*released.cells, *wrong.cells])
    hidden = [line for line in hidden if line not in shown]
    assert len(hidden) > 50
    autograded = (tmp_path / "autograded" / "wrong" / "krr" / "krr.ipynb").read_text("utf-8")
    assert sum(json.dumps(line)[1:-1] in autograded for line in hidden) > 50
    for page in plain.values():
        assert not [line for line in hidden if line in page]


def test_nbgraders_formgrader_opens_what_was_graded(small, tmp_path):
    small.release()
    small.hand_in("alice", **RIGHT)
    small.grade()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = tmp_path / "jupyter"
    config.mkdir()
    (config / "jupyter_server_config.py").write_text(
        f"c.ServerApp.allow_root = True\nc.ServerApp.open_browser = False\nc.ServerApp.port = {port}\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "JUPYTER_TOKEN": "known", "JUPYTER_CONFIG_DIR": str(config)}
    command = (
        "import sys, pathlib; from tools.teaching import teach; teach.formgrader('', pathlib.Path(sys.argv[1]), None)"
    )
    started = [sys.executable, "-c", command, str(small.place)]
    with subprocess.Popen(started, cwd=exercises.ROOT, env=environment, start_new_session=True) as process:
        try:
            address = f"http://127.0.0.1:{port}/formgrader/api/submitted_notebooks/small/small?token=known"
            for _ in range(120):
                try:
                    with urllib.request.urlopen(address) as answer:
                        found = json.load(answer)
                    page = f"http://127.0.0.1:{port}/formgrader/submissions/{found[0]['id']}/?token=known"
                    with urllib.request.urlopen(page) as answer:
                        page = answer.read().decode()
                    break
                except urllib.error.URLError:
                    time.sleep(0.5)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
    assert [(work["student"], work["score"], work["needs_manual_grade"]) for work in found] == [("alice", 6, True)]
    assert 'addRubrics({"why": [{"points": 0, "text": "a reason"}]});</script>\n</body>' in page


def test_solutions_on_paper_come_from_a_page_that_has_them_and_the_courses_data(small, tmp_path, monkeypatch):
    printed = []
    monkeypatch.setattr(teach, "ROOT", tmp_path)
    monkeypatch.setattr(teach, "print_page", lambda page, pdf: printed.append((page, pdf)))
    small.release(seed=7)
    page = tmp_path / "_build" / "html" / "book" / "exercises" / "small" / "small.html"
    page.parent.mkdir(parents=True)
    for text, says in {
        None: "There is no built book yet",
        "<b>SEED</b> = 7": "built without solutions",
        '<p class="tag_solution"><b>SEED</b> = 8': "built with other data than SEED=7",
    }.items():
        if text:
            page.write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit, match=says):
            teach.solutions("small", small.place, None)
    page.write_text('<p class="tag_solution"><b>SEED</b> = 7', encoding="utf-8")
    teach.solutions("small", small.place, None)
    assert printed == [(page, small.place / "solutions" / "small.pdf")]


def test_a_new_exercise_fails_its_checks_until_it_is_filled(small):
    path = new_exercise.new_exercise("kernel-means")
    with pytest.raises(SystemExit, match="already exists"):
        new_exercise.new_exercise("kernel-means")
    for name in ("Kernel means", "../x", ""):
        with pytest.raises(SystemExit, match="NAME must be small letters"):
            new_exercise.new_exercise(name)
    total = []
    for fill in ({}, {"raise NotImplementedError": "return 2 * x  #"}, {"assert False": "assert answer(2) == 4"}):
        notebook = read(path)
        for cell in notebook.cells:
            for old, new in fill.items():
                cell.source = cell.source.replace(old, new)
        nbformat.write(notebook, path)
        release("kernel-means", course=small.place)
        released = read(small.place / "release" / "kernel-means" / "kernel-means.ipynb")
        assert "MODEL ANSWER" not in nbformat.writes(released)
        for cell in notebook.cells:
            if identity(cell) == "answer":
                cell_of(released, "answer").source = cell.source
        handed = small.place / "submitted" / "solution" / "kernel-means" / "kernel-means.ipynb"
        handed.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(released, handed)
        total.append(table(grade("kernel-means", small.place, 20))["solution"]["total"])
    assert total == ["0", "0", "1"]


@pytest.mark.parametrize("name", NAMES)
def test_every_problem_can_be_chosen_with_those_that_it_needs(name):
    whole = source(name)
    numbers, titles = problems_of(whole)
    assert list(titles) == [*range(1, max(titles) + 1)]
    for number in titles:
        with_what_it_needs = {number}
        while missing := exercises.missing_dependency(whole, sorted(with_what_it_needs)):
            with_what_it_needs.add(missing[1])
        chosen = variant(whole, problems=sorted(with_what_it_needs))
        there = {identity(cell) for cell in chosen.cells if is_graded(cell)}
        assert there == {
            identity(cell)
            for cell, of in zip(whole.cells, numbers, strict=True)
            if is_graded(cell) and of in with_what_it_needs
        }


def test_a_problem_chosen_alone_can_earn_its_points(tmp_path):
    released = read(release("krr", 3, problems=[3, 7], course=tmp_path))
    hand_in(tmp_path, "krr", "solution", solved_part("krr", released))
    row = table(grade("krr", tmp_path, 20))["solution"]
    assert json.loads((tmp_path / "assignments.json").read_text("utf-8"))["krr"]["problems"] == [3, 7]
    assert row["maximum"] == row["total"] == "5"


def solved_part(name, released):
    whole = solved(name, read_release_of_all(name))
    answers = {identity(cell): cell.source for cell in whole.cells if identity(cell)}
    part = nbformat.from_dict(released)
    for cell in part.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answers[identity(cell)]
    return part


def read_release_of_all(name):
    return exercises.student_version(source(name))
