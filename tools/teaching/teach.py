"""The teacher's commands, which the Makefile calls: hand out exercises, score submissions, write feedback."""

import argparse
import re
import subprocess
import sys
import warnings

from tools.bookbuild.printing import print_page
from tools.teaching import course
from tools.teaching.exercises import PROBLEM, ROOT, read, seed_of
from tools.teaching.new_exercise import new_exercise

NBGRADER_EXTENSIONS = ["formgrader", "assignment_list", "course_list", "validate_assignment"]


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


def assignment(name, where, options):
    choice = {"problems": parse_problems(options.problems), "due": course.deadline(options.due)}
    if not options.seed and name not in course.assignment_settings(where):
        print("No SEED was given, so the data are the book's own, whose solutions are published: add SEED=2027, say.")
    path = course.release(name, parse_seed(options.seed), where, **choice)
    settings = course.assignment_settings(where)[name]
    print(f"Hand out: {path}")
    print(f"Data:     SEED={settings['seed']}")
    titles = [found[0].removeprefix("## ") for cell in read(path).cells for found in PROBLEM.finditer(cell.source)]
    print(f"Problems: {'; '.join(titles)}")
    if end := course.due(name, where):
        print(f"Deadline: {end:%Y-%m-%d %H:%M} UTC")
    again = f"make grade NAME={name}" + (f" COURSE={options.course}" if options.course else "")
    print(f"Collect:  {where / 'submitted'}/<student>/{name}/{name}.ipynb, then '{again}'")


def grade(name, where, options):
    from tools.teaching.grading import grade  # the import takes seconds

    print(f"Scores: {grade(name, where)}")


def feedback(name, where, options):
    from tools.teaching.feedback import feedback

    print(f"Pages to return: {feedback(name, where)}/<student>/{name}/{name}.html")


def formgrader(name, where, options):
    """Serve nbgrader's pages for reading answers and giving points and comments by hand, until Ctrl-C."""
    if not (where / "gradebook.db").is_file():
        raise SystemExit("There is no gradebook yet: run 'make assignment' and 'make grade' first.")
    extensions = {f"nbgrader.server_extensions.{part}": part == "formgrader" for part in NBGRADER_EXTENSIONS}
    settings = [f"--ServerApp.jpserver_extensions={extensions}", "--ServerApp.default_url=/formgrader"]
    subprocess.run([sys.executable, "-m", "jupyter_server", *settings], cwd=where, check=False)


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
    "assignment": assignment, "grade": grade, "feedback": feedback, "formgrader": formgrader, "exercise": exercise,
    "solutions": solutions,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.teaching.teach", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("name", nargs="?", default="")
    for option in ("course", "seed", "problems", "due"):
        parser.add_argument(f"--{option}", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", module="nbgrader")  # about its database; a teacher can do nothing about them
    try:
        COMMANDS[options.command](options.name, course.course_named(options.course), options)
    except KeyboardInterrupt:
        raise SystemExit("\nInterrupted. Finished scores are kept; the same command continues from there.") from None


if __name__ == "__main__":
    main()
