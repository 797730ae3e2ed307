"""Explorers of frames on a page of their own, in a real browser: frames that do not come, answers of odd signs."""

import re

import pytest
from matplotlib import pyplot as plt

from kernelbook.figures.explorer import explore

FRAMES = re.compile(r'<script class="explorer-frames">.*?</script>', re.DOTALL)
STATE = """e => ({
    alt: e.querySelector("img").alt,
    picture: decodeURIComponent(e.querySelector("img").src),
    values: [...e.querySelectorAll("input[type=range]")].map(i => [i.value, i.ariaValueText]),
    outputs: [...e.querySelectorAll(".explorer-control output")].map(o => o.textContent),
})"""


def draw(gamma, C):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.plot([0, gamma], [0, C])
    return figure


def html(**options):
    texts = {"name": "fig-line", "alt": "A line.", "caption": "A line.", **options}
    return explore(draw, gamma=[1, 2, 3], C=[1, 10], describe="γ = {gamma}, C = {C}.".format, **texts).to_html()


@pytest.fixture
def open_html(visit, tmp_path):
    def open_page(text, query="", **options):
        path = tmp_path / "page.html"
        path.write_text(f'<!doctype html><meta charset="utf-8">{text}', encoding="utf-8")
        seen = visit(path.as_uri() + query, **options)
        return seen.page, seen.page.locator("figure.explorer")

    return open_page


def test_sliders_show_their_frames_and_results(open_html):
    page, explorer = open_html(html())
    page.get_by_label("γ").press("End")
    state = explorer.evaluate(STATE)
    assert explorer.locator(".explorer-result").text_content() == "γ = 3, C = 10."
    assert state["alt"] == "A line. γ 3, C 10: γ = 3, C = 10."
    assert (state["values"], state["outputs"]) == ([["2", "3"], ["1", "10"]], ["3", "10"])
    assert page.evaluate("location.search") == "?fig-line.gamma=3&fig-line.C=10"


@pytest.mark.parametrize("query", ["", "?fig-line.gamma=3"])
def test_where_frames_do_not_come_the_first_stays_with_its_setting_and_result(open_html, query):
    """Also where the address asks for another: that one cannot be shown."""
    first = html()
    _, explorer = open_html(first)
    before = explorer.evaluate(STATE)
    _, explorer = open_html(FRAMES.sub("", first).replace("<img ", '<img data-frames="nowhere.js" '), query)
    explorer.get_by_text("The other pictures did not load.").wait_for()
    assert explorer.evaluate(STATE) == before
    assert explorer.locator(".explorer-result").text_content() == "γ = 2, C = 10. The other pictures did not load."
    assert "loading" not in explorer.get_attribute("class")
    assert all(slider.is_disabled() for slider in explorer.locator("input[type=range]").all())


@pytest.mark.parametrize("answer", ["$$ and $&", "{} {0}", '<b>"x"</b>'])
def test_a_guess_is_kept_letter_for_letter(open_html, answer):
    _, explorer = open_html(html(ask=("Which?", ["one", answer])))
    explorer.get_by_role("radio").last.check()
    assert explorer.locator("fieldset output").text_content() == f"You guess: {answer}. Now move the sliders."
