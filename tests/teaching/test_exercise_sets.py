"""The page for teachers: each of its commands, run in its order on a class of made-up submissions."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.teaching.test_exercises import by_hand, cell_of, hand_in, maxima, solved, source, table
from tools.teaching.exercises import SOURCES, is_graded, problem_summaries, read, seed_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)$", PAGE, flags=re.MULTILINE)
ELSEWHERE = ["make formgrader"]  # it runs until it is ended: test_exercises_course.py


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The files of the repository in a new folder, with the virtual environment of this one."""
    place = tmp_path_factory.mktemp("checkout")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    (place / ".venv").symlink_to(ROOT / ".venv")
    return place


def run(command, folder):
    environment = {**os.environ, "MAKEFLAGS": "--old-file=.venv/installed"}  # which this folder shall not make anew
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(not (ROOT / ".venv" / "installed").exists(), reason="there is no .venv, which the commands use")
def test_every_command_does_what_the_page_says(checkout):
    course, said = checkout / "_build" / "nbgrader", {}
    (checkout / "students.csv").write_text("Student,ID,SIS Login ID\nDora,11,dora\n", encoding="utf-8")
    with zipfile.ZipFile(checkout / "submissions.zip", "w") as archive:
        archive.write(SOURCES / "krr" / "krr.ipynb", "dora_11_12_krr.ipynb")
    for command in COMMANDS:
        if command in ELSEWHERE:
            continue
        said[command] = run(command, checkout)
        if not (course / "submitted").exists():
            released = read(course / "release" / "krr" / "krr.ipynb")
            wrong = solved("krr", released)
            cell_of(wrong, "dual").source = "def dual(X, y, prices): return 0 * y"
            for student, notebook in {"ada": solved("krr", released), "ben": wrong, "cleo": released}.items():
                path = hand_in(course, "krr", student, notebook)
                path.with_name("timestamp.txt").write_text("2027-05-14 17:55:03 +0200\n", encoding="utf-8")
            path.with_name("timestamp.txt").write_text("2027-05-15 17:55:03 +0200\n", encoding="utf-8")
    assert [command for command in COMMANDS if command.split()[1] in ("assignment", "grade", "feedback", "wheel")]
    rows, full = table(course / "krr.csv"), sum(maxima(released).values())
    assert {student: float(row["total"]) for student, row in rows.items()} == {"ada": full, "ben": full - 1, "cleo": 0}
    assert float(rows["ada"]["maximum"]) == full + sum(by_hand(released).values())
    assert "late" in rows["cleo"]["remark"]
    assert "late" not in rows["ada"]["remark"] + rows["ben"]["remark"]
    for student in rows:
        assert (course / "feedback" / student / "krr" / "krr.html").is_file()
    for name in ("krr.html", "krr-canvas.csv", "krr-moodle.csv"):
        assert (course / name).is_file()
    assert (course / "submitted" / "dora" / "krr" / "krr.ipynb").is_file()
    assert seed_of(read(course / "handed_out" / "dora" / "svr" / "svr.ipynb")) != 2027
    assert (course.with_name("nbgrader-2028") / "release" / "krr" / "krr.ipynb").is_file()
    assert not (checkout / "build").exists()
    (wheel,) = (checkout / "_build" / "wheel").glob("*.whl")
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"kernelbook"}


def test_files_that_the_page_names_are_those_that_are_written():
    for name in ("krr.csv", "krr.html", "krr-canvas.csv", "krr-moodle.csv", "feedback/<student>/krr/krr.html"):
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", sorted(path.stem for path in SOURCES.glob("*/*.ipynb")))
def test_every_problem_says_what_a_teacher_chooses_by(name):
    notebook = source(name)
    problems = problem_summaries(notebook)
    points = sum(cell.metadata.nbgrader.points for cell in notebook.cells if is_graded(cell))
    assert sum(problem.points for problem in problems) == points
    for problem in problems:
        assert 2 <= len(problem.topic.split()) <= 9
        assert set(problem.kind.split(", ")) <= {"derive", "by hand", "program", "data", "refute", "argue"}
        assert 3 <= problem.minutes <= 180
        assert 1 <= problem.stars <= 3
    if not name.endswith("-drills"):  # drills are graded by tests alone
        assert any(problem.by_hand for problem in problems)
