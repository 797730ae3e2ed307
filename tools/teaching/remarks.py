"""What a teacher should know about a submission that differs from what was handed out in more than its answers."""

from textwrap import shorten

from tools.bookbuild.cell_names import is_one_import
from tools.teaching.examination import given_names, names_in
from tools.teaching.exercises import identity, is_solution, seed_of


def remarks(submission, file, released, seed, seeds):
    """Remarks on a submission; `seeds` maps the seeds of all students to these, where each has one."""
    found = []
    given, theirs = {}, {}
    answers = {identity(cell) for cell in released.cells if is_solution(cell)}
    for cell in released.cells:
        given |= given_names(cell)
    for cell in submission.cells:
        if identity(cell) in answers:
            theirs |= names_in(cell.source)
    both = (given.keys() & theirs.keys()) - {"_"}  # by custom the name of unused values
    if taken := sorted(name for name in both if not is_one_import(given[name] | theirs[name])):
        found.append(f"gives another meaning to {', '.join(taken)}, which the tests do not follow")
    if (came := seed_of(submission)) != seed:
        owner = f", that of {seeds[came]}" if came in seeds else ""
        found.append(f"came with SEED {came}{owner}, graded with {seed}")
    if file:
        found.append(f"came as {file}")
    present = {identity(cell) for cell in submission.cells}
    if lost := [identity(cell) for cell in released.cells if identity(cell) and identity(cell) not in present]:
        found.append(f"came without the cells {shorten(', '.join(lost), 80, placeholder=' …')}")
    return found
