"""Figures whose points the reader moves: by mouse, finger or keyboard in the built book, with sliders in a notebook."""

from kernelbook.figures.explore import Explorer
from kernelbook.figures.explorer_page import First, as_script, explorer_page
from kernelbook.figures.programs import Bells, Classifier, checked_number


def drag(program, *, alt="", caption="", name=None, ask=None, **values):
    """Show a program, such as ``Bells`` or ``Classifier``, and let the reader move its points.

    Parameters
    ----------
    program : what is drawn and said of the points, in Python and in the page
    alt, caption, name, ask : as in ``explore``
    **values : for some of the program's parameters the list of their values, numbers, each with a slider as in
        ``explore``; none is needed. Where the kernel is linear, a Classifier has no gamma

    Returns
    -------
    Draggable; as a cell's last line it shows itself

    Raises
    ------
    ValueError : as ``explore``; a parameter that the program does not have, a value that it does not take

    >>> drag(Bells([(0, 1), (1, -0.5)]), gamma=[0.5, 1, 2], alt="Two bells and their sum.", caption="Two bells.")
    Draggable(Bells: 2 points, gamma: 0.5 … 2 in 3 steps)
    """
    return Draggable(program, values, alt, caption, name, ask)


class Draggable(Explorer):
    """What ``drag`` returns.

    Attributes
    ----------
    sliders : dict from a parameter's name, or a point's and its coordinate's, to its ipywidgets slider
    image, widget : as in Explorer

    >>> shown = drag(Bells([(0, 1)]), gamma=[0.5, 1, 2])
    >>> list(shown.sliders)
    ['gamma', 'bell 1, centre', 'bell 1, weight']
    >>> shown.sliders["bell 1, centre"].value = 2  # as a reader does in a notebook
    """

    _moved = "points"

    def __init__(self, program, values, alt, caption, name, ask):
        if not isinstance(program, Bells | Classifier):
            raise ValueError(f"program must be Bells or a Classifier, got {program!r}.")
        if unknown := set(values) - set(program.parameters):
            known = " and ".join(program.parameters)
            raise ValueError(f"{type(program).__name__} has sliders for {known}, not for {', '.join(unknown)}.")
        super().__init__(program.draw, values, program.describe, alt, caption, name, ask)
        for parameter, options in self._values.items():
            for value in options:
                checked_number(value, parameter, program.parameters[parameter])
        self._program = program

    def __repr__(self):
        points = f"{type(self._program).__name__}: {len(self._program.points)} points"
        return f"Draggable({', '.join([points, *self._spans()])})"

    def _controls(self):
        """A menu of the points, the sliders of the one that is chosen, those of the parameters, and the way back."""
        import ipywidgets as widgets

        sliders, shown, choice = super()._controls()
        pairs = [self._pair(point) for point in self._program.points]
        which = widgets.Dropdown(options=[(name, i) for i, name in enumerate(self._program.names)], description="point")
        chosen, back = widgets.VBox(pairs[0]), widgets.Button(description="Put everything back")

        def choose(_):
            chosen.children = pairs[which.value]

        def put_back(_):
            for slider, start in starts:
                slider.value = start

        def with_points():
            return {"points": [tuple(slider.value for slider in pair) for pair in pairs], **choice()}

        which.observe(choose, names="value")
        back.on_click(put_back)
        for name, pair in zip(self._program.names, pairs, strict=True):
            sliders |= {f"{name}, {slider.description}": slider for slider in pair}
        starts = [(slider, slider.value) for slider in sliders.values()]
        return sliders, [which, chosen, *shown, back], with_points

    def _pair(self, point):
        """The sliders of a point's coordinates."""
        import ipywidgets as widgets

        (west, east, south, north), step = self._program.box, self._program.step
        ends = (west, east), (south, north)
        return [
            widgets.FloatSlider(value, min=least, max=most, step=step, description=name, readout_format=".2f")
            for value, (least, most), name in zip(point, ends, self._program.coordinates, strict=True)
        ]

    def to_html(self):
        """The figure with its first picture, native sliders, and the scripts that draw every other."""
        program, words = self._program, self._words()
        elements, size, said = self._frame({"points": program.points, **self._start})
        sliders = [{"name": name, "values": [float(value) for value in v]} for name, v in self._values.items()]
        given = as_script({**program.given(), "sliders": sliders})
        scripts = ("sliders.js", "plane.js", f"{program.script}.js", "points.js")
        call = f"movePoints(figure, named, {program.script}, {given});"
        return explorer_page(words, First("\n".join(elements), size, said), scripts, call)
