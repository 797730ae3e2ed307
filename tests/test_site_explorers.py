"""Every explorer of the built book, moved as a reader moves it: by mouse, keyboard and finger; and without scripts."""

from math import prod

import pytest
from bs4 import BeautifulSoup

MAX_FRAMES, MAX_BYTES, TOUCH_TARGET = 60, 400_000, 44


def explorers(page):
    return page.locator("figure.explorer").all()


def sliders(explorer):
    return explorer.locator("input[type=range]").all()


def state(explorer):
    """What the reader sees: the picture, its description, and each slider's position and value."""
    return explorer.evaluate(
        """e => ({
            picture: e.querySelector("img").src,
            alt: e.querySelector("img").alt,
            positions: [...e.querySelectorAll("input")].map(i => i.valueAsNumber),
            values: [...e.querySelectorAll("output")].map(o => o.textContent),
            spoken: [...e.querySelectorAll("input")].map(i => i.getAttribute("aria-valuetext")),
        })"""
    )


def last(slider):
    return int(slider.get_attribute("max"))


def unchanged(before, after, i):
    """What should differ after slider i has moved, and does not; what should not, and does."""
    said = [f"slider {i} does not change the {name}" for name in ("picture", "alt") if before[name] == after[name]]
    for name in ("positions", "values", "spoken"):
        for j, (old, new) in enumerate(zip(before[name], after[name], strict=True)):
            if (old != new) != (i == j):
                said.append(f"slider {i} {'leaves' if i == j else 'changes'} the {name} of slider {j}")
    return said


def keyboard_faults(explorer):
    """Walk each slider from end to end and back, all others at rest."""
    faults = []
    for i, slider in enumerate(sliders(explorer)):
        rest = state(explorer)
        slider.press("Home")
        walk = [state(explorer)]
        for _ in range(last(slider)):
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
    for i, slider in enumerate(sliders(explorer)):
        slider.press("Home")
        slider.scroll_into_view_if_needed()
        before, box = state(explorer), slider.bounding_box()
        y = box["y"] + box["height"] / 2
        drag(box["x"] + 8, box["x"] + box["width"] - 2, y)
        after = state(explorer)
        faults += unchanged(before, after, i)
        if after["positions"][i] != last(slider):
            faults.append(f"slider {i} stops at {after['positions'][i]} of {last(slider)}")
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


def small_targets(explorer):
    heights = [slider.bounding_box()["height"] for slider in sliders(explorer)]
    return [f"slider {i} is {height} px high" for i, height in enumerate(heights) if height < TOUCH_TARGET]


def excess(html):
    """Explorers of a page with too many frames or bytes."""
    found = []
    for figure in BeautifulSoup(html, "html.parser").select("figure.explorer"):
        frames = prod(int(slider["max"]) + 1 for slider in figure.select("input[type=range]"))
        size = len(str(figure).encode())
        found += [f"{figure['id']}: {frames} frames"] if frames > MAX_FRAMES else []
        found += [f"{figure['id']}: {size} bytes"] if size > MAX_BYTES else []
    return found


def test_explorers_follow_mouse_and_keyboard(visit, site, page_name):
    page = visit((site / page_name).as_uri()).page
    for explorer in explorers(page):
        assert keyboard_faults(explorer) == []
        assert drag_faults(explorer, mouse_drag(page)) == []


def test_explorers_follow_a_finger(visit, site, page_name):
    page = visit((site / page_name).as_uri(), width=390, has_touch=True, is_mobile=True).page
    for explorer in explorers(page):
        assert small_targets(explorer) == []
        assert drag_faults(explorer, finger_drag(page)) == []


def test_explorers_show_their_first_frame_without_a_script(browser, site, page_name):
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / page_name).as_uri())
    for explorer in explorers(page):
        image = explorer.locator("img")
        assert image.is_visible()
        assert image.get_attribute("alt")
        assert image.evaluate("e => e.complete && e.naturalWidth") == int(image.get_attribute("width"))
        outputs = explorer.locator("output").all_text_contents()
        assert outputs == [slider.get_attribute("aria-valuetext") for slider in sliders(explorer)]
    page.close()


def test_explorers_keep_their_limits(site, page_name):
    assert excess((site / page_name).read_text(encoding="utf-8")) == []


def test_landing_page_has_an_explorer_with_two_sliders(visit, site):
    page = visit((site / "book" / "index.html").as_uri()).page
    assert max(len(sliders(explorer)) for explorer in explorers(page)) >= 2


GOOD_SCRIPT = """(() => {
  const figure = document.currentScript.parentElement, inputs = [...figure.querySelectorAll("input")];
  inputs.forEach(input => input.addEventListener("input", () => {
    const place = inputs.map(i => i.value).join();
    const image = figure.querySelector("img");
    image.alt = "place " + place;
    image.src = "data:text/plain," + place;
    input.setAttribute("aria-valuetext", input.value);
    input.nextElementSibling.textContent = input.value;
  }));
})()"""


def mini_explorer(script, steps=4, style=""):
    values = f'min="0" max="{steps - 1}" value="1" aria-valuetext="1"'
    control = f'<input type="range" aria-label="a" {values} style="{style}"><output>1</output><br>'
    image = '<img src="data:text/plain,1,1" alt="place 1,1">'
    return (
        '<!doctype html><meta name="viewport" content="width=device-width">'
        f'<figure class="explorer" id="mini">{image}{control * 2}<script>{script}</script></figure>'
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


@pytest.mark.parametrize(
    ("complaint", "old", "new"),
    [
        ("slider 0 does not change the picture", "inputs.forEach(", "inputs.slice(1).forEach("),
        ("slider 0 does not change the alt", "image.alt =", "image.title ="),
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


def test_an_excessive_explorer_is_noticed():
    assert excess(mini_explorer(GOOD_SCRIPT, steps=7)) == []
    assert excess(mini_explorer(GOOD_SCRIPT, steps=8)) == ["mini: 64 frames"]
    assert excess(mini_explorer("x" * MAX_BYTES))[0].endswith("bytes")
