"""Serve nbgrader's formgrader for the course in the present folder, with a button for each point of a model answer.

A model answer ends with a paragraph such as `Points: one for A; one for B. "C" earns none.` Under an answer that a
teacher reads stands a button for each of its parts: it adds the point, and the words to the comment.
"""

import json
import re
from pathlib import Path

from jupyter_server.serverapp import main
from nbgrader.server_extensions.formgrader.handlers import SubmissionHandler

from tools.teaching.exercises import identity, is_graded, is_test, read

RUBRIC = re.compile(r"^Points: (.*?)\s*(?:\n### END SOLUTION|\Z)", flags=re.MULTILINE | re.DOTALL)
SCRIPT = Path(__file__).with_name("rubric.js")


def parts_of(rubric, points):
    """The parts of a rubric, each with the points that it earns: one for each part, if these are all points."""
    earning, _, none = re.sub(r"\s+", " ", rubric).partition(' "')
    parts = re.split(r"[;.] (?=[Oo]ne for )", earning.rstrip(" ."))
    each = 1 if len(parts) == points else 0
    found = [{"points": each, "text": re.sub("^[Oo]ne for ", "", part)} for part in parts]
    return found + ([{"points": 0, "text": f'"{none}'}] if none else [])


def rubrics(course):
    """The parts of the rubric of each answer that a teacher reads, by the name of its cell."""
    return {
        identity(cell): parts_of(found[1], cell.metadata.nbgrader.points)
        for path in sorted((course / "source").glob("*/*.ipynb"))
        for cell in read(path).cells
        if is_graded(cell) and not is_test(cell) and (found := RUBRIC.search(cell.source))
    }


def with_buttons(page, course):
    """The page with a script at its end that makes the buttons."""
    data = json.dumps(rubrics(course)).replace("<", "\\u003c")
    script = f"<script>{SCRIPT.read_text('utf-8')}\naddRubrics({data});</script>"
    return page.replace("</body>", f"{script}\n</body>")


def write(handler, chunk, plain=SubmissionHandler.write):
    plain(handler, with_buttons(chunk, Path.cwd()) if isinstance(chunk, str) else chunk)


if __name__ == "__main__":
    SubmissionHandler.write = write  # nbgrader offers no other place for an addition to its page of a submission
    main()
