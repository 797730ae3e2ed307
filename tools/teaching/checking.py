"""Run the visible tests of submissions before the deadline, exactly as they are graded: `make check NAME=krr`.

A student may have a submission checked as often as the assignment allows. What was not changed is not run again and
costs no check. Hidden tests do not run, and no points are stored.
"""

import json
from datetime import UTC, datetime

import nbformat

from tools.teaching.course import due
from tools.teaching.examination import examine, given_names, job_for
from tools.teaching.exercises import identity, is_test, variant
from tools.teaching.grading import SECONDS, Assignment, chosen, works_of
from tools.teaching.reasons import reason
from tools.teaching.sandbox import safety_warning
from tools.teaching.score_tables import write_atomically
from tools.teaching.students import handing_out
from tools.teaching.submissions import rebuilt


def check(name, course, student="", seconds=SECONDS, now=None):
    """Write checked/<student>/<name>.txt for what is new in submitted/; returns the folder."""
    allowed, end = handing_out(course, name)["checks"] or 0, due(name, course)
    if not allowed:
        raise SystemExit(f"No checks are allowed: 'make assignment NAME={name} CHECKS=3' allows three a student.")
    if end and (now or datetime.now(UTC)).replace(tzinfo=None) > end:
        raise SystemExit(f"The deadline is over, so nothing is checked any more: {end:%Y-%m-%d %H:%M} UTC.")
    if warning := safety_warning():
        print(warning)
    assignment = Assignment.of(name, course, seconds)
    path = course / "checked" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    counted = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    for work in chosen(works_of(assignment), student):
        used = counted.setdefault(work.id, {"checks": 0, "version": ""})
        if work.error or used["version"] == work.version:
            continue
        if used["checks"] >= allowed:
            print(f"{work.student}: has used all {allowed} checks")
            continue
        lines = visible_results(work, assignment)
        used |= {"checks": used["checks"] + 1, "version": work.version}
        place = course / "checked" / work.id / f"{name}.txt"
        place.parent.mkdir(exist_ok=True)
        left = f"Check {used['checks']} of {allowed}. Hidden tests did not run: they do when the work is graded."
        write_atomically(place, "\n".join([*lines, "", left, ""]))
        write_atomically(path, json.dumps(counted))
        print(f"{work.student}: check {used['checks']} of {allowed}")
    return course / "checked"


def visible_results(work, assignment):
    """A line or two for each test: whether its visible part passes, and if not, why."""
    mine = variant(assignment.released, work.seed)
    notebook = rebuilt(work.submission, mine)
    outputs, endings = examine(job_for(notebook, mine, assignment.seconds))
    given = {identity(cell): cell.source for cell in mine.cells if given_names(cell)}
    lines = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, found in zip(code, outputs, strict=True):
        if is_test(cell):
            errors = [nbformat.from_dict(item) for item in found if item["output_type"] == "error"]
            said = reason(errors[0], cell, cell.source, given) if errors else "passes"
            lines.append(f"{identity(cell).removesuffix('-test')}: {said}")
    return [*lines, *(f"{cell} {why}" for cell, why in endings)]
