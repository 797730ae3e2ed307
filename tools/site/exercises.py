"""Build pages of exercises: solutions and tests folded at a problem's end, and the student's notebook to download.

With KERNELBOOK_SOLUTIONS=0 in the environment, a page is made from the student's notebook alone. Cells for answers and
their tests are then not executed; other cells are, so that figures of data appear. If exercises have been handed out,
the page has the course's data, and the download has the course's problems. KERNELBOOK_COURSE names the course, if it is
not the first.
"""

import copy
import os
import re
import shutil
from pathlib import Path

import nbformat
from nbgrader.utils import is_grade, is_solution
from sphinx.environment import CONFIG_OK
from sphinx.errors import ConfigError, ExtensionError
from sphinx.util.docutils import SphinxDirective

from tools.teaching.course import assignment_settings, course_named
from tools.teaching.exercises import SOURCES, problem_summaries, student_version, variant

YES, NO = {"1", "yes", "true", "on"}, {"0", "no", "false", "off"}
FOLDER = "book/exercises/"
BOOK = SOURCES.parent
CHAPTER = re.compile(r"^\*\*You need\*\* chapter (\d+)", flags=re.MULTILINE)
SOLUTION, HIDDEN = ("### BEGIN SOLUTION", "### END SOLUTION"), ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")


def cut(source, markers):
    """The lines outside and the lines inside the marked regions."""
    outside, inside, within = [], [], False
    for line in source.split("\n"):
        if line.strip() in markers:
            within = line.strip() == markers[0]
        else:
            (inside if within else outside).append(line)
    return "\n".join(outside).strip("\n"), "\n".join(inside).strip("\n")


def part(cell, source, kind):
    """A cell for the fold at the end of its problem."""
    cell = copy.deepcopy(cell)
    cell.source = source
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), "part", kind]
    return cell


def text_fold(cell, answer):
    """A fold in place of the answer; only code is gathered at the end of a problem."""
    cell = copy.deepcopy(cell)
    cell.source = f'<details class="fold"><summary>Model answer</summary>\n\n{answer}\n\n</details>'
    return cell


def link_to_chapter(found):
    """The words with a link; the student's notebook, which is alone, has none, nor has a book without chapters."""
    first = min(BOOK.glob(f"{int(found[1]):02}-*.ipynb"), key=lambda path: path.stem, default=None)
    return f"**You need** [chapter {found[1]}](../../{first.name})" if first else found[0]


def unexecuted(cell):
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), "skip-execution"]
    return cell


def split(cell, asked):
    """The cells of the page for one cell of the source; `asked` is the student's version of that cell."""
    if is_solution(cell):
        answer = "\n".join(line for line in cell.source.split("\n") if line.strip() not in SOLUTION)
        folded = part(cell, answer, "solution") if cell.cell_type == "code" else text_fold(cell, answer)
        return [unexecuted(asked), folded]
    if is_grade(cell):
        visible, hidden = cut(cell.source, HIDDEN)
        tests = [part(cell, visible, "tests")]
        return tests + ([part(cell, hidden, "hidden-tests")] if hidden else [])
    return [cell]


def with_solutions(source, student):
    pairs = zip(source.cells, student.cells, strict=True)
    return [part for cell, asked in pairs for part in split(cell, asked)]


def without_solutions(student):
    tests = {cell.id: part(cell, cell.source, "tests") for cell in student.cells if is_grade(cell)}
    cells = [tests.get(cell.id, cell) for cell in student.cells]
    return [unexecuted(cell) if is_solution(cell) or is_grade(cell) else cell for cell in cells]


def settings_of(app, page):
    """The seed and problems of an exercise in the course; empty if it was not handed out."""
    return app.config.exercise_course.get(page.rpartition("/")[2], {})


def download_of(page):
    """The target of the theme's download button: the copy of the page's source, which `finish` replaces."""
    return f"_sources/{page}.ipynb"


def forget(app):
    """Remove figures after a change of settings, because a build without solutions would not overwrite them."""
    if app.env.config_status != CONFIG_OK:
        shutil.rmtree(Path(app.outdir) / "_images", ignore_errors=True)


def make_page(app, page, content):
    """Replace the nbgrader source by the notebook that the reader sees, before the page is parsed."""
    if not page.startswith(FOLDER):
        return
    source = nbformat.reads(content[0], as_version=4)
    source = variant(source, settings_of(app, page).get("seed"))
    student = student_version(copy.deepcopy(source))
    link = f'<a href="{"../" * page.count("/")}{download_of(page)}" download>Download these exercises as a notebook</a>'
    source.cells = with_solutions(source, student) if app.config.exercise_solutions else without_solutions(student)
    source.cells[0].source = CHAPTER.sub(link_to_chapter, source.cells[0].source) + f"\n\n{link} to work in."
    for number, cell in enumerate(source.cells):
        cell.id = f"cell-{number}"
    content[0] = nbformat.writes(source)


def drop_launch_buttons(app, page, template, context, doctree):
    """Remove the launch buttons, which would open the source with its solutions."""
    if page.startswith(FOLDER):
        buttons = context.get("header_buttons", [])
        context["header_buttons"] = [button for button in buttons if button.get("label") != "launch-buttons"]


def finish(app, exception):
    if exception is None and app.builder.format == "html":
        for page in app.env.found_docs:
            if page.startswith(FOLDER):
                source = nbformat.read(app.env.doc2path(page), as_version=4)
                student = student_version(variant(source, **settings_of(app, page)))
                (Path(app.outdir) / download_of(page)).write_text(nbformat.writes(student) + "\n", encoding="utf-8")


def wants_solutions(setting):
    """Whether KERNELBOOK_SOLUTIONS says yes; unclear values are errors, because publishing cannot be undone."""
    if setting.lower() not in YES | NO:
        raise ConfigError(f"SOLUTIONS (in the environment, KERNELBOOK_SOLUTIONS) must be 1 or 0, not {setting!r}.")
    return setting.lower() in YES


class ProblemTable(SphinxDirective):
    """A table for each chapter, of its problems with their topics, kinds, stars, points and minutes."""

    def run(self):
        lines, found = [], []
        for path in SOURCES.glob("*/*.ipynb"):
            self.env.note_dependency(str(path))
            notebook = nbformat.read(path, as_version=4)
            if (needs := CHAPTER.search(notebook.cells[0].source)) is None:
                raise ExtensionError(f"{path}: its first cell must say '**You need** chapter' and a number.")
            found.append((int(needs[1]), path.stem, problem_summaries(notebook)))
        for chapter, name, problems in sorted(found):
            drills = ", drills" if name.endswith("-drills") else ""
            lines += ["", f"**[Chapter {chapter}{drills}](exercises/{name}/{name}.ipynb)**, `NAME={name}`", ""]
            lines += ["| problem: topic, *kind* | stars | points | minutes |", "|---|---|---:|---:|"]
            for one in problems:
                points = f"{one.points} ({one.by_hand})" if one.by_hand else one.points
                summary = f"{one.number}. {one.title}: {one.topic}, *{one.kind}*"
                lines.append(f"| {summary} | {'★' * one.stars} | {points} | {one.minutes} |")
            points, minutes = sum(one.points for one in problems), sum(one.minutes for one in problems)
            lines += [f"| together | | {points} | {minutes} |"]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("problem-table", ProblemTable)
    course = course_named(os.environ.get("KERNELBOOK_COURSE", ""))
    app.add_config_value("exercise_solutions", wants_solutions(os.environ.get("KERNELBOOK_SOLUTIONS", "1")), "env")
    app.add_config_value("exercise_course", assignment_settings(course), "env")
    app.connect("builder-inited", forget)
    app.connect("source-read", make_page)
    app.connect("html-page-context", drop_launch_buttons, priority=900)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
