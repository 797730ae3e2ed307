"""Explorers of frames on a page of their own, in a real browser: frames that do not come, answers of odd signs."""

import re

import pytest
from matplotlib import pyplot as plt

from kernelbook.figures.explorer import explore

FRAMES = re.compile(r'<script class="explorer-frames">.*?</script>', re.DOTALL)
STATE = """e => ({
    alt: e.querySelector("svg").ariaLabel,
    picture: e.querySelector("svg").innerHTML.replaceAll(/>\\s+</g, "><"),
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
    page.get_by_role("slider", name="γ").press("End")
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
    _, explorer = open_html(FRAMES.sub("", first).replace('picture">', 'picture" data-frames="nowhere.js">'), query)
    explorer.get_by_text("The other pictures did not load.").wait_for()
    assert explorer.evaluate(STATE) == before
    assert explorer.locator(".explorer-result").text_content() == "γ = 2, C = 10. The other pictures did not load."
    assert "loading" not in explorer.get_attribute("class")
    assert all(slider.is_disabled() for slider in explorer.locator("input[type=range]").all())


@pytest.mark.parametrize("answer", ["$$ and $&", "{} {0}", '<b>"x"</b>'])
def test_the_answer_is_given_letter_for_letter(open_html, answer):
    page, explorer = open_html(html(ask=("Which?", ["one", answer]), answer=(answer, {"gamma": 3})))
    explorer.get_by_role("radio").last.check()
    page.get_by_role("button", name="Show me").click()
    assert explorer.locator("fieldset output").text_content() == f"You guessed it: {answer}."


def test_a_guess_is_answered_where_the_sliders_show_it(open_html):
    page, explorer = open_html(html(ask=("Which?", ["one", "two"]), answer=("two", {"gamma": 3})))
    reply = explorer.locator("fieldset output")
    page.get_by_role("slider", name="γ").press("End")
    assert reply.text_content() == "Guess first, then move the sliders."
    explorer.get_by_role("radio").first.check()
    assert reply.text_content() == "The answer is: two."
    page.get_by_role("slider", name="γ").press("Home")
    assert reply.text_content() == "The answer is: two."  # it has been seen
    explorer.get_by_role("radio").last.check()
    assert reply.text_content() == "You guessed it: two."


def test_a_button_leads_to_the_answer_once_the_reader_has_guessed(open_html):
    page, explorer = open_html(html(ask=("Which?", ["one", "two"]), answer=("two", {"gamma": 3})))
    lead, reply = page.get_by_role("button", name="Show me"), explorer.locator("fieldset output")
    assert lead.is_disabled()
    explorer.get_by_role("radio").first.check()
    assert reply.text_content() == "Now move the sliders."
    lead.click()
    assert explorer.evaluate(STATE)["values"] == [["2", "3"], ["1", "10"]]
    assert explorer.locator(".explorer-result").text_content() == "γ = 3, C = 10."
    assert reply.text_content() == "The answer is: two."
    assert page.evaluate("location.search") == "?fig-line.gamma=3&fig-line.C=10"


def test_the_least_value_that_was_found_stays(open_html):
    page, explorer = open_html(html(goal=(lambda gamma, C: (gamma - 3) ** 2 + C, "{:g} m")))
    line = explorer.locator(".explorer-goal")
    assert line.text_content() == "Your least so far: 11 m."
    page.get_by_role("slider", name="γ").press("Home")
    assert line.text_content() == "Your least so far: 11 m."
    page.get_by_role("slider", name="C").press("Home")
    assert line.text_content() == "Your least so far: 5 m."
    page.get_by_role("slider", name="γ").press("End")
    assert line.text_content() == "1 m: the least of all 6. Found!"
    page.get_by_role("slider", name="C").press("End")
    assert line.text_content() == "1 m: the least of all 6. Found!"


def draw_panels(gamma, C):
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    left.plot([0, gamma])
    right.plot([0, C])
    return figure


def test_each_screen_has_its_own_frames(open_html):
    text = explore(draw_panels, gamma=[1, 2, 3], C=[1, 10], describe="γ = {gamma}, C = {C}.".format, alt="Lines.",
                   name="fig-line").to_html()
    head = '<meta name="viewport" content="width=device-width"><style>svg { max-width: 100% } '
    head += "@media (width < 500px) { .for-desks { display: none } } "
    head += "@media (width >= 500px) { .for-phones { display: none } }</style>"
    page, explorer = open_html(head + text, width=390)
    before = [svg.inner_html() for svg in explorer.locator("svg").all()]
    page.get_by_role("slider", name="γ").press("End")
    after = [svg.inner_html() for svg in explorer.locator("svg").all()]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False]
    page.set_viewport_size({"width": 900, "height": 700})
    explorer.get_by_role("slider", name="γ").press("Home")
    assert explorer.locator("svg").first.inner_html() != before[0]
