"""The students of a course: who they are, in a list that the teacher has, and the seed that each of them gets."""

import csv
import hashlib
import hmac
import io
import json
import secrets
from pathlib import Path

import nbformat

from tools.teaching.exercises import read, variant
from tools.teaching.submissions import is_plain_name

# The columns of a login in the tables that Canvas and Moodle export, best first.
LOGINS = ("login", "SIS Login ID", "Username", "ID number", "Email address")


def read_list(path):
    """The rows of a list of students, each with its `login`.

    The list is a table with a header, as Canvas and Moodle export it, or a text with one login a line.
    """
    path = Path(path)
    if not path.is_file():
        raise SystemExit(f"There is no list of students at {path}.")
    text = path.read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    column = next((name for name in LOGINS if rows and name in rows[0]), None)
    if column is None:
        if "," in text or ";" in text:
            raise SystemExit(f"{path} needs a column called {', '.join(LOGINS[:-1])} or {LOGINS[-1]}.")
        rows = [{"login": line.strip()} for line in text.splitlines() if line.strip()]
    else:
        rows = [row | {"login": row[column].strip()} for row in rows if (row[column] or "").strip()]
    if bad := [row["login"] for row in rows if not is_plain_name(row["login"])]:
        raise SystemExit(f"{path}: {bad[0]!r} cannot be the name of a folder.")
    return rows


def options_path(course):
    return course / "handing_out.json"


def handing_out(course, name):
    """How an assignment is handed out: `per_student`, whether each student has a seed; `checks`, how many are allowed.

    These options are None while nobody has chosen them.
    """
    path = options_path(course)
    options = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"per_student": None, "checks": None} | options.get(name, {})


def set_handing_out(course, name, **options):
    path = options_path(course)
    before = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    chosen = {key: value for key, value in options.items() if value is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(before | {name: before.get(name, {}) | chosen}, indent=1) + "\n", encoding="utf-8")


def secret(course):
    """The course's secret, made when it is first needed. Who knows it and a login knows the student's seed."""
    path = course / "secret.txt"
    if not path.is_file():
        path.touch(0o600)
        path.write_text(secrets.token_hex(32) + "\n", encoding="utf-8")
    return path.read_text("utf-8").strip()


def seed_for(student, name, seed, course):
    """The seed of a student in an assignment whose own seed is `seed`; the same, unless each student has one."""
    if not handing_out(course, name)["per_student"]:
        return seed
    digest = hmac.new(secret(course).encode(), f"{name}\0{seed}\0{student}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:4])


def write_notebooks(name, seed, course, logins):
    """Write each student's own notebook into handed_out/; returns that folder.

    Who already has one gets it anew, for the problems may have changed.
    """
    folder = course / "handed_out"
    released = read(course / "release" / name / f"{name}.ipynb")
    known = {path.parts[-3] for path in folder.glob(f"*/{name}/{name}.ipynb")}
    for student in sorted(known | set(logins)):
        path = folder / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(variant(released, seed_for(student, name, seed, course)), path)
    return folder
