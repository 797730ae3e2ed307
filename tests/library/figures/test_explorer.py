"""Explorers: live widgets that redraw, static figures within their limits; the browser's side is tested on the site."""

import io
import json
import re
from urllib.parse import unquote

import numpy as np
import pytest
from bs4 import BeautifulSoup
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from PIL import Image

from kernelbook.figures.explorer import explore
from kernelbook.figures.frames import as_frame
from tests.library.figures.bars import bars, describe

WIDGET = "application/vnd.jupyter.widget-view+json"


def explorer(gamma=(1, 2, 4), C=(0.5, 1.0), draw=bars, describe=describe, **texts):
    texts = {"alt": "Two bars.", "caption": "Try <both> sliders.", "name": "fig-bars", **texts}
    return explore(draw, gamma=gamma, C=C, describe=describe, **texts)


@pytest.fixture
def static(monkeypatch):
    monkeypatch.setenv("KERNELBOOK_STATIC", "1")


@pytest.fixture(autouse=True)
def live_unless_static(monkeypatch):
    monkeypatch.delenv("KERNELBOOK_STATIC", raising=False)
    yield
    assert not plt.get_fignums(), "a figure was left open, which a notebook would show again"


def parsed(html):
    return BeautifulSoup(html, "html.parser").figure


def frames(figure):
    """The pictures in the order of the sliders' positions, put together from their parts, and their results."""
    data = json.loads(re.search(r"take\((.*)\)", figure.select_one("script.explorer-frames").string)[1])
    return ["\n".join(data["parts"][part] for part in frame) for frame in data["frames"]], data["results"]


def first_picture(figure):
    return unquote(figure.img["src"].removeprefix("data:image/svg+xml,"))


def closed(figure):
    plt.close(figure)
    return figure


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_live_sliders_redraw_the_image_and_its_result():
    shown = explorer()
    result = shown.widget.children[1]
    seen = {}
    for gamma in (1, 2, 4):
        for C in (0.5, 1.0):
            shown.sliders["gamma"].value, shown.sliders["C"].value = gamma, C
            seen[gamma, C] = shown.image.value
            assert result.value == f"bars of {gamma} &amp; {C}"
    assert len(set(seen.values())) == 6
    shown.sliders["gamma"].value, shown.sliders["C"].value = 1, 1.0
    assert shown.image.value == seen[1, 1.0]


def test_live_image_is_what_draw_draws_with_twice_the_dots():
    shown = explorer()
    shown.sliders["gamma"].value = 1
    figure = bars(1, 1.0)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=2 * figure.dpi)
    plt.close(figure)
    assert (pixels(shown.image.value) == pixels(buffer.getvalue())).all()
    assert pixels(shown.image.value).shape == (200, 400, 3)
    assert shown.image.width == "200px"
    assert shown.widget.children[-1].value == "<i>Try &lt;both&gt; sliders.</i>"


def test_a_figure_that_is_drawn_once_and_returned_again_stays_as_it_is(static):
    figure = closed(bars(1, 1.0))
    shown = explorer(draw=lambda **_: figure)
    first = shown.image.value
    for gamma in (1, 4, 2):
        shown.sliders["gamma"].value = gamma
        assert shown.image.value == first
    assert len(set(frames(parsed(shown.to_html()))[0])) == 1
    assert figure.dpi == plt.rcParams["figure.dpi"]


def test_live_question_keeps_the_guess():
    question, guess, kept, *_ = explorer(ask=("Which is <higher>?", ["left", "right & wrong"])).widget.children
    assert question.value == "<b>Which is &lt;higher&gt;?</b>"
    assert (guess.value, kept.value) == (None, "")
    guess.value = "right & wrong"
    assert kept.value == "You guess: right &amp; wrong. Now move the sliders."


def test_live_display_is_a_widget_with_a_stable_text():
    data, _ = DisplayFormatter().format(explorer())
    assert data.keys() == {WIDGET, "text/plain"}
    assert data["text/plain"] == "Explorer(gamma: 1 … 4 in 3 steps, C: 0.5 … 1 in 2 steps)"


def test_sliders_start_in_the_middle_and_read_as_words():
    shown = explore(lambda size_in_km: bars(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=str, caption="c")
    with pytest.raises(TypeError):  # str takes no size_in_km: describe gets the same names as draw
        _ = shown.widget
    shown = explore(
        lambda size_in_km: bars(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=lambda **_: "s", caption="c"
    )
    assert shown.sliders["size_in_km"].value == 3
    assert shown.sliders["size_in_km"].description == "size in km"
    plt.close("all")


def test_static_display_is_html_and_no_widget(static):
    data, _ = DisplayFormatter().format(explorer())
    assert data.keys() == {"text/html", "text/plain"}


def test_static_figure_has_labelled_sliders_and_starts_in_the_middle(static):
    figure = parsed(explorer().to_html())
    assert figure["class"] == ["explorer"]
    controls = [
        (c.label.text, c.input["name"], c.input["min"], c.input["max"], c.input["value"], c.output.text)
        for c in figure("div", class_="explorer-control")
    ]
    assert controls == [("γ", "gamma", "0", "2", "1", "2"), ("C", "C", "0", "1", "1", "1")]
    for control in figure("div", class_="explorer-control"):
        assert [control.label["for"]] == control.output["for"] == [control.input["id"]]
        assert control.input["aria-valuetext"] == control.output.text
        assert control.output["aria-live"] == "off"  # or the value would be spoken twice
    assert figure.select_one(".explorer-result[role=status]").text == "bars of 2 & 1.0"
    assert figure.img["alt"] == "Two bars. γ 2, C 1: bars of 2 & 1.0"
    assert (figure.img["width"], figure.img["height"]) == ("200", "100")
    assert figure.figcaption.text == "Try <both> sliders."
    assert "JavaScript" in figure.noscript.text


def test_static_frames_are_the_drawings_in_order(static):
    figure = parsed(explorer().to_html())
    pictures, results = frames(figure)
    assert results == [describe(gamma, C) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    drawn = ["\n".join(as_frame(closed(bars(gamma, C)))) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    assert pictures == drawn
    assert len(set(pictures)) == 6
    assert first_picture(figure) == pictures[results.index("bars of 2 & 1.0")]


def test_static_frames_share_what_they_have_in_common(static):
    many, few = (len(explorer(gamma=range(1, n)).to_html()) for n in (40, 3))
    pictures, _ = frames(parsed(explorer().to_html()))
    assert (many - few) / 74 < len(pictures[0]) / 4


ODD = '<b>right</b> & "wrong"'


def test_static_question_has_its_answers_and_a_place_for_the_guess(static):
    figure = parsed(explorer(ask=("Which is <higher>?", ["left", ODD])).to_html())
    fieldset = figure.fieldset
    assert fieldset.legend.text == "Which is <higher>?"
    answers = [(i["name"], i["value"], i.parent.text.strip()) for i in fieldset("input")]
    assert answers == [("fig-bars-guess", a, a) for a in ("left", ODD)]
    assert fieldset.output.text == ""
    assert parsed(explorer().to_html()).fieldset is None


def test_a_result_has_minus_signs(static):
    said = explorer(describe=lambda **_: "From -0.5 to 2, one-class, x-1, a 3-4 split.").to_html()
    assert frames(parsed(said))[1][0] == "From −0.5 to 2, one-class, x-1, a 3-4 split."


def test_nothing_in_the_page_can_end_a_script(static):
    said = "</script><b>'\""
    html = explorer(["<", "</script>"], draw=lambda gamma, C: bars(1, C), describe=lambda **_: said).to_html()
    assert html.count("</script>") == 2
    assert parsed(html).img["alt"].endswith(f": {said}")
    assert frames(parsed(html))[1] == [said] * 4
