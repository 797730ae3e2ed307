"""Write a page for each student: the scored notebook with points, reasons and comments, without hidden tests."""

import html
import re
import shutil
from contextlib import suppress
from functools import cache
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat.v4 import new_markdown_cell
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import GetGrades
from nbgrader.utils import capture_log

from tools.teaching.course import course_directory
from tools.teaching.examination import given_names
from tools.teaching.exercises import identity, is_graded, is_test, problems_of
from tools.teaching.grading import score_all
from tools.teaching.reasons import reason
from tools.teaching.score_tables import format_number, maxima
from tools.teaching.submissions import student_id

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$((?:\\\$|[^$])+?)\$", flags=re.DOTALL)
UNREAD = "not read yet"


def without_hidden_tests(released):
    """A preprocessor for nbconvert that shows tests as they were handed out, and of each error only the reason."""
    handed_out = {identity(cell): cell.source for cell in released.cells if is_test(cell)}
    given = {identity(cell): cell.source for cell in released.cells if given_names(cell)}

    def step(notebook, resources):
        failing = []
        for cell in notebook.cells:
            if (shown := handed_out.get(identity(cell))) is not None:
                for output in cell.outputs:
                    if output.output_type == "error":
                        output.traceback = reason(output, cell, shown, given).splitlines()
                        failing.append(f"{identity(cell).removesuffix('-test')}: {output.traceback[0]}")
                cell.source = shown
        if failing:
            # HTML, so that $ begins no formula
            listed = "\n".join(f"<li><code>{html.escape(line)}</code></li>" for line in failing)
            notebook.cells.insert(0, new_markdown_cell(f"**Tests that fail**\n\n<ul>{listed}</ul>"))
        return notebook, resources

    return step


def titles_of(released):
    """For each graded cell its problem and its name, as in `2. Its ridge (gcv)`."""
    numbers, titles = problems_of(released)
    return {
        identity(cell): f"{number}. {titles[number]} ({identity(cell).removesuffix('-test')})"
        for cell, number in zip(released.cells, numbers, strict=True)
        if is_graded(cell) and number
    }


def finish(page, released, score):
    """Name the problems, say which answers are not read yet, and ask no other host for anything."""
    soup = BeautifulSoup(page, "html.parser")
    for script in soup.find_all("script"):
        script.decompose()
    for link in soup.find_all("link", href=re.compile("^(https?:)?//")):
        link.decompose()
    titles, most = titles_of(released), maxima(released)
    for listed in soup.select("#toc ol"):
        listed["style"] = "list-style: none"  # the problems have numbers
    for link in soup.select("#toc a[href^='#']"):
        name = link["href"].removeprefix("#")
        if name in titles:
            link.string = titles[name]
            _say_unread(link.next_sibling, name, score, most)
    for anchor in soup.select(".nbgrader_cell a[name]"):
        heading = anchor.find_next(class_="panel-heading")
        if anchor["name"] in titles and heading:
            heading.find(class_="nbgrader-label").string = titles[anchor["name"]]
            _say_unread(heading.find(class_="pull-right").find(string=re.compile("Score")), anchor["name"], score, most)
    if score.unread:
        read = sum(most.values()) - sum(most[cell] for cell in score.unread)
        total = f"(Score: {format_number(score.total)} of the {format_number(read)} points that are given so far)"
        soup.find("h4").string = f"{soup.title.string} {total}"
    for text in soup.select(".text_cell_render, .panel-footer"):
        _render_formulas(text)
    return str(soup)


def _say_unread(text, name, score, most):
    if name in score.unread and text:
        text.replace_with(re.sub(r"Score: \S+ / \S+?(?=\)|\s|$)", f"{UNREAD}, of {format_number(most[name])}", text))


@cache
def formula_renderer():
    """A function that turns TeX into MathML as the book does; None where its packages are missing, with a word."""
    from tools.site.mathml import mathml

    try:
        mathml("x", False)
    except (OSError, RuntimeError) as error:
        print(f"Formulas in the pages stay as they were written: {error}")
        return None
    return mathml


def _render_formulas(element):
    """Turn the formulas in a piece of a page into MathML, which a browser shows without any script."""
    if (mathml := formula_renderer()) is None:
        return
    for text in element.find_all(string=FORMULA):
        if text.find_parent(["code", "pre", "math"]):
            continue
        parts, end = [], 0
        for found in FORMULA.finditer(text):
            with suppress(Exception):  # a student's formula may be wrong, and stays as it was written
                drawn = ElementTree.tostring(mathml(found[1] or found[2], bool(found[1])), encoding="unicode")
                parts += [html.escape(text[end : found.start()], quote=False), drawn]
                end = found.end()
        if parts:
            parts.append(html.escape(text[end:], quote=False))
            text.replace_with(BeautifulSoup("".join(parts), "html.parser"))


def feedback(name, course, student=""):
    """Score what has changed and write a page for each student who has points; returns the folder of the pages."""
    released, scores = score_all(name, course, student=student)
    for score in scores:
        folder = course / "feedback" / student_id(score.student) / name
        shutil.rmtree(folder, ignore_errors=True)
        if score.points:
            app = GenerateFeedback(coursedir=course_directory(course, name, student_id(score.student)))
            app.force = True
            app.preprocessors = [GetGrades, without_hidden_tests(released), CSSHTMLHeaderPreprocessor]
            result = capture_log(app)
            if not result["success"]:
                raise SystemExit(
                    f"nbgrader made no page for {score.student}:\n{result.get('log', '')}{result['error']}"
                )
            page = folder / f"{name}.html"
            page.write_text(finish(page.read_text("utf-8"), released, score), encoding="utf-8")
    return course / "feedback"
