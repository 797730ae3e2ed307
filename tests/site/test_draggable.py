"""Figures whose points are moved, in a real browser: by mouse, finger and keyboard; its words stay Python's."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from kernelbook.figures import SMO, Band, Bells, Classifier, Clusters, Components, Curve, OneClass, Tube, drag
from kernelbook.figures.plane import PADDING

POINTS = [(-1, -1.9), (-0.9, 1.8), (-2.5, -1.2), (-2.7, 0.1), (0.9, 0.1), (1.5, 1.6), (2.2, -0.4), (-1.5, 0.2)]
SIDE = [-1, -1, -1, -1, 1, 1, 1, 1]
STRAY = 7  # the place of the circle among the squares


def classifier(name="fig-c"):
    texts = {"alt": "A line between two classes.", "caption": "Drag a point.", "ask": ("Where?", ["here", "there"])}
    return drag(Classifier(POINTS, SIDE), C=[1, 10, 100], name=name, **texts)


def bells(name="fig-b", **sliders):
    program = Bells([(0, 1), (1, 1)], gamma=np.log(2))
    return drag(program, name=name, alt="Two bells.", caption="Drag a bell.", **sliders)


def curved(name="fig-r"):
    program = Classifier(POINTS, SIDE, kernel="rbf")
    return drag(program, gamma=[0.1, 1, 10], name=name, alt="A curve.", caption="Drag a point.")


FOUR = [(1, 1), (3, -1.2), (4.5, 0.3), (8, 2)]


def curve(name="fig-f"):
    texts = {"alt": "A curve.", "caption": "Drag a point."}
    return drag(Curve(FOUR), kernel=["rbf", "matern"], ridge_lambda=[0.01, 0.1, 1], name=name, **texts)


def band(name="fig-g"):
    return drag(Band(FOUR), sigma=[0.1, 0.3, 1], name=name, alt="A band.", caption="Drag a point.")


def tube(name="fig-t"):
    points = [(-2, -1), (-1, 0.3), (0.5, 0), (1.5, 3)]
    return drag(Tube(points), C=[0.1, 1, 10], epsilon=[0.2, 0.5, 1], name=name, alt="A tube.", caption="Drag a point.")


PLACES = [(-1, -1.9), (-0.9, 1.8), (-2.5, 0.2), (1.5, 0.1)]


def components(name="fig-p"):
    texts = {"name": name, "alt": "Level lines.", "caption": "Drag a point."}
    return drag(Components(PLACES), gamma=[0.1, 1, 3], component=["second", "first"], **texts)


def one_class(name="fig-o"):
    return drag(OneClass(PLACES), nu=[0.1, 0.3, 0.6], name=name, alt="A border.", caption="Drag a point.")


def smo(name="fig-s"):
    return drag(SMO(POINTS, SIDE), C=[0.1, 1, 10], name=name, alt="A run.", caption="Drag a point.")


def clusters(name="fig-k"):
    values = {"method": ["k-means", "spectral"], "gamma": [0.3, 1, 2]}
    return drag(Clusters(PLACES), **values, name=name, alt="Groups.", caption="Drag a point.")


PROGRAMS = [classifier, bells, curve, band, tube, components, one_class, smo, clusters]


class Moved:
    """A bare page with one figure: its points, what it says, and Python's words for them."""

    def __init__(self, visit, address, shown, **options):
        self.seen, self.program, self.values = visit(address, **options), shown._program, shown._values
        self.page = self.seen.page
        self.handles = self.page.locator("[role=slider]")

    @property
    def points(self):
        spoken = [self.handles.nth(i).get_attribute("aria-valuetext") for i in range(self.handles.count())]
        return [tuple(float(part.split()[-1].replace("−", "-")) for part in words.split(", ")) for words in spoken]

    @property
    def result(self):
        return self.page.locator(".explorer-result").text_content()

    @property
    def expected(self):
        positions = self.page.locator(".explorer-control").evaluate_all(
            """controls => controls.map(control => [...control.querySelectorAll("input")]).map(inputs =>
                inputs[0].type === "range" ? inputs[0].valueAsNumber : inputs.findIndex(button => button.checked))"""
        )
        choice = {name: v[i] for (name, v), i in zip(self.values.items(), positions, strict=True)}
        program = self.program
        if isinstance(program, Classifier):
            program = type(program)(self.points, self.signs, box=program.box, **program.settings)
        return program.describe(self.points, **choice)

    @property
    def names(self):
        return [self.handles.nth(i).get_attribute("aria-label") for i in range(self.handles.count())]

    @property
    def signs(self):
        return [1 if name.startswith("circle") else -1 for name in self.names]

    def centre(self, i):
        box = self.handles.nth(i).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @property
    def unit(self):
        """Pixels of the page for a unit of the first coordinate."""
        west, east = self.program.box[:2]
        width = self.page.locator(".explorer-plane > svg").bounding_box()["width"]
        return width * (1 - (PADDING[0] + PADDING[1]) / self.program.size[0]) / (east - west)


@pytest.fixture
def open_figure(visit, tmp_path):
    def open_page(shown, query="", **options):
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Points</title>'
        head += '<meta name="viewport" content="width=device-width">'
        head += "<style>body { margin: 16px } figure { margin: 4px }</style>"  # as on a page of the book
        path = tmp_path / "page.html"
        path.write_text(f"{head}<main><h1>Points</h1>{shown.to_html()}</main>", encoding="utf-8")
        return Moved(visit, path.as_uri() + query, shown, **options)

    return open_page


def mouse_drag(figure, start, end):
    mouse = figure.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*end, steps=5)
    mouse.up()


def finger_drag(figure, start, end):
    session = figure.page.context.new_cdp_session(figure.page)

    def touch(kind, *places):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]})

    touch("touchStart", start)
    for share in np.linspace(0.2, 1, 5):
        touch("touchMove", np.add(start, share * np.subtract(end, start)).tolist())
    touch("touchEnd")


PHONE = {"width": 390, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(("drag_point", "options"), [(mouse_drag, {}), (finger_drag, PHONE)])
@pytest.mark.parametrize(
    ("shown", "i", "way"),
    [
        (classifier, STRAY, (0.8, 0.5)),
        (bells, 1, (-0.5, -1.5)),
        (curve, 2, (1.5, -0.6)),
        (band, 3, (-2, -1)),
        (tube, 1, (0.3, 1)),
        (components, 3, (0.5, -1)),
        (one_class, 2, (0.5, -0.4)),
        (smo, STRAY, (0.8, 0.5)),
        (clusters, 1, (0.5, -0.4)),
    ],
)
def test_a_point_follows_mouse_and_finger(open_figure, drag_point, options, shown, i, way):
    figure = open_figure(shown(), **options)
    before, (x, y) = figure.points, figure.centre(i)
    west, east, south, north = figure.program.box
    (width, height), (left, right, below, above) = figure.program.size, PADDING
    height -= getattr(figure.program, "room", 0)
    up = figure.unit * (east - west) / (north - south) * (height - below - above) / (width - left - right)
    start = x + 4, y - 3  # not the middle of it, to which it must not jump
    drag_point(figure, start, (start[0] + way[0] * figure.unit, start[1] - way[1] * up))
    moved = [(round(x + way[0] * (j == i), 6), round(y + way[1] * (j == i), 6)) for j, (x, y) in enumerate(before)]
    assert figure.points == moved
    assert figure.result == figure.expected
    assert figure.page.evaluate("scrollY") == 0
    assert figure.seen.complaints == []


def test_beside_the_points_a_finger_scrolls(open_figure):
    figure = open_figure(classifier(), **PHONE)
    figure.page.add_style_tag(content="body { padding-bottom: 3000px }")
    x, y = figure.centre(STRAY)
    before = figure.points
    finger_drag(figure, (x + 60, y + 60), (x + 60, y - 200))
    figure.page.wait_for_function("scrollY > 50")
    assert figure.points == before


def test_points_that_are_apart_can_be_hit_by_a_finger(open_figure):
    for shown in PROGRAMS:
        figure = open_figure(shown(), **PHONE)
        for i in range(figure.handles.count()):
            box = figure.handles.nth(i).bounding_box()
            assert min(box["width"], box["height"]) >= 44
        assert figure.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_of_two_near_points_the_nearer_is_taken(open_figure):
    near = [*POINTS[:7], (1.1, 0.1)]
    figure = open_figure(
        classifier(),
        query="?fig-c.points=" + "_".join(f"{x}_{y}_{int(s < 0)}" for (x, y), s in zip(near, SIDE, strict=True)),
    )
    assert figure.points[STRAY] == (1.1, 0.1)
    x, y = figure.centre(4)  # at (0.9, 0.1), and drawn before its neighbour
    mouse_drag(figure, (x - 3, y), (x - 3 - figure.unit, y))
    assert figure.points[4] == (-0.1, 0.1)
    assert figure.points[STRAY] == (1.1, 0.1)


def test_points_stay_in_the_area(open_figure):
    figure = open_figure(classifier())
    mouse_drag(figure, figure.centre(STRAY), (5000, -5000))
    assert figure.points[STRAY] == (3, 2.5)
    assert figure.result == figure.expected


def test_a_point_on_another_of_the_other_class_is_solved(open_figure):
    figure = open_figure(classifier())
    mouse_drag(figure, figure.centre(STRAY), figure.centre(2))
    assert figure.points[STRAY] == figure.points[2]
    assert figure.result == figure.expected


KEYS = {"ArrowRight": (1, 0), "ArrowUp": (0, 1), "ArrowLeft": (-1, 0), "Shift+ArrowDown": (0, -10)}


@pytest.mark.parametrize("shown", PROGRAMS)
def test_every_point_follows_the_keys(open_figure, shown):
    figure = open_figure(shown())
    start, step = figure.points, figure.program.step
    for i in range(figure.handles.count()):
        figure.page.keyboard.press("Tab")
        while not figure.handles.nth(i).evaluate("e => e === document.activeElement"):
            figure.page.keyboard.press("Tab")
        assert figure.handles.nth(i).locator(".focus").is_visible()
        for keys, way in KEYS.items():
            x, y = figure.points[i]
            figure.page.keyboard.press(keys)
            west, east, south, north = figure.program.box
            x, y = np.clip(x + way[0] * step, west, east), np.clip(y + way[1] * step, south, north)
            assert figure.points[i] == (round(x, 6), round(y, 6))
            assert figure.result == figure.expected
        figure.page.keyboard.press("Home")
        assert figure.points == start
    assert figure.page.evaluate("scrollY") == 0


def test_keys_with_control_are_left_to_the_browser(open_figure):
    figure = open_figure(classifier())
    start = figure.points
    for keys in ("Control+ArrowRight", "Alt+ArrowUp", "Meta+ArrowDown"):
        figure.handles.nth(STRAY).press(keys)
        assert figure.points == start
    figure.handles.nth(STRAY).press("ArrowRight")
    moved = figure.points
    figure.handles.nth(STRAY).press("Control+Home")
    assert figure.points == moved != start


@pytest.mark.parametrize(
    ("shown", "label"),
    [
        (curved(), "γ"),
        (bells(gamma=[0.1, 1, 10]), "γ"),
        (curve(), "ridge λ"),
        (band(), "σ"),
        (tube(), "C"),
        (tube(), "ε"),
        (components(), "γ"),
        (one_class(), "ν"),
        (smo(), "C"),
        (clusters(), "γ"),
    ],
)
def test_a_slider_changes_the_picture_and_the_words(open_figure, shown, label):
    figure = open_figure(shown)
    drawing = figure.page.locator(".explorer-plane > svg")
    seen = set()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        figure.page.get_by_label(label, exact=True).press(key)
        assert figure.result == figure.expected
        seen.add((figure.result, drawing.inner_html()))
    assert len({result for result, _ in seen}) == len({picture for _, picture in seen}) == 3


def test_buttons_choose_the_kernel_and_the_address_keeps_it(open_figure, visit):
    figure = open_figure(curve())
    first = figure.result
    figure.page.get_by_label("rbf", exact=True).check()
    assert figure.result == figure.expected != first
    address, said = figure.page.evaluate("location.href"), figure.result
    assert "fig-f.kernel=rbf" in address
    other = Moved(visit, address, curve())
    assert other.result == said
    other.page.get_by_role("button", name="Put everything back").click()
    assert other.result == first


def test_tab_leaves_the_points_and_the_address_alone(open_figure):
    figure = open_figure(classifier())
    address = figure.page.evaluate("location.href")
    for _ in range(1 + figure.handles.count() + 6):  # the question, the points, the slider, the buttons
        figure.page.keyboard.press("Tab")
    assert figure.page.evaluate("document.activeElement.textContent") == "Put everything back"
    assert figure.page.evaluate("location.href") == address


def test_sliders_and_points_are_said_together_and_put_back(open_figure):
    figure = open_figure(classifier())
    first, start = figure.result, figure.points
    figure.page.get_by_label("C", exact=True).press("End")
    figure.handles.nth(0).press("Shift+ArrowUp")
    assert figure.result == figure.expected != first
    drawing = figure.page.locator(".explorer-plane > svg")
    assert drawing.get_attribute("aria-label") == f"A line between two classes. C 100: {figure.result}"
    figure.page.get_by_role("button", name="Put everything back").click()
    assert (figure.points, figure.result) == (start, first)


def test_the_address_holds_what_was_moved(open_figure, visit):
    figure = open_figure(classifier())
    figure.handles.nth(STRAY).press("ArrowLeft")
    figure.page.get_by_label("C", exact=True).press("End")
    address, points, said = figure.page.evaluate("location.href"), figure.points, figure.result
    assert "-1.6_0.2" in address
    assert address.endswith("#fig-c")
    other = Moved(visit, address, classifier())
    assert (other.points, other.result) == (points, said)
    other.page.get_by_role("button", name="Put everything back").click()
    assert other.page.evaluate("location.search") == ""


@pytest.mark.parametrize("asked", ["", "1_2", "_".join(["a"] * 24), "_".join(["9e9"] * 24), "9e9_9e9_0_-9e9_9e9_1"])
def test_an_address_that_makes_no_sense_leaves_the_points_in_the_area(open_figure, asked):
    figure = open_figure(classifier(), query=f"?fig-c.points={asked}")
    assert all(-3 <= x <= 3 and -2.5 <= y <= 2.5 for x, y in figure.points)
    assert figure.result == figure.expected
    assert figure.seen.complaints == []


@pytest.mark.parametrize("shown", PROGRAMS)
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(open_figure, shown, width):
    figure = open_figure(shown(), width=width)
    figure.handles.nth(0).press("ArrowLeft")
    assert [violation["id"] for violation in Axe().run(figure.page).response["violations"]] == []


@pytest.mark.parametrize("shown", PROGRAMS)
def test_the_drawing_takes_the_place_of_the_picture(open_figure, browser, shown):
    figure = open_figure(shown())
    drawn = figure.page.locator(".explorer-plane > svg").bounding_box()
    page = browser.new_page(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page.goto(figure.page.url.split("?")[0])
    picture = page.locator(".explorer-picture > svg")
    assert picture.is_visible()
    assert picture.bounding_box() == drawn
    assert page.locator(".explorer-result").text_content() == figure.result
    page.close()


def place_of(figure, x, y):
    """The pixels of a place in the plane."""
    box = figure.page.locator(".explorer-plane > svg").bounding_box()
    (west, east, south, north), (width, height), (left, right, below, above) = (
        figure.program.box,
        figure.program.size,
        PADDING,
    )
    below += getattr(figure.program, "room", 0)
    across, up = (
        left + (x - west) / (east - west) * (width - left - right),
        below + (y - south) / (north - south) * (height - below - above),
    )
    return box["x"] + across * box["width"] / width, box["y"] + box["height"] * (1 - up / height)


GROWING = [curve, band, tube, components, one_class, clusters]


@pytest.mark.parametrize("shown", GROWING)
def test_a_button_adds_a_point_in_the_widest_gap_and_the_keys_move_it(open_figure, shown):
    figure = open_figure(shown())
    before, said = figure.points, figure.result
    figure.page.get_by_role("button", name="Add a point").click()
    west, east = figure.program.box[:2]
    places = sorted([west, *(x for x, _ in before), east])
    widest = np.argmax(np.diff(places))
    middle = np.mean(figure.program.box[2:])
    assert figure.points[:-1] == before
    assert figure.points[-1] == pytest.approx((np.mean(places[widest : widest + 2]), middle), abs=0.051)
    assert figure.result == figure.expected != said
    assert figure.page.evaluate("document.activeElement.ariaLabel") == "point 5"
    figure.page.keyboard.press("Shift+ArrowUp")
    assert figure.points[-1][1] == middle + 1
    assert figure.result == figure.expected


@pytest.mark.parametrize("shown", GROWING)
def test_a_double_click_adds_a_point_where_there_is_none(open_figure, shown):
    figure = open_figure(shown())
    west, east, south, north = figure.program.box
    at = round(west + 0.62 * (east - west), 1), round(south + 0.15 * (north - south), 1)
    figure.page.mouse.dblclick(*place_of(figure, *at))
    assert figure.points[4:] == [pytest.approx(at, abs=0.051)]
    assert figure.result == figure.expected
    figure.page.mouse.dblclick(*figure.centre(0))
    assert len(figure.points) == 5


@pytest.mark.parametrize("shown", GROWING)
def test_the_delete_key_removes_the_point_that_is_held(open_figure, shown):
    figure = open_figure(shown())
    before = figure.points
    figure.handles.nth(1).press("Delete")
    assert figure.points == [before[0], *before[2:]]
    assert figure.result == figure.expected
    assert figure.page.evaluate("document.activeElement.ariaLabel") == "point 3"
    figure.handles.nth(2).press("Delete")
    assert figure.page.evaluate("document.activeElement.ariaLabel") == "point 3"
    figure.handles.nth(0).press("Delete")
    assert figure.points == [before[0], before[2]]  # two stay


def test_a_button_removes_the_point_that_was_held_last(open_figure):
    figure = open_figure(curve())
    before = figure.points
    less = figure.page.get_by_role("button", name="Remove")
    assert less.text_content() == "Remove point 4"
    mouse_drag(figure, figure.centre(1), (figure.centre(1)[0] + 20, figure.centre(1)[1]))
    assert less.text_content() == "Remove point 2"
    less.click()
    assert figure.points == [before[0], *before[2:]]
    assert less.text_content() == "Remove point 3"
    less.click()
    assert figure.points == [before[0], before[3]]
    assert less.is_disabled()


def test_at_most_twenty_points(open_figure):
    figure = open_figure(curve())
    more = figure.page.get_by_role("button", name="Add a point")
    for _ in range(16):
        more.click()
    assert len(figure.points) == 20
    assert len(set(figure.points)) == 20
    assert more.is_disabled()
    assert figure.result == figure.expected
    assert figure.seen.complaints == []


@pytest.mark.parametrize("shown", GROWING)
def test_the_address_keeps_the_number_of_points(open_figure, visit, shown):
    figure = open_figure(shown())
    start, said = figure.points, figure.result
    figure.handles.nth(0).press("Delete")
    for _ in range(2):
        figure.page.get_by_role("button", name="Add a point").click()
    address, points, result = figure.page.evaluate("location.href"), figure.points, figure.result
    other = Moved(visit, address, shown())
    assert (other.points, other.result) == (points, result)
    other.page.get_by_role("button", name="Put everything back").click()
    assert (other.points, other.result) == (start, said)
    assert other.page.evaluate("location.search") == ""
    other.page.get_by_role("button", name="Add a point").click()
    assert other.page.evaluate("document.activeElement.ariaLabel") == "point 5"


@pytest.mark.parametrize("asked", ["1_2", "1_2_3", "_".join(["1"] * 42), "_".join(["a"] * 8)])
def test_an_address_with_too_many_or_too_few_points_is_passed_over(open_figure, asked):
    figure = open_figure(curve(), query=f"?fig-f.points={asked}")
    assert figure.points == FOUR
    assert figure.seen.complaints == []


def test_where_each_point_has_a_meaning_of_its_own_none_is_added_or_removed(open_figure):
    figure = open_figure(bells())
    before = figure.points
    for key in ("Delete", "Enter"):
        figure.handles.nth(0).press(key)
    assert figure.points == before
    assert figure.page.get_by_role("button").all_text_contents() == ["Put everything back"]


def test_buttons_add_points_of_both_classes_and_remove_and_turn_the_one_that_was_held(open_figure):
    figure = open_figure(classifier())
    before, press = figure.names, lambda name: figure.page.get_by_role("button", name=name, exact=True).click()
    buttons = ["Add a circle", "Add a square", "Remove circle 4", "Make circle 4 a square", "Put everything back"]
    assert figure.page.get_by_role("button").all_text_contents() == buttons
    press("Add a circle")
    press("Add a square")
    assert figure.names == [*before, "circle 5", "square 5"]
    assert figure.result == figure.expected
    figure.page.keyboard.press("ArrowUp")
    assert figure.result == figure.expected
    press("Make square 5 a circle")
    assert figure.names == [*before, "circle 5", "circle 6"]
    assert figure.handles.nth(9).locator("circle").count() == 3  # the focus, the mark and the reach
    assert figure.result == figure.expected
    press("Remove circle 6")
    press("Remove circle 5")
    assert figure.names == before
    press("Put everything back")
    assert figure.page.evaluate("location.search") == ""


def test_keys_turn_and_remove_points_and_one_of_each_class_stays(open_figure):
    figure = open_figure(classifier())
    figure.handles.nth(0).press("Enter")
    assert figure.names[0] == "circle 5"
    assert figure.page.evaluate("document.activeElement.ariaLabel") == "circle 5"
    assert figure.result == figure.expected
    for i in (1, 2, 3):
        figure.handles.nth(i).press("Enter")
    assert figure.names[1:4] == ["circle 6", "circle 7", "square 4"]
    figure.handles.nth(3).press("Delete")
    assert figure.names[3] == "square 4"
    assert figure.page.get_by_role("button", name="Remove square 4").is_disabled()
    assert figure.page.get_by_role("button", name="Make square 4 a circle").is_disabled()
    for i in (4, 4, 4, 4, 0, 0, 0):
        figure.handles.nth(i).press("Delete")
    assert figure.names == ["circle 7", "square 4"]
    assert figure.result == figure.expected
    assert figure.seen.complaints == []


def test_a_double_click_adds_a_point_of_the_class_that_was_held_last(open_figure):
    figure = open_figure(classifier())
    figure.page.mouse.dblclick(*place_of(figure, 0, -1.5))
    figure.handles.nth(0).focus()
    figure.page.mouse.dblclick(*place_of(figure, 0, 1.5))
    assert figure.names[8:] == ["circle 5", "square 5"]
    assert figure.result == figure.expected


def test_the_address_keeps_the_classes(open_figure, visit):
    figure = open_figure(classifier())
    start, said = figure.points, figure.result
    figure.handles.nth(0).press("Enter")
    figure.handles.nth(6).press("Delete")
    for name in ("Add a square", "Add a square"):
        figure.page.get_by_role("button", name=name).click()
    address, points, signs, result = figure.page.evaluate("location.href"), figure.points, figure.signs, figure.result
    other = Moved(visit, address, classifier())
    assert (other.points, other.signs, other.result) == (points, signs, result)
    other.page.get_by_role("button", name="Put everything back").click()
    assert (other.points, other.signs, other.result) == (start, SIDE, said)
    assert other.page.evaluate("location.search") == ""


@pytest.mark.parametrize("asked", ["1_2_0", "1_2_0_2_2_0", "1_2_0_2_2_2", "1_2_0_2_2", "1_2_0_2_2_0.5"])
def test_an_address_with_one_class_or_an_unknown_one_is_passed_over(open_figure, asked):
    figure = open_figure(classifier(), query=f"?fig-c.points={asked}")
    assert figure.points == POINTS
    assert figure.seen.complaints == []


def test_a_task_ticks_itself_and_stays_ticked(open_figure):
    program = Classifier([(-1, 0), (0, 0.2), (1, 0)], [1, -1, 1])
    wanted = {"points": (3, 3), "separable": (0, 0), "errors": (0, 0)}
    task = ("Find three points that no line separates and this machine does.", wanted)
    figure = open_figure(drag(program, kernel=["rbf", "linear"], C=[1e3], name="fig-c", task=task))
    line = figure.page.locator(".explorer-task")
    assert line.text_content() == f"Task: {task[0]}"
    figure.handles.nth(1).press("ArrowDown")
    figure.handles.nth(1).press("ArrowDown")
    assert line.text_content() == f"Task: {task[0]}"
    figure.page.get_by_label("rbf", exact=True).check()
    assert line.text_content() == f"✓ Done: {task[0]}"
    figure.page.get_by_role("button", name="Put everything back").click()
    assert line.text_content() == f"✓ Done: {task[0]}"
    assert figure.seen.complaints == []


def at_step(figure, steps):
    return figure.program.describe(figure.points, C=1, steps=steps)


def press(figure, name):
    figure.page.get_by_role("button", name=name, exact=True).click()


def test_a_run_goes_on_by_a_button_and_the_space_bar_and_starts_again_when_a_point_moves(open_figure):
    figure = open_figure(smo())
    last = figure.program.numbers(POINTS, C=1)["steps"]
    assert figure.result == at_step(figure, 0)
    press(figure, "One step")
    assert figure.result == at_step(figure, 1)
    figure.handles.nth(2).press(" ")
    assert figure.result == at_step(figure, 2)
    assert figure.page.evaluate("scrollY") == 0
    for step in range(3, last + 1):
        press(figure, "One step")
        assert figure.result == at_step(figure, step)
    for name in ("One step", "Run to the end"):
        assert figure.page.get_by_role("button", name=name).is_disabled()
    press(figure, "Start again")
    assert figure.result == at_step(figure, 0)
    assert figure.page.get_by_role("button", name="Start again").is_disabled()
    press(figure, "One step")
    figure.handles.nth(0).press("ArrowUp")
    assert figure.result == figure.program.describe(figure.points, C=1)
    press(figure, "One step")
    press(figure, "Put everything back")
    assert (figure.points, figure.result) == (POINTS, at_step(figure, 0))
    assert figure.seen.complaints == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_run_to_the_end_is_a_film_unless_the_reader_wants_no_motion(open_figure, motion):
    figure = open_figure(smo())
    figure.page.emulate_media(reduced_motion=motion)
    figure.page.evaluate(
        """() => {
            window.said = [];
            const line = document.querySelector(".explorer-result"), figure = line.closest("figure");
            const note = () => said.push([line.textContent, figure.ariaBusy]);
            new MutationObserver(note).observe(line, {childList: true});
        }"""
    )
    press(figure, "Run to the end")
    last = figure.program.numbers(POINTS, C=1)["steps"]
    figure.page.wait_for_function("end => said.at(-1)?.[0] === end", arg=at_step(figure, last))
    said = figure.page.evaluate("said")
    first = 1 if motion == "no-preference" else last
    assert [words for words, _ in said] == [at_step(figure, step) for step in range(first, last + 1)]
    assert figure.page.evaluate("document.querySelector('figure').ariaBusy") in ("false", None)
    assert {busy for _, busy in said[:-1]} <= {"true"}


def test_two_figures_on_a_page_do_not_move_each_other(open_figure, visit, tmp_path):
    one, other = classifier(), classifier("fig-d")
    path = tmp_path / "two.html"
    path.write_text(f'<!doctype html><meta charset="utf-8">{one.to_html()}{other.to_html()}', encoding="utf-8")
    page = visit(path.as_uri()).page
    states = page.locator(".explorer-result")
    before = states.all_text_contents()
    page.locator("#fig-d [role=slider]").first.press("Shift+ArrowUp")
    assert states.all_text_contents()[0] == before[0]
    assert states.all_text_contents()[1] != before[1]
    named = page.evaluate(
        "Object.keys(window).filter(name => /plane|classifier|bells|tube|cholesky|joinControls|INK|CLASSES/.test(name))"
    )
    assert named == []


def test_points_of_the_book_can_be_moved(visit, site, explorer_page):
    seen = visit((site / explorer_page).as_uri())
    for figure in seen.page.locator("figure.explorer:has(.explorer-plane)").all():
        said = figure.locator(".explorer-result")
        for point in figure.locator("[role=slider]").all():
            at, first = point.get_attribute("aria-valuetext"), said.text_content()
            point.press("ArrowLeft")
            assert point.get_attribute("aria-valuetext") != at
            point.press("Home")
            assert (point.get_attribute("aria-valuetext"), said.text_content()) == (at, first)
    assert seen.complaints == []


def test_five_figures_of_the_book_have_points_to_take_hold_of(site):
    pages = [path.read_text(encoding="utf-8") for path in (site / "book").glob("*.html")]
    assert sum(page.count("movePoints(figure, named,") for page in pages) >= 5


DONE = {
    "01-rkhs-space": "fig-interpolant.points=1_0.5_3_-1_3.1_1.5_7_0_9_1",
    "02-svc": "fig-svc-three.points=-1.5_-0.5_0_0_-0.5_1_1.5_-0.5_0&fig-svc-three.kernel=rbf",
    "02-svc-choosing": "fig-smo.C=15",
    "02-svc-machines": "fig-one-class.points=-1_-1_1_-1_1_1_-1_1",
    "05-kpca-graphs": "fig-three-ways.method=k-means&fig-three-ways.points=-2_0_-2_0.1_2_0_2_0.1",
    "05-kpca": "fig-kpca-nine.points=-1_-1_1_-1_1_1_-1_1",
}


@pytest.mark.parametrize("name", DONE)
def test_every_task_of_the_book_can_be_done(visit, site, name):
    page = (site / "book" / f"{name}.html").as_uri()
    for query, said in (("", "Task: "), (f"?{DONE[name]}", "✓ Done: ")):
        seen = visit(page + query)
        figure = seen.page.locator(f"#{DONE[name].split('.')[0]}")
        for button in figure.get_by_role("button", name="Run to the end").all():
            button.click()
            seen.page.wait_for_function("button => button.disabled", arg=button.element_handle())
        assert figure.locator(".explorer-task").text_content().startswith(said)
        assert seen.complaints == []


def test_these_are_all_tasks_of_the_book(site):
    pages = (site / "book").glob("*.html")
    assert {page.stem for page in pages if 'explorer-task" role' in page.read_text(encoding="utf-8")} == set(DONE)
