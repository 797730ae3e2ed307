"""The teacher's commands, which the Makefile calls: hand out exercises, score submissions, write feedback."""

import argparse
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

from jupyter_core.paths import jupyter_config_dir, jupyter_config_path

from tools.bookbuild.printing import print_page
from tools.teaching import collecting, course
from tools.teaching.exercises import PROBLEM, ROOT, read, seed_of
from tools.teaching.new_exercise import new_exercise
from tools.teaching.students import handing_out, read_list, set_handing_out, write_notebooks

NBGRADER_EXTENSIONS = ["formgrader", "assignment_list", "course_list", "validate_assignment"]


def parse_number(option, text):
    """The number in an option, or None if it is empty."""
    if text and not re.fullmatch("[0-9]+", text):
        raise SystemExit(f"{option} must be a whole number from 0 on, not {text!r}.")
    return int(text) if text else None


def parse_seed(text):
    """The number in SEED, or None if it is empty."""
    if text and not re.fullmatch("[0-9]+", text):
        raise SystemExit(f"SEED must be a whole number from 0 on, as in SEED=2027, not {text!r}.")
    return int(text) if text else None


def parse_problems(text):
    """The numbers in PROBLEMS, sorted and without repetition, or None if it is empty."""
    numbers = re.split("[ ,]+", text.strip(" ,"))
    if text and not all(re.fullmatch("[0-9]+", number) for number in numbers):
        raise SystemExit(f"PROBLEMS must be numbers of problems, as in PROBLEMS='1 3', not {text!r}.")
    return sorted({int(number) for number in numbers}) if text else None


def parse_yes(option, text):
    """Whether an option says yes, or None if it is empty."""
    if text not in ("", "0", "1"):
        raise SystemExit(f"{option} must be 1 or 0, not {text!r}.")
    return bool(int(text)) if text else None


def assignment(name, where, options):
    choice = {"problems": parse_problems(options.problems), "due": course.deadline(options.due)}
    seed, per_student = parse_seed(options.seed), parse_yes("PER_STUDENT", options.per_student)
    checks = parse_number("CHECKS", options.checks)
    logins = [row["login"] for row in read_list(options.students)] if options.students else []
    if not options.seed and name not in course.assignment_settings(where):
        print("No SEED was given, so the data are the book's own, whose solutions are published: add SEED=2027, say.")
    before = handing_out(where, name)["per_student"]
    if per_student is not None and per_student != bool(before) and (handed := course.handed_in(where, name)):
        raise SystemExit(f"{len(handed)} have handed {name} in, so PER_STUDENT stays as it is in this course.")
    path = course.release(name, seed, where, **choice)
    set_handing_out(where, name, per_student=per_student, checks=checks)
    settings = course.assignment_settings(where)[name]
    if handing_out(where, name)["per_student"]:
        folder = write_notebooks(name, settings["seed"], where, logins)
        print(f"Hand out: {folder}/<student>/{name}/{name}.ipynb, to each student the notebook in the student's folder")
        print(f"Data:     a seed for each student, from {where / 'secret.txt'}, which nobody else should have")
    else:
        print(f"Hand out: {path}")
        print(f"Data:     SEED={settings['seed']}")
    titles = [found[0].removeprefix("## ") for cell in read(path).cells for found in PROBLEM.finditer(cell.source)]
    print(f"Problems: {'; '.join(titles)}")
    if end := course.due(name, where):
        print(f"Deadline: {end:%Y-%m-%d %H:%M} UTC")
    again = f"make grade NAME={name}" + (f" COURSE={options.course}" if options.course else "")
    print(f"Collect:  {where / 'submitted'}/<student>/{name}/{name}.ipynb, then '{again}'")


def collect(name, where, options):
    course.released_notebook(name, where)
    count = collecting.collect(options.file, name, where, options.students)
    print(f"Collected: {count} in {where / 'submitted'}")


def check(name, where, options):
    from tools.teaching.checking import check

    course.released_notebook(name, where)
    print(f"For the students: {check(name, where, options.student)}/<student>/{name}.txt")


def grade(name, where, options):
    from tools.teaching.grading import grade  # the import takes seconds

    if table := grade(name, where, student=options.student):
        print(f"Scores: {table}")
    else:
        print("The tables and the class's page are written by 'make grade' without STUDENT.")


def feedback(name, where, options):
    from tools.teaching.feedback import feedback

    print(f"Pages to return: {feedback(name, where, options.student)}/<student>/{name}/{name}.html")


def formgrader(name, where, options):
    """Serve nbgrader's pages for reading answers and giving points and comments by hand, until Ctrl-C."""
    if not (where / "gradebook.db").is_file():
        raise SystemExit("There is no gradebook yet: run 'make assignment' and 'make grade' first.")
    extensions = {f"nbgrader.server_extensions.{part}": part == "formgrader" for part in NBGRADER_EXTENSIONS}
    settings = [f"--ServerApp.jpserver_extensions={extensions}", "--ServerApp.default_url=/formgrader"]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and not root_is_allowed():
        raise SystemExit(
            "Jupyter serves no pages as root, since who reaches them could do anything here. Run this from another "
            "account; or, in a container of your own, set c.ServerApp.allow_root = True in "
            f"{jupyter_config_dir()}/jupyter_server_config.py."
        )
    started = [sys.executable, "-m", "tools.teaching.formgrader", *settings]
    subprocess.run(started, cwd=where, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)


def root_is_allowed():
    files = [Path(folder) / "jupyter_server_config" for folder in jupyter_config_path()]
    return any(
        path.with_suffix(ending).is_file() and "allow_root" in path.with_suffix(ending).read_text("utf-8")
        for path in files
        for ending in (".py", ".json")
    )


def exercise(name, where, options):
    path = new_exercise(name)
    print(f"Fill:  {path}")
    print(f"Check: .venv/bin/python -m pytest tests/teaching/test_exercises.py tests/notebooks -k {name}")
    print(f"Then add book/exercises/{name}/{name} to _toc.yml, and wrong answers to tests/teaching/submissions/{name}/")


def solutions(name, where, options):
    """Print the exercises' page, with everything unfolded, as a PDF."""
    page = ROOT / "_build" / "html" / "book" / "exercises" / name / f"{name}.html"
    settings, source = course.assignment_settings(where).get(name, {}), course.source_path(name)
    if not page.is_file():
        raise SystemExit("There is no built book yet: run 'make book' first.")
    text, seed = page.read_text("utf-8"), settings.get("seed", seed_of(read(source)))
    if "tag_solution" not in text:
        raise SystemExit("The book was built without solutions: run 'make book' first.")
    if f"SEED = {seed}" not in re.sub("<[^>]*>", "", text):
        raise SystemExit(f"The book was built with other data than SEED={seed}: run 'make book' first.")
    path = where / "solutions" / f"{name}.pdf"
    print_page(page, path)
    print(f"Solutions: {path}")


COMMANDS = {
    "assignment": assignment, "collect": collect, "check": check, "grade": grade, "feedback": feedback,
    "formgrader": formgrader, "exercise": exercise, "solutions": solutions,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.teaching.teach", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("name", nargs="?", default="")
    for option in ("course", "seed", "problems", "due", "per-student", "students", "checks", "file", "student"):
        parser.add_argument(f"--{option}", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", module="nbgrader")  # about its database; a teacher can do nothing about them
    try:
        COMMANDS[options.command](options.name, course.course_named(options.course), options)
    except KeyboardInterrupt:
        raise SystemExit("\nInterrupted. Finished scores are kept; the same command continues from there.") from None


if __name__ == "__main__":
    main()
