"""Run the cells of a submission by an examiner: what it needs to know, and what each cell gives.

An examiner (`examiner.py`) is a process of its own. It holds the tests, and calls the answers in a third process.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress

import psutil
from nbgrader.utils import is_locked

from tools.bookbuild.cell_names import CellNames
from tools.teaching.examiner import error_output
from tools.teaching.exercises import ROOT, identity, is_solution, is_test
from tools.teaching.guard import STARTUP_SECONDS, Guard
from tools.teaching.sandbox import MAX_MEMORY, can_confine


def names_in(code):
    """The names that a cell binds, with their kinds; empty if it is not Python or too deeply nested for the parser."""
    try:
        return CellNames(ast.parse(code).body).bound
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def given_names(cell):
    """The names that a locked cell other than a test binds, with their kinds; tests and students use them."""
    given = cell.cell_type == "code" and is_locked(cell) and not is_test(cell)
    return names_in(cell.source) if given else {}


def job_for(notebook, handed_out, seconds):
    """What the examiner needs to know about a submission, whose locked cells are those that were handed out."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kind = "test" if is_test(cell) else "answer"
            name = identity(cell) or f"cell {len(cells) + 1}"
            cells.append({"kind": kind, "name": name, "source": cell.source, "names": sorted(given_names(cell))})
    given = [
        {"name": identity(cell), "source": cell.source, "names": sorted(names)}
        for cell in handed_out.cells
        if (names := given_names(cell))
    ]
    answers = {name for cell in handed_out.cells if is_solution(cell) for name in names_in(cell.source)}
    return {"cells": cells, "given": given, "answers": sorted(answers), "seconds": seconds, "confined": can_confine()}


def side_by_side():
    """How many submissions are examined at the same time: one for each processor and each 4 GB of memory."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, psutil.virtual_memory().total // MAX_MEMORY))


def examine(job):
    """The outputs of each cell, and a list of the cells that ended a process, each with the reason.

    If a test ends the examiner, a new examiner continues after that test.
    """
    outputs, endings, done, spent, replayed = [], [], [], 0.0, 0.0
    while len(outputs) < len(job["cells"]):
        state = {"judged": len(outputs), "done": done, "spent": spent, "replayed": replayed}
        lines, reason = run_examiner({**job, **state})
        outputs += [line["outputs"] for line in lines]
        if lines:
            last = lines[-1]
            endings, done, spent, replayed = endings + last["endings"], last["done"], last["spent"], last["replayed"]
        if reason and len(outputs) < len(job["cells"]):
            name, reason = job["cells"][len(outputs)]["name"], f"(its own work, with this answer) {reason}"
            outputs.append([error_output("RuntimeError", f"{name} {reason}")])
            endings.append([name, reason])
            spent += job["seconds"]
    return outputs, endings


def run_examiner(job):
    """The lines that one examiner writes, one for each cell, and the reason why it was ended, or None."""
    with tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "KERNELBOOK_QUIET": "1", "MPLBACKEND": "Agg"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.teaching.examiner"],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
        )  # fmt: skip
        guard = Guard(process, STARTUP_SECONDS, wait_factor=60, descendants=False)
        guard.awaited = True
        with suppress(BrokenPipeError):  # it has ended; the code below finds out why
            json.dump(job, process.stdin)
            process.stdin.close()
        started, lines = process.stdout.readline(), []
        guard.seconds = job["seconds"]
        guard.begin()
        for line in process.stdout:
            guard.begin()
            lines.append(json.loads(line))
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        guard.end()
        code, reason = process.wait(), guard.reason
        if started and code < 0 and not reason:
            reason = "was ended by a signal that cannot be caught, perhaps the system's for its use of memory"
        if started and (reason or (code == 0 and len(lines) == len(job["cells"]) - job["judged"])):
            return lines, reason
        errors.seek(0)
        raise RuntimeError(f"The examiner failed: {reason or ''}\n{errors.read()}")
