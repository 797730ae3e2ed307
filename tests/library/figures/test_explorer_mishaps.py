"""Explorers that go wrong: figures left open, errors and where they are said, what is refused, and in which words."""

import re
from contextlib import nullcontext

import pytest
from matplotlib import pyplot as plt

from kernelbook.figures import explorer as module
from kernelbook.figures.explorer import explore
from tests.library.figures.bars import bars, describe


def explorer(**given):
    return explore(
        **{"draw": bars, "describe": describe, "gamma": [1, 2, 4], "C": [0.5, 1], "name": "fig-bars", **given}
    )


@pytest.fixture(autouse=True)
def all_closed():
    yield
    assert not plt.get_fignums(), "a figure was left open, which a notebook would show again"


def raises(**_):
    plt.subplots()
    raise RuntimeError("no picture")


def forgets(**_):
    plt.subplots()


def draws_two(gamma, C):
    plt.subplots()
    return bars(gamma, C)


@pytest.mark.parametrize(("way", "said"), [(raises, "no picture"), (forgets, "must return"), (draws_two, None)])
def test_what_draw_leaves_open_is_closed_and_nothing_else(way, said):
    own = plt.figure()
    for show in (lambda: explorer(draw=way).widget, lambda: explorer(draw=way).to_html()):
        with nullcontext() if said is None else pytest.raises((RuntimeError, ValueError), match=said):
            show()
        assert plt.get_fignums() == [own.number]
    plt.close(own)


def cannot_be_drawn(gamma, C):
    figure = bars(gamma, C)
    figure.suptitle("$x^2$" if gamma < 4 else "$x^$")
    return figure


def cannot_be_described(gamma, C):
    return f"{1 / (4 - gamma)}"


@pytest.mark.parametrize("fails", [{"draw": cannot_be_drawn}, {"describe": cannot_be_described}])
def test_an_error_in_a_build_says_at_which_setting(fails):
    with pytest.raises((ValueError, ZeroDivisionError)) as refused:
        explorer(**fails).to_html()
    assert refused.value.__notes__ == ["This happened at {'gamma': 4, 'C': 0.5}."]


def test_live_error_is_shown_where_the_reader_looks():
    def fails_at_4(gamma, C):
        if gamma == 4:
            raise ValueError("4 is <too> much")
        return bars(gamma, C)

    shown = explorer(draw=fails_at_4)
    with pytest.raises(ValueError, match="too"):
        shown.sliders["gamma"].value = 4
    assert shown.image.value == b""
    assert shown.widget.children[1].value == "<b>ValueError</b>: 4 is &lt;too&gt; much"
    shown.sliders["gamma"].value = 1
    assert shown.image.value


def test_too_many_bytes_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 2_000)
    with pytest.raises(ValueError, match=r"takes \d+ kB; a static explorer may take 2 kB"):
        explorer().to_html()


def test_frames_of_different_sizes_are_refused():
    def grows(gamma, C):
        return plt.figure(figsize=(gamma, 1))

    with pytest.raises(ValueError, match="same size"):
        explorer(draw=grows).to_html()


def test_no_parameter_is_refused():
    with pytest.raises(ValueError, match="at least one parameter"):
        explore(bars, describe=describe, caption="c")


def test_a_page_without_a_name_is_refused_before_it_is_drawn():
    with pytest.raises(ValueError, match="name must be given in a static build, such as 'fig-heights', got None"):
        explorer(draw=raises, name=None).to_html()


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            {"name": "Two bars"},
            "name must be lower-case letters, digits and hyphens, such as 'fig-heights', got 'Two bars'",
        ),
        ({"name": 3}, "name must be lower-case"),
        (
            {"ask": "Which?"},
            "ask must be a pair of a question and a list of two answers or more, all texts, got 'Which",
        ),
        ({"ask": ("Which?", ["this"])}, "two answers or more"),
        ({"ask": ("Which?", "this")}, "two answers or more"),
        ({"ask": ("Which?", {"this", "that"})}, "two answers or more"),
        ({"ask": ("Which?", [0.5, 1])}, "all texts, got ('Which?', [0.5, 1])"),
        ({"draw": 3}, "draw must be a function of the parameters, got 3"),
        ({"describe": None}, "describe must be a function of the parameters, got None"),
        ({"alt": None}, "alt must be a text, got None"),
        ({"caption": None}, "caption must be a text, got None"),
        ({"ask": (["Which?"], ["this", "that"])}, "two answers or more"),
    ],
)
def test_what_is_no_function_no_text_no_name_and_no_question_is_refused_at_once(texts, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explorer(**texts)


def test_answers_may_be_in_any_order_that_can_be_gone_through():
    assert explorer(ask=("Which?", (str(i) for i in range(3))))._question.answers == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (("c", {"gamma": 4}), "answer must be a pair of one of ['a', 'b'] and a dict of values, got ('c'"),
        (("a", {}), "answer must be a pair"),
        ("a", "answer must be a pair"),
        (("a", {"gamma": 3}), "answer must name values of sliders, got gamma = 3, which no slider has"),
        (("a", {"alpha": 1}), "got alpha = 1, which no slider has"),
    ],
)
def test_an_answer_that_cannot_be_shown_is_refused_at_once(answer, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explorer(ask=("Which?", ["a", "b"]), answer=answer)


def test_an_answer_without_a_question_is_refused():
    with pytest.raises(ValueError, match="answer must come with ask"):
        explorer(answer=("a", {"gamma": 4}))


@pytest.mark.parametrize("goal", [3, (bars,), (bars, "m"), ("{} m", bars)])
def test_a_goal_without_function_or_place_is_refused(goal):
    with pytest.raises(ValueError, match="goal must be a pair of a function and a text with a place for its number"):
        explorer(goal=goal)


def test_draw_must_return_a_figure():
    with pytest.raises(ValueError, match="draw must return a Matplotlib figure, got Axes"):
        _ = explorer(draw=lambda **_: plt.gca()).widget


def test_describe_must_return_a_text():
    with pytest.raises(ValueError, match="describe must return a text, got NoneType"):
        _ = explorer(describe=lambda **_: None).widget
