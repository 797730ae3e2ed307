"""Each student's own data, archives from Canvas and Moodle, checks before the deadline, and a teacher's rubric."""

import json
import zipfile
from datetime import UTC, datetime

import nbformat
import pytest

from tests.teaching.small import examine_here, notebook_of
from tests.teaching.test_course import SMALL, confined, small  # noqa: F401
from tests.teaching.test_exercises import NAMES, source
from tools.teaching import checking, teach
from tools.teaching.collecting import collect
from tools.teaching.course import deadline
from tools.teaching.exercises import identity, is_graded, is_test, read, seed_of, variant
from tools.teaching.feedback import finish
from tools.teaching.formgrader import parts_of, rubrics, with_buttons
from tools.teaching.overview import write_overview
from tools.teaching.score_tables import Score
from tools.teaching.students import read_list, seed_for, set_handing_out

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
SEEDED = [
    *SMALL[:3],
    ("code", "one = None\n### BEGIN SOLUTION\none = SEED\n### END SOLUTION", {"grade_id": "one", "solution": True}),
    (
        "code",
        "assert one is not None, 'one: None'\n### BEGIN HIDDEN TESTS\nassert one == SEED, 'one: not the seed'\n"
        "### END HIDDEN TESTS",
        {"grade_id": "one-test", "grade": True, "locked": True, "points": 2},
    ),
]


def test_each_student_has_data_of_the_own_that_every_step_follows(small, monkeypatch):  # noqa: F811
    small.write(SEEDED)
    listed = small.place.parent / "list.csv"
    listed.write_text("Student,ID,SIS Login ID\nAda,11,ada\nBen,12,ben\n,,\n", encoding="utf-8")
    monkeypatch.setattr(
        "sys.argv", ["teach", "assignment", "small", "--seed=7", "--per-student=1", f"--students={listed}"]
    )
    teach.main()
    seeds = {}
    for student in ("ada", "ben"):
        own = read(small.place / "handed_out" / student / "small" / "small.ipynb")
        seeds[student] = seed_of(own)
        small.hand_in(student, setup=f"SEED = {seeds[student]}", one=f"one = {seeds[student]}")
    assert len({7, *seeds.values()}) == 3
    small.hand_in("cleo", setup=f"SEED = {seeds['ada']}", one=f"one = {seeds['ada']}")
    rows = small.grade()
    assert [rows[student]["total"] for student in ("ada", "ben", "cleo")] == ["2", "2", "0"]
    assert rows["ada"]["remark"] == ""
    own = seed_for("cleo", "small", 7, small.place)
    assert rows["cleo"]["remark"] == f"came with SEED {seeds['ada']}, that of ada, graded with {own}"
    graded = read(small.place / "autograded" / "ben" / "small" / "small.ipynb")
    assert seed_of(graded) == seeds["ben"]
    monkeypatch.setattr("sys.argv", ["teach", "assignment", "small", "--per-student=0"])
    with pytest.raises(SystemExit, match="PER_STUDENT stays as it is"):
        teach.main()


def test_a_seed_comes_from_the_secret_and_stays(tmp_path):
    assert seed_for("ada", "krr", 7, tmp_path) == 7
    for name in ("krr", "svr"):
        set_handing_out(tmp_path, name, per_student=True)
    first = seed_for("ada", "krr", 7, tmp_path)
    assert first == seed_for("ada", "krr", 7, tmp_path) != seed_for("ada", "svr", 7, tmp_path)
    assert first != seed_for("ada", "krr", 8, tmp_path)
    (tmp_path / "secret.txt").write_text("another\n", encoding="utf-8")
    assert first != seed_for("ada", "krr", 7, tmp_path)


def test_a_list_of_students_that_cannot_be_read_is_one_sentence(tmp_path):
    path = tmp_path / "list.txt"
    with pytest.raises(SystemExit, match="There is no list of students"):
        read_list(path)
    path.write_text("Name;Mark\nAda;1\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="needs a column called login"):
        read_list(path)
    path.write_text("ada\n../ben\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"'\.\./ben' cannot be the name of a folder"):
        read_list(path)
    path.write_text("ada\n\nben\n", encoding="utf-8")
    assert [row["login"] for row in read_list(path)] == ["ada", "ben"]


def archive(path, **files):
    with zipfile.ZipFile(path, "w") as written:
        for name, text in files.items():
            written.writestr(name, text)
    return path


def test_canvas_s_archive_goes_into_the_students_folders(tmp_path, capsys):
    """Names as lib/content_zipper.rb of Canvas makes them."""
    path = archive(
        tmp_path / "submissions.zip",
        **{
            "doejane_1234_777_krr.ipynb": "jane",
            "roejohn_LATE_1235_801_krr-2.ipynb": "john, again",
            "roejohn_LATE_1235_795_other.ipynb": "john, first",
            "../../evil_9_9_krr.ipynb": "evil",
            "readme.txt": "not a notebook",
            "krr.ipynb": "whose?",
        },
    )
    listed = tmp_path / "export.csv"
    listed.write_text("Student,ID,SIS Login ID,time\nDoe,1234,jdoe,2027-05-14 17:55 +0200\n", encoding="utf-8")
    assert collect(path, "krr", tmp_path / "course", listed) == 3
    found = tmp_path / "course" / "submitted"
    assert sorted(place.name for place in found.iterdir()) == ["evil_9", "jdoe", "roejohn_1235"]
    assert (found / "jdoe" / "krr" / "krr.ipynb").read_text("utf-8") == "jane"
    assert (found / "jdoe" / "krr" / "timestamp.txt").read_text("utf-8") == "2027-05-14 17:55 +0200\n"
    assert (found / "roejohn_1235" / "krr" / "krr.ipynb").read_text("utf-8") == "john, again"
    assert not (found / "roejohn_1235" / "krr" / "timestamp.txt").exists()
    notes = json.loads((found / "roejohn_1235" / "krr" / "collected.json").read_text("utf-8"))
    assert notes == {"late": True, "others": ["roejohn_LATE_1235_795_other.ipynb"]}
    assert "neither Canvas nor Moodle names a file so: krr.ipynb" in capsys.readouterr().out
    archive(path, **{"doejane_1234_790_krr-1.ipynb": "jane, again"})
    collect(path, "krr", tmp_path / "course", listed)
    assert (found / "jdoe" / "krr" / "krr.ipynb").read_text("utf-8") == "jane, again"


def test_moodle_s_archive_goes_into_the_students_folders(tmp_path):
    """Names as mod/assign of Moodle makes them, with folders and without, and with marking that hides names."""
    path = archive(
        tmp_path / "all.zip",
        **{
            "Jane Doe_1327627_assignsubmission_file/krr.ipynb": "jane",
            "John Roe_1327628_assignsubmission_file_/krr (1).ipynb": "john",
            "Max Muster_1327629_assignsubmission_file_krr.ipynb": "max",
            "Participant_1327630_assignsubmission_file/krr.ipynb": "nobody",
            "Jane Doe_1327627_assignsubmission_onlinetext/onlinetext.html": "<p>hello</p>",
        },
    )
    listed = tmp_path / "grading.csv"
    listed.write_text("Identifier,Full name,Email address\nParticipant 1327628,John,jr@x.edu\n", encoding="utf-8")
    assert collect(path, "krr", tmp_path / "course", listed) == 4
    found = tmp_path / "course" / "submitted"
    assert {place.name: (place / "krr" / "krr.ipynb").read_text("utf-8") for place in found.iterdir()} == {
        "Jane Doe_1327627": "jane", "jr@x.edu": "john", "Max Muster_1327629": "max", "Participant_1327630": "nobody",
    }  # fmt: skip
    with pytest.raises(SystemExit, match="FILE must be an archive of submissions"):
        collect(listed, "krr", tmp_path / "course")


def test_a_student_may_check_as_often_as_is_allowed_and_sees_no_hidden_test(small, monkeypatch):  # noqa: F811
    small.write(SEEDED)
    small.release(due=deadline("2027-05-01 12:00 UTC"))
    small.hand_in("ada", one="one = None")
    monkeypatch.setattr(checking, "examine", examine_here)
    early, late = (datetime(2027, 5, day, tzinfo=UTC) for day in (1, 2))
    with pytest.raises(SystemExit, match="CHECKS=3' allows three"):
        checking.check("small", small.place, now=early)
    set_handing_out(small.place, "small", checks=2)
    said = []
    for text in ("one = None", "one = None", "one = 9", "one = 5", "one = 5"):
        small.hand_in("ada", one=text)
        checking.check("small", small.place, now=early)
        said.append((small.place / "checked" / "ada" / "small.txt").read_text("utf-8").split("\n\n"))
    assert [lines[0] for lines in said[:2]] == ["one: AssertionError: one: None\nin the line\n"
        "    assert one is not None, 'one: None'"] * 2  # fmt: skip
    assert [lines[-1][:12] for lines in said] == ["Check 1 of 2"] * 2 + ["Check 2 of 2"] * 3
    assert said[-1][0] == "one: passes"  # nine is wrong, which a hidden test would say
    with pytest.raises(SystemExit, match="The deadline is over"):
        checking.check("small", small.place, now=late)
    assert not (small.place / "autograded").exists()


def test_the_classs_page_counts_nobody_unread_as_zero_and_names_copies(tmp_path):
    released = notebook_of(SMALL)
    points = {"one-test": 2, "two-test": 3, "why": None, "three-test": 0}
    scores = [
        Score("ada", points, 0.0, "", ("same as the published solution in 3 of 3",)),
        Score("ben", points | {"why": 4}, 0.0, ""),
    ]
    write_overview("small", tmp_path, released, scores)
    page = (tmp_path / "small.html").read_text("utf-8")
    assert "2 scored, of 6 points that tests give: from 5 to 5" in page
    assert "<td>2. Two</td><td>7</td><td>7</td><td>1</td><td>0</td><td>0</td><td>1</td>" in page
    assert "<li>ada: same as the published solution in 3 of 3</li>" in page
    for kind in ("all points", "some", "none", "not read yet"):  # in the legend
        assert f"<!-- {kind} -->" in page


PAGE = """<html><head><title>small</title><script src="https://x.example/MathJax.js"></script></head><body>
<h4>small (Score: 5.0 / 10.0)</h4><div id="toc"><ol>
<li><a href="#two-test">Test cell</a> (Score: 3.0 / 3.0)</li>
<li><a href="#why">Written response</a> (Score: 0.0 / 4.0)</li></ol></div>
<div class="nbgrader_cell"><a name="why"></a><div class="panel-heading"><span class="nbgrader-label">Student's answer
</span><span class="pull-right">Score: 0.0 / 4.0 <a href="#top">(Top)</a></span></div></div>
<div class="text_cell_render"><p>So $x_1 &lt; y$, and <code>$no$</code>.</p></div></body></html>"""


def test_a_page_of_feedback_names_the_problems_and_asks_no_other_host():
    released = notebook_of(SMALL)
    score = Score("ada", {"one-test": 2, "two-test": 3, "why": None, "three-test": 0}, 0.0, "")
    page = finish(PAGE, released, score)
    assert "<script" not in page
    assert "https://x.example" not in page
    assert '<a href="#two-test">2. Two (two)</a> (Score: 3.0 / 3.0)' in page
    assert '<a href="#why">2. Two (why)</a> (not read yet, of 4)' in page
    assert "not read yet, of 4 <a" in page
    assert "small (Score: 5 of the 6 points that are given so far)" in page
    assert "<math" in page
    assert "<code>$no$</code>" in page


@pytest.mark.parametrize("name", NAMES)
def test_every_rubric_has_a_button_for_each_point(name, tmp_path):
    path = tmp_path / "source" / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(source(name), path)
    found = rubrics(tmp_path)
    for cell in source(name).cells:
        if is_graded(cell) and not is_test(cell):
            parts = found[identity(cell)]
            assert sum(part["points"] for part in parts) in (0, cell.metadata.nbgrader.points)
            assert len(parts) >= 2
    page = with_buttons("<body></body>", tmp_path)
    assert page.count("addRubrics(") == 2
    assert page.count("</script>") == 1


def test_a_rubric_is_read_by_its_points():
    rubric = 'one for the condition, and\nwhy; one for the proof. "The first is false" earns none.'
    assert parts_of(rubric, 2) == [
        {"points": 1, "text": "the condition, and why"},
        {"points": 1, "text": "the proof"},
        {"points": 0, "text": '"The first is false" earns none.'},
    ]
    assert [part["points"] for part in parts_of(rubric, 3)] == [0, 0, 0]  # who knows which part earns two?


def test_chosen_problems_change_the_number_the_points_and_the_hours():
    start = variant(source("krr"), problems=[3, 7]).cells[0].source.split("\n\n")[2]
    assert start.startswith("Problems 3 and 7 of 10 on kernel ridge regression, worth 5 points; allow 70 minutes.")
    assert "34 points" not in start


def test_as_root_formgrader_says_what_to_do(small, monkeypatch):  # noqa: F811
    small.release()
    monkeypatch.setattr(teach.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(teach, "root_is_allowed", lambda: False)
    with pytest.raises(SystemExit, match="Run this from another account"):
        teach.formgrader("", small.place, None)
