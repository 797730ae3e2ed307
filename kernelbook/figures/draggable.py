"""Figures whose points the reader moves: by mouse, finger or keyboard in the built book, with sliders in a notebook."""

import html

from kernelbook.figures.bells import Bells
from kernelbook.figures.classifier import Classifier
from kernelbook.figures.clusters import Clusters
from kernelbook.figures.components import Components
from kernelbook.figures.curve import Band, Curve
from kernelbook.figures.explorer import Explorer
from kernelbook.figures.explorer_page import as_script, explorer_page
from kernelbook.figures.layouts import LayoutCache
from kernelbook.figures.one_class import OneClass
from kernelbook.figures.plane import FEWEST, MOST, MovablePoints
from kernelbook.figures.questions import Task
from kernelbook.figures.smo import SMO
from kernelbook.figures.tube import Tube

PROGRAMS = (Bells, Classifier, Curve, Band, Tube, Components, OneClass, SMO, Clusters)


def drag(program, *, alt="", caption="", name=None, ask=None, answer=None, task=None, **values):
    """Show a program, such as ``Bells`` or ``Tube``, and let the reader move its points.

    Parameters
    ----------
    program : Bells, Classifier, Curve, Band, Tube, Components, OneClass, SMO or Clusters, which draws the points and
        describes the result, in Python and on the page
    alt, caption, name, ask, answer : as in ``explore``
    task : pair of str and dict, what the reader is to bring about, in a sentence, and for some of the program's
        ``numbers`` the least and the most value that they may then have; once it is so, the figure says it. Or None,
        the default
    **values : for any of the program's parameters the list of its values, which get a slider or buttons as in
        ``explore``

    Returns
    -------
    Draggable; it shows itself as the last line of a cell

    Raises
    ------
    ValueError : as ``explore``; a parameter that the program does not have, or a value that it does not take; a task
        that is no such pair, names numbers that the program does not have, or is done at the start

    >>> drag(Bells([(0, 1), (1, -0.5)]), gamma=[0.5, 1, 2], alt="Two bells and their sum.", caption="Two bells.")
    Draggable(Bells: 2 points, gamma: 0.5 … 2 in 3 steps)
    """
    return Draggable(program, values, alt, caption, name, ask, answer, task)


class Draggable(Explorer):
    """The result of ``drag``.

    Attributes
    ----------
    sliders : dict of ipywidgets sliders, by the name of a parameter, or of a point and its coordinate
    image, widget : as in Explorer

    >>> shown = drag(Bells([(0, 1)]), gamma=[0.5, 1, 2])
    >>> list(shown.sliders)
    ['gamma', 'bell 1, centre', 'bell 1, weight']
    >>> shown.sliders["bell 1, centre"].value = 2  # as a reader does in a notebook
    """

    def __init__(self, program, values, alt, caption, name, ask, answer, task):
        if not isinstance(program, PROGRAMS):
            known = ", ".join(each.__name__ for each in PROGRAMS)
            raise ValueError(f"program must be one of {known}, got {program!r}.")
        if unknown := set(values) - set(program.parameters):
            known = " and ".join(program.parameters)
            raise ValueError(f"{type(program).__name__} has sliders for {known}, not for {', '.join(unknown)}.")
        self._program, self._sliders_answer = program, answer is not None
        super().__init__(program.draw, values, program.describe, alt, caption, name, ask, answer)
        self._checked = {
            parameter: [program.parameters[parameter](value, parameter) for value in options]
            for parameter, options in self._values.items()
        }
        has_numbers = task is not None and hasattr(program, "numbers")
        self._task = Task.checked(task, program.numbers(program.points, **self._start) if has_numbers else {})

    @property
    def _act(self):
        """What a reader who has guessed is asked to do."""
        return super()._act if self._sliders_answer else getattr(self._program, "act", "move the points")

    def __repr__(self):
        points = f"{type(self._program).__name__}: {len(self._program.points)} points"
        return f"Draggable({', '.join([points, *self._spans()])})"

    def _controls(self):
        """A menu of the points, sliders for the chosen point and for the parameters, and a button to put all back.

        Where all points are alike, a field says how many there are. Where a run takes steps, a field says how many.
        """
        import ipywidgets as widgets

        sliders, parameter_sliders, choice = super()._controls()
        program, run = self._program, {}
        names, points = [*program.names], [*program.points]
        if isinstance(program, MovablePoints):  # where all points are alike, more of them wait for their turn
            run["points"] = widgets.BoundedIntText(
                len(points), min=min(FEWEST, len(points)), max=max(MOST, len(points)), description="points"
            )
            names += [f"point {i + 1}" for i in range(len(names), MOST)]
            points += program.spare_points()
        if most := getattr(program, "most_steps", 0):
            run["steps"] = widgets.BoundedIntText(0, min=0, max=most, description="steps")
        pairs = [self._coordinate_sliders(point) for point in points]
        menu = widgets.Dropdown(options=[(name, i) for i, name in enumerate(program.names)], description="point")
        chosen_pair, back = widgets.VBox(pairs[0]), widgets.Button(description="Put everything back")

        def choose(_):
            chosen_pair.children = pairs[menu.value]

        def count(_):
            menu.options = [(name, i) for i, name in enumerate(names[: run["points"].value])]

        def put_back(_):
            for slider, start in starts:
                slider.value = start

        def choice_with_points():
            asked = {name: field.value for name, field in run.items()}
            present = pairs[: asked.pop("points", len(pairs))]
            return {"points": [tuple(slider.value for slider in pair) for pair in present], **asked, **choice()}

        if "points" in run:
            run["points"].observe(count, names="value")
        menu.observe(choose, names="value")
        back.on_click(put_back)
        for name, pair in zip(names, pairs, strict=True):
            sliders |= {f"{name}, {slider.description}": slider for slider in pair}
        sliders |= run
        starts = [(slider, slider.value) for slider in sliders.values()]
        return sliders, [menu, chosen_pair, *parameter_sliders, *run.values(), back], choice_with_points

    def _goal_in_widgets(self, widgets, sliders, choice):
        """A line with the task, if there is one, which says for good when it is done."""
        if self._task is None:
            return []
        line = widgets.HTML(html.escape(self._task.line(False)))

        def tick(_):
            if self._task.is_done(self._program.numbers(**choice())):
                line.value = html.escape(self._task.line(True))

        for slider in sliders.values():
            slider.observe(tick, names="value")
        return [line]

    def _coordinate_sliders(self, point):
        import ipywidgets as widgets

        (west, east, south, north), step = self._program.box, self._program.step
        ends = (west, east), (south, north)
        return [
            widgets.FloatSlider(value, min=least, max=most, step=step, description=name, readout_format=".2f")
            for value, (least, most), name in zip(point, ends, self._program.coordinates, strict=True)
        ]

    def to_html(self):
        """The figure with its first frame, native sliders, and the scripts that draw every other frame."""
        self._needs_a_name()
        program, task = self._program, self._task
        texts = self._texts(task=task.line(False) if task else None)
        layouts = LayoutCache(), LayoutCache()
        ((elements, _), _), result = self._frame({"points": program.points, **self._start}, layouts)
        sliders = [{"name": name, "values": values} for name, values in self._checked.items()]
        given = {**program.given(), "sliders": sliders, **({"task": task.for_script()} if task else {})}
        scripts = ("controls.js", "plane.js", "handles.js", *program.files, "points.js")
        call = f"movePoints(figure, named, {program.script}, {as_script(given)});"
        return explorer_page(texts, ["\n".join(elements)], result, scripts, call)
