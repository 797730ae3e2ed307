"""Every explorer of the built book, moved as a reader moves it: by mouse, keyboard and finger; and without scripts."""

import re

import pytest
from bs4 import BeautifulSoup

from tests.marks import thorough
from tests.site.pages import AT_REST, has_explorer, site_pages

MAX_BYTES, TOUCH_TARGET = 900_000, 44


def explorers(page):
    """Those of the page, each once its frames are there, which come when the reader does."""
    for explorer in page.locator("figure.explorer").all():
        explorer.scroll_into_view_if_needed()
        page.wait_for_function("e => !e.classList.contains('loading')", arg=explorer.element_handle())
        yield explorer


class Control:
    """A slider, or buttons for names; arrow keys move along both."""

    def __init__(self, holder):
        self.inputs = holder.locator("input")
        self.is_slider = self.inputs.first.get_attribute("type") == "range"

    @property
    def last(self):
        return int(self.inputs.first.get_attribute("max")) if self.is_slider else self.inputs.count() - 1

    def press(self, key):
        if self.is_slider:
            self.inputs.first.press(key)
        elif key in ("Home", "End"):
            self.inputs.nth(self.last if key == "End" else 0).check()
        else:
            self.inputs.and_(self.inputs.page.locator(":checked")).press(key)

    @property
    def boxes(self):
        """What a finger has to hit: the slider, or each button's label."""
        hit = self.inputs if self.is_slider else self.inputs.locator("xpath=..")
        return [each.bounding_box() for each in hit.all()]

    @property
    def is_visible(self):
        return self.inputs.first.is_visible()


def controls(explorer):
    return [Control(holder) for holder in explorer.locator(".explorer-control").all()]


def state(explorer):
    """What the reader sees and hears: the picture, its description, the result, each slider's position and value."""
    return explorer.evaluate(
        """e => ({
            picture: [...e.querySelectorAll("svg")].find(svg => svg.checkVisibility()).innerHTML,
            alt: e.querySelector("svg").ariaLabel,
            result: e.querySelector("[role=status]").textContent,
            positions: [...e.querySelectorAll(".explorer-control")].map(c => {
                const inputs = [...c.querySelectorAll("input")];
                return inputs[0].type === "range" ? inputs[0].valueAsNumber : inputs.findIndex(i => i.checked);
            }),
            values: [...e.querySelectorAll(".explorer-control")].map(c =>
                c.querySelector("output, label:has(:checked)").textContent.trim()),
            spoken: [...e.querySelectorAll(".explorer-control")].map(c =>
                c.querySelector("[type=range]")?.ariaValueText ??
                c.querySelector("label:has(:checked)").textContent.trim()),
        })"""
    )


def unchanged(before, after, i):
    """What should differ after slider i has moved, and does not; what should not, and does."""
    said = [f"slider {i} does not change the {name}" for name in ("picture", "alt") if before[name] == after[name]]
    if not after["alt"].endswith(after["result"]):
        said.append(f"slider {i}: the picture is described as '{after['alt']}', the result is '{after['result']}'")
    for name in ("positions", "values", "spoken"):
        for j, (old, new) in enumerate(zip(before[name], after[name], strict=True)):
            if (old != new) != (i == j):
                said.append(f"slider {i} {'leaves' if i == j else 'changes'} the {name} of slider {j}")
    return said


def keyboard_faults(explorer):
    """Walk each slider from end to end and back, all others at rest."""
    faults = []
    for i, slider in enumerate(controls(explorer)):
        rest = state(explorer)
        slider.press("Home")
        walk = [state(explorer)]
        for _ in range(slider.last):
            slider.press("ArrowRight")
            walk.append(state(explorer))
            faults += unchanged(walk[-2], walk[-1], i)
        slider.press("ArrowLeft")
        if state(explorer) != walk[-2]:
            faults.append(f"slider {i}: ArrowLeft does not lead back")
        slider.press("End")
        if state(explorer) != walk[-1]:
            faults.append(f"slider {i}: End is not the end")
        slider.press("Home")
        for _ in range(rest["positions"][i]):
            slider.press("ArrowRight")
        if state(explorer) != rest:
            faults.append(f"slider {i}: the way back leads elsewhere")
    return faults


def drag_faults(explorer, drag):
    """Drag each slider from its left end to its right end."""
    faults = []
    for i, slider in enumerate(controls(explorer)):
        if not slider.is_slider:
            continue
        slider.press("Home")
        slider.inputs.first.scroll_into_view_if_needed()
        before, [box] = state(explorer), slider.boxes
        y = box["y"] + box["height"] / 2
        drag(box["x"] + 8, box["x"] + box["width"] - 2, y)
        after = state(explorer)
        faults += unchanged(before, after, i)
        if after["positions"][i] != slider.last:
            faults.append(f"slider {i} stops at {after['positions'][i]} of {slider.last}")
    return faults


def mouse_drag(page):
    def drag(start, end, y):
        page.mouse.move(start, y)
        page.mouse.down()
        page.mouse.move(end, y, steps=5)
        page.mouse.up()

    return drag


def finger_drag(page):
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def drag(start, end, y):
        touch("touchStart", (start, y))
        for i in range(1, 6):
            touch("touchMove", (start + (end - start) * i / 5, y))
        touch("touchEnd")

    return drag


def scroll_faults(explorer, page):
    """A finger that comes down on a slider and scrolls the page leaves the slider alone."""
    session, faults = page.context.new_cdp_session(page), []
    for i, slider in enumerate(controls(explorer)):
        if not slider.is_slider:
            continue
        slider.press("Home")
        slider.inputs.first.evaluate("e => scrollTo(0, scrollY + e.getBoundingClientRect().top - innerHeight * 2 / 3)")
        before, [box], top = state(explorer), slider.boxes, page.evaluate("scrollY")
        x, y = box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2
        moves = [("touchMove", [y - 20 * j]) for j in range(1, 9)]
        for kind, points in [("touchStart", [y]), *moves, ("touchEnd", [])]:
            touches = [{"x": x, "y": at} for at in points]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
        if page.evaluate("scrollY") == top:
            faults.append(f"slider {i} keeps the page from scrolling")
        if state(explorer) != before:
            faults.append(f"slider {i} is moved by a finger that scrolls the page")
    return faults


def small_targets(explorer):
    heights = [min(box["height"] for box in control.boxes) for control in controls(explorer)]
    return [f"slider {i} is {height} px high" for i, height in enumerate(heights) if height < TOUCH_TARGET]


def excess(site, page_name):
    """Explorers of a page that weigh too much, with their frames beside it."""
    soup, found = BeautifulSoup((site / page_name).read_text(encoding="utf-8"), "html.parser"), []
    for figure in soup.select("figure.explorer"):
        frames = figure.select_one(".explorer-picture").get("data-frames", "").split()  # for desks, and for phones
        files = [(site / page_name).parent / address.split("?")[0] for address in frames]
        size = len(str(figure).encode()) + max((file.stat().st_size for file in files), default=0)
        found += [f"{figure['id']}: {size} bytes"] if size > MAX_BYTES else []
    return found


@thorough
def test_no_page_with_an_explorer_is_passed_over(site):
    for name in site_pages():
        soup = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
        assert has_explorer(name) == bool(soup.select("figure.explorer"))


def first_frame_faults(explorer, figure):
    """Where the explorer, drawn by its script, is not what the page's file has as its first frame."""
    drawn, said = state(explorer), []
    if figure.select_one("[data-frames]"):  # else it is drawn anew
        pictures = [figure.svg.decode_contents(), drawn["picture"]]
        first, shown = (BeautifulSoup(picture, "html.parser").prettify() for picture in pictures)
        if first != shown:
            said.append("another picture")
    written = figure.svg["aria-label"], figure.select_one("[role=status]").text
    return said + [f"other words: {drawn['alt']}"] * ((drawn["alt"], drawn["result"]) != written)


def question_faults(explorer):
    """Guess each answer: the question stands above the picture, repeats the guess, and pushes nothing down."""
    question, said = explorer.locator("fieldset"), []
    picture = explorer.locator(".explorer-picture, .explorer-plane")

    def distance():
        return picture.bounding_box()["y"] - question.bounding_box()["y"]

    place = distance()
    if place <= 0:
        said.append("the question does not come first")
    answers = question.get_by_role("radio").all()
    if len(answers) < 2:
        said.append("fewer than two answers")
    for answer in answers:
        answer.check()
        guess = answer.get_attribute("value")
        reply = question.locator("output").inner_text()
        acts = "move the sliders", "move the points", "press the buttons", "press “One step”"
        known = [f"Now {act}." for act in acts]
        known += [f"You guessed it: {guess}."]  # where the sliders show the answer from the start
        if reply not in known and not reply.startswith("The answer is: "):
            said.append(f"the reply to {guess} is: {reply}")
    if abs(distance() - place) > 1:
        said.append("the reply moves the picture")
    return said


def test_explorers_on_a_desk(visit, site, explorer_page):
    path = site / explorer_page
    written = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select("figure.explorer")
    page = visit(path.as_uri()).page
    for figure, explorer in zip(written, explorers(page), strict=True):
        assert first_frame_faults(explorer, figure) == []
        assert question_faults(explorer) == []
        assert keyboard_faults(explorer) == []
        assert drag_faults(explorer, mouse_drag(page)) == []


def test_explorers_follow_a_finger(visit, site, explorer_page):
    page = visit((site / explorer_page).as_uri(), width=390, has_touch=True, is_mobile=True).page
    for explorer in explorers(page):
        assert small_targets(explorer) == []
        assert drag_faults(explorer, finger_drag(page)) == []
        assert scroll_faults(explorer, page) == []


def test_explorers_show_their_first_frame_and_result_without_a_script(browser, site, explorer_page):
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / explorer_page).as_uri())
    for explorer in page.locator("figure.explorer").all():
        explorer.scroll_into_view_if_needed()
        image = explorer.locator("svg.drawn >> visible=true")
        assert image.get_attribute("aria-label").endswith(explorer.locator(".explorer-result").inner_text())
        box, (width, height) = image.bounding_box(), (int(image.get_attribute(side)) for side in ("width", "height"))
        assert box["width"] / box["height"] == pytest.approx(width / height, rel=0.01)
        shown = state(explorer)
        assert shown["values"] == shown["spoken"]
        assert explorer.locator(".explorer-names label >> visible=true").count() == len(
            explorer.locator(".explorer-names").all()
        )
        assert explorer.locator("noscript p").is_visible()
        assert not any(control.is_visible for control in controls(explorer))
    page.close()


def test_explorers_keep_their_limits(site, explorer_page):
    assert excess(site, explorer_page) == []


def test_the_scripts_of_a_page_are_small(site, explorer_page):
    soup = BeautifulSoup((site / explorer_page).read_text(encoding="utf-8"), "html.parser")
    assert sum(len(script.string.encode()) for script in soup.select("figure.explorer script")) < 40_000


def test_frames_are_fetched_when_the_page_is_there_and_the_reader_near(visit, site):
    """None before the page has loaded, and no explorer's far below the window."""
    page = visit((site / "book" / "04-krr.html").as_uri())
    page.page.evaluate(AT_REST)
    frames = [url for url in page.requested if re.search(r"_images/fig-[a-z-]+\.js", url)]
    assert frames == []
    count = sum(explorer.locator("[data-frames]").count() for explorer in explorers(page.page))
    frames = [url for url in page.requested if re.search(r"_images/fig-[a-z-]+\.js", url)]
    assert len(frames) == count >= 2
    assert page.complaints == []


def test_frames_that_do_not_come_are_not_waited_for(visit, site):
    page = visit((site / "book" / "02-svc.html").as_uri()).page
    explorer = page.locator("figure.explorer:has([data-frames])").first
    explorer.locator("[data-frames]").evaluate("e => e.dataset.frames = 'nowhere.js'")
    explorer.scroll_into_view_if_needed()
    explorer.get_by_text("The other pictures did not load.").wait_for()


ON_SCREEN = """id => {
    const box = document.getElementById(id).getBoundingClientRect();
    return box.top >= 0 && box.top < innerHeight / 2;
}"""


def test_the_address_holds_the_positions_of_the_sliders(visit, site, explorer_page):
    """Moved, copied and opened elsewhere, a page shows the same pictures, and what was moved last."""
    page = visit(f"{(site / explorer_page).as_uri()}?q=kept").page
    moved = {}
    for explorer in explorers(page):
        for slider in controls(explorer):
            slider.press("Home")
            slider.press("ArrowRight")
        if controls(explorer):
            moved[explorer.get_attribute("id")] = state(explorer)
    if not moved:
        return
    address = page.evaluate("location.href")
    assert "q=kept" in address
    assert address.endswith(f"#{list(moved)[-1]}")
    other = visit(address).page
    other.wait_for_function(ON_SCREEN, arg=list(moved)[-1])
    shown = {explorer.get_attribute("id"): state(explorer) for explorer in explorers(other)}
    assert {name: shown[name] for name in moved} == moved


def test_a_picture_that_is_not_there_yet_is_dimmed(visit, site):
    """Until frames arrive, the first picture does not pass for another setting's."""
    page = visit((site / "book" / "04-krr.html").as_uri()).page
    explorer = page.locator("figure.explorer:has([data-frames])").last  # far below: nothing has been fetched
    move = "e => { e.value = e.min; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    explorer.locator("input[type=range]").first.evaluate(move)
    assert "waiting" in explorer.get_attribute("class")
    assert float(explorer.locator(".explorer-picture").evaluate("e => getComputedStyle(e).opacity")) < 0.5


def test_an_address_with_values_that_a_slider_does_not_have_changes_nothing(visit, site):
    url = (site / "book" / "index.html").as_uri()
    plain, strange = visit(url), visit(f"{url}?fig-heights.ridge_lambda=7&fig-heights.no=1&fig-none.C=1")
    assert state(next(explorers(plain.page))) == state(next(explorers(strange.page)))
    assert strange.complaints == []


def test_landing_page_has_an_explorer_with_two_sliders(visit, site):
    page = visit((site / "book" / "index.html").as_uri()).page
    assert max(len(controls(explorer)) for explorer in explorers(page)) >= 2


GOOD_SCRIPT = """(() => {
  const figure = document.currentScript.parentElement, inputs = [...figure.querySelectorAll("input")];
  inputs.forEach(input => input.addEventListener("input", () => {
    const place = inputs.map(i => i.value).join();
    const image = figure.querySelector("svg");
    image.ariaLabel = "place " + place;
    figure.querySelector("[role=status]").textContent = "place " + place;
    image.firstChild.textContent = place;
    input.setAttribute("aria-valuetext", input.value);
    input.nextElementSibling.textContent = input.value;
  }));
})()"""


def mini_explorer(script, steps=4, style=""):
    values = f'min="0" max="{steps - 1}" value="1" aria-valuetext="1"'
    control = f'<input type="range" aria-label="a" {values} style="{style}"><output>1</output>'
    control = f'<p class="explorer-control">{control}</p>'
    image = '<svg role="img" aria-label="place 1,1" width="9" height="9"><text>1,1</text></svg>'
    image = f'<div class="explorer-picture">{image}</div><p role="status">place 1,1</p>'
    return (
        '<!doctype html><meta name="viewport" content="width=device-width">'
        f'<figure class="explorer" id="mini"><b></b>{image}{control * 2}<script>{script}</script></figure>'
    )


@pytest.fixture
def open_mini(visit, tmp_path):
    def open_explorer(script=GOOD_SCRIPT, **options):
        path = tmp_path / "mini.html"
        path.write_text(mini_explorer(script, **options), encoding="utf-8")
        page = visit(path.as_uri(), width=390, has_touch=True, is_mobile=True).page
        return page, page.locator("figure.explorer")

    return open_explorer


def test_a_good_explorer_passes(open_mini):
    page, explorer = open_mini(style="height: 44px")
    assert small_targets(explorer) == []
    assert keyboard_faults(explorer) == []
    for drag in (mouse_drag, finger_drag):
        assert drag_faults(explorer, drag(page)) == []


@thorough
@pytest.mark.parametrize(
    ("complaint", "old", "new"),
    [
        ("slider 0 does not change the picture", "inputs.forEach(", "inputs.slice(1).forEach("),
        ("slider 0 does not change the alt", "image.ariaLabel =", "image.title ="),
        ("slider 0: the picture is described as 'place 2,1', the result is 'place 1,1'", "[role=status]", "b"),
        ("slider 1 leaves the values of slider 1", "input.nextElementSibling", "inputs[0].nextElementSibling"),
        ("slider 0 changes the positions of slider 1", "const place", "inputs[1].value = input.value; const place"),
        ("slider 0 leaves the spoken of slider 0", "aria-valuetext", "aria-label"),
    ],
)
def test_a_bad_explorer_is_noticed(open_mini, complaint, old, new):
    assert old in GOOD_SCRIPT
    _, explorer = open_mini(GOOD_SCRIPT.replace(old, new))
    assert complaint in keyboard_faults(explorer)


@pytest.mark.parametrize("drag", [mouse_drag, finger_drag])
def test_an_explorer_deaf_to_pointers_is_noticed(open_mini, drag):
    page, explorer = open_mini(style="height: 20px; pointer-events: none")
    assert small_targets(explorer) != []
    assert "slider 0 stops at 0 of 3" in drag_faults(explorer, drag(page))


def test_an_excessive_explorer_is_noticed(tmp_path):
    (tmp_path / "mini.js").write_text("x" * (MAX_BYTES - 3000))
    page = tmp_path / "mini.html"
    page.write_text(mini_explorer(GOOD_SCRIPT).replace('picture"', 'picture" data-frames="mini.js?1"'))
    assert excess(tmp_path, "mini.html") == []
    page.write_text(page.read_text().replace("(() =>", f"/* {'x' * 3000} */(() =>"))
    assert excess(tmp_path, "mini.html")[0].endswith("bytes")
