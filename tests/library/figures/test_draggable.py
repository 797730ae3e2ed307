"""Figures with movable points in a notebook and as HTML; moved in a browser they are in test_site_draggable.py."""

import json
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt

from kernelbook.figures import SMO, Bells, Classifier, Curve, Tube, drag

MOST_SCRIPT = 30_000  # bytes a page
ASK = ("Which <way>?", ["up", "down & out"])


@pytest.fixture(autouse=True)
def live_unless_static(monkeypatch, own_style):
    monkeypatch.delenv("KERNELBOOK_STATIC", raising=False)
    yield
    assert not plt.get_fignums(), "a figure was left open, which a notebook would show again"


def bells(**options):
    return drag(Bells([(0, 1), (1, 1)], gamma=np.log(2)), alt="Bells.", caption="Two <bells>.", name="fig-b", **options)


def classifier():
    program = Classifier([(-1, 0), (-2, 1), (1, 0), (2, -1)], [-1, -1, 1, 1])
    return drag(program, C=[0.1, 1, 10], alt="A line.", caption="Drag.", name="fig-c", ask=ASK)


def curve():
    values = {"kernel": ["rbf", "matern", "laplacian"], "ridge_lambda": [0.01, 0.1, 1]}
    return drag(Curve([(1, 1), (3, -1), (4, 0)]), **values, alt="A curve.", caption="Drag.", name="fig-f")


def tube():
    return drag(Tube([(-1, -1.5), (0, 0), (1, 3)]), C=[0.1, 1, 10], alt="A tube.", caption="Drag.", name="fig-t")


def result(shown):
    return next(part.value for part in shown.widget.children if getattr(part, "value", b"") in said_by(shown))


def said_by(shown):
    program, sliders = shown._program, shown.sliders
    points = [
        tuple(sliders[f"{name}, {coordinate}"].value for coordinate in program.coordinates) for name in program.names
    ]
    return [program.describe(points, **{name: sliders[name].value for name in shown._values})]


def test_live_sliders_move_the_points():
    shown = bells()
    assert list(shown.sliders) == ["bell 1, centre", "bell 1, weight", "bell 2, centre", "bell 2, weight"]
    first = shown.image.value
    shown.sliders["bell 2, weight"].value = -0.5
    assert shown.image.value != first
    assert result(shown) == "The norm is 0.87; f(0) = 0.75, f(1) = 0.00."
    shown.sliders["bell 2, centre"].value = 0.1 + 0.2  # as a browser adds steps
    assert "f(0.3)" in result(shown)
    for name, ends in (("bell 1, centre", (-3, 5)), ("bell 1, weight", (-3, 3))):
        slider = shown.sliders[name]
        assert (slider.min, slider.max, slider.step) == (*ends, 0.05)


def test_live_sliders_of_parameters_stand_beside_those_of_the_points():
    shown = classifier()
    before = result(shown)
    shown.sliders["C"].value = 0.1
    assert result(shown) != before
    shown.sliders["circle 1, x₁"].value = -2
    assert "training errors 1" in result(shown)


def test_live_buttons_choose_a_kernel():
    shown = curve()
    said = {shown.sliders["kernel"].value: result(shown)}
    for kernel in ("rbf", "laplacian"):
        shown.sliders["kernel"].value = kernel
        said[kernel] = result(shown)
    assert len(set(said.values())) == 3


def test_a_list_of_values_may_come_one_by_one():
    shown = bells(gamma=(2**i for i in range(3)))
    assert repr(shown) == "Draggable(Bells: 2 points, gamma: 1 … 4 in 3 steps)"
    before = result(shown)
    shown.sliders["gamma"].value = 4
    assert result(shown) != before


def test_live_menu_chooses_whose_sliders_are_shown_and_a_button_puts_all_back():
    shown = classifier()
    *_, which, pair, _, back, _ = shown.widget.children
    assert [name for name, _ in which.options] == ["square 1", "square 2", "circle 1", "circle 2"]
    first = shown.image.value
    which.value = 2
    assert pair.children == (shown.sliders["circle 1, x₁"], shown.sliders["circle 1, x₂"])
    assert shown.image.value == first
    pair.children[0].value = 2.5
    shown.sliders["C"].value = 10
    assert shown.image.value != first
    back.click()
    assert shown.image.value == first
    assert (pair.children[0].value, shown.sliders["C"].value) == (1, 1)


def test_live_display_is_a_widget_with_a_stable_text():
    data, _ = DisplayFormatter().format(classifier())
    assert data["text/plain"] == "Draggable(Classifier: 4 points, C: 0.1 … 10 in 3 steps)"
    assert "application/vnd.jupyter.widget-view+json" in data
    assert repr(bells()) == "Draggable(Bells: 2 points)"


def test_live_question_speaks_of_points():
    question, guess, kept, *_ = classifier().widget.children
    assert question.value == "<b>Which &lt;way&gt;?</b>"
    guess.value = "up"
    assert kept.value == "Now move the points."


def test_a_field_adds_and_removes_points_where_all_are_alike():
    shown = curve()
    program, count, first = shown._program, shown.sliders["points"], result(shown)
    *_, menu, pair, _, _, field, back, _ = shown.widget.children
    assert (field, count.value, len(menu.options)) == (count, 3, 3)
    count.value = 4
    names = ("point 4, x", "point 4, y")
    added = tuple(shown.sliders[name].value for name in names)
    said = {part.value for part in shown.widget.children if hasattr(part, "value")}
    assert program.describe([*program.points, added], kernel="matern", ridge_lambda=0.1) in said
    menu.value = 3
    assert pair.children == tuple(shown.sliders[name] for name in names)
    count.value = 2
    said = {part.value for part in shown.widget.children if hasattr(part, "value")}
    assert program.describe(program.points[:2], kernel="matern", ridge_lambda=0.1) in said
    assert [name for name, _ in menu.options] == ["point 1", "point 2"]
    back.click()
    assert result(shown) == first
    assert "points" not in bells().sliders
    assert "points" not in classifier().sliders
    count.value = 20
    places = {tuple(shown.sliders[f"point {i}, {axis}"].value for axis in "xy") for i in range(1, 21)}
    assert len(places) == 20


def test_a_run_has_a_field_for_its_steps():
    program = SMO([(-1, 0), (-2, 1), (1, 0), (2, -1)], [-1, -1, 1, 1])
    shown = drag(program, C=[0.1, 1, 10], ask=("Which?", ["one", "the other"]))
    assert shown.sliders["steps"].description == "steps"
    first, before = shown.image.value, {part.value for part in shown.widget.children if hasattr(part, "value")}
    shown.sliders["steps"].value = 1
    assert shown.image.value != first
    said = {part.value for part in shown.widget.children if hasattr(part, "value")} - before
    assert program.describe(program.points, C=1, steps=1) in said
    guess = shown.widget.children[1]
    guess.value = "one"
    assert shown.widget.children[2].value == "Now press “One step”."


def test_a_question_that_sliders_answer_sends_the_reader_to_them():
    shown = drag(
        Curve([(1, 1), (3, -1)]),
        ridge_lambda=[0.1, 1, 10],
        ask=("How?", ["so", "not so"]),
        answer=("so", {"ridge_lambda": 10}),
    )
    _, guess, kept, *_ = shown.widget.children
    guess.value = "not so"
    assert kept.value == "Now move the sliders."
    shown.sliders["ridge_lambda"].value = 10
    assert kept.value == "The answer is: so."


def test_static_figure_shows_its_first_picture_and_result_without_a_script(monkeypatch):
    monkeypatch.setenv("KERNELBOOK_STATIC", "1")
    data, _ = DisplayFormatter().format(classifier())
    assert data.keys() == {"text/html", "text/plain"}
    figure = BeautifulSoup(data["text/html"], "html.parser").figure
    said = classifier()._program.describe([(-1, 0), (-2, 1), (1, 0), (2, -1)], C=1)
    assert figure.select_one("[role=status]").text == said
    assert figure.svg["aria-label"] == f"A line. C 1: {said}"
    assert (figure.svg["width"], figure.svg["height"]) == ("480", "404")
    assert figure.noscript.text == "Without JavaScript the figure stays as it is."
    assert figure.fieldset.output.text == "Guess first, then move the points."
    assert figure.figcaption.text == "Drag."


def test_without_parameters_there_is_no_setting_to_speak_of():
    figure = BeautifulSoup(bells().to_html(), "html.parser").figure
    assert figure.svg["aria-label"] == "Bells. The norm is 1.73; f(0) = 1.50, f(1) = 1.50."
    assert not figure("input")


@pytest.mark.parametrize("made", [bells, classifier, curve, tube])
def test_scripts_are_small(made):
    figure = BeautifulSoup(made().to_html(), "html.parser").figure
    (script,) = figure("script")
    assert 10_000 < len(script.string.encode()) < MOST_SCRIPT


def test_the_script_is_given_what_the_program_has():
    script = classifier().to_html()
    given = json.loads(re.search(r"movePoints\(figure, named, classifier, (.*)\);", script)[1])
    assert given["points"] == [[-1, 0], [-2, 1], [1, 0], [2, -1]]
    assert given["sliders"] == [{"name": "C", "values": [0.1, 1, 10]}]
    assert (given["kinds"], given["kernel"], given["step"]) == ([1, 1, 0, 0], "linear", 0.1)
    assert "task" not in given


COLLINEAR = ("Find three points that no line separates.", {"points": (3, 3), "separable": (0, 0)})


def with_task():
    return drag(Classifier([(-1, 0), (0, 1), (1, 0)], [1, -1, 1], "rbf"), name="fig-c", task=COLLINEAR)


def test_a_task_is_ticked_once_it_is_done_and_stays_so():
    shown = with_task()
    (line,) = (part for part in shown.widget.children if "Task: " in str(getattr(part, "value", "")))
    assert line.value == "Task: Find three points that no line separates."
    shown.sliders["square 1, x₂"].value = 0.1
    assert line.value.startswith("Task")
    shown.sliders["square 1, x₂"].value = 0
    assert line.value == "✓ Done: Find three points that no line separates."
    shown.sliders["square 1, x₂"].value = 1
    assert line.value.startswith("✓ Done")


def test_the_page_has_the_task_and_its_script_what_it_wants():
    html = with_task().to_html()
    line = BeautifulSoup(html, "html.parser").select_one(".explorer-task")
    assert (line.text, line["role"]) == ("Task: Find three points that no line separates.", "status")
    given = json.loads(re.search(r"movePoints\(figure, named, classifier, (.*)\);", html)[1])
    assert given["task"] == {"wanted": {"points": [3, 3], "separable": [0, 0]}, "done": f"✓ Done: {COLLINEAR[0]}"}
    assert not BeautifulSoup(classifier().to_html(), "html.parser").select(".explorer-task")


def test_nothing_in_the_page_can_end_the_script():
    html = drag(
        Bells([(0, 1)]), alt="</script><b>'\"", caption="c", ask=("</script>", ["a", "b"]), name="fig-b"
    ).to_html()
    assert html.count("</script>") == 1
