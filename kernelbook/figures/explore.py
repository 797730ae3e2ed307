"""A figure with sliders: live widgets in a notebook, a self-contained drawing with native sliders in the built book.

The environment variable ``KERNELBOOK_STATIC``, set by the book's build, chooses between the two.
"""

import html
import itertools
import os
import re
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from kernelbook.figures.controls import UNORDERED, label_of, options_of, plain, text_of
from kernelbook.figures.explorer_page import GUESSED, First, Words, as_script, explorer_page
from kernelbook.figures.pictures import Places, as_frame, as_live_frame, share_parts, size_on_page

MAX_BYTES = 900_000
FRAMES = ("sliders.js", "frames.js")


def explore(draw, *, describe, alt="", caption="", name=None, ask=None, **values):
    """Show ``draw`` with one slider for each of its parameters.

    Parameters
    ----------
    draw : callable, ``draw(**choice)`` returns a Matplotlib figure, of the same size for every choice
    describe : callable, ``describe(**choice)`` returns the result in words, which stands under the picture
    alt : str, what kind of picture it is, for those who do not see it; setting and result are added to it; default ""
    caption : str, the text under the figure; default ""
    name : str, by which the text refers to the figure, ``"fig-heights"`` for instance, or None, the default; a static
        build needs it
    ask : pair of str and list of str, a question for the reader to guess before moving, and its possible answers; or
        None, the default, for no question
    **values : for each parameter of ``draw`` the list of its values, numbers or names, in the slider's order; the
        slider starts in the middle. The parameter's name is the slider's label, an underscore reading as a blank and
        the name of a Greek letter as that letter.

    Returns
    -------
    Explorer; as a cell's last line it shows itself

    Raises
    ------
    ValueError : no parameter; no list of values, or an empty one; a value that a slider cannot hold, such as an array,
        one that comes twice, or is written like another; a draw or describe that cannot be called; a name, alt or
        caption that is none, a question without answers; in a static build no name, or more than 900 kB

    >>> def draw(gamma):
    ...     figure, ax = plt.subplots()
    ...     ax.plot([0, gamma])
    ...     return figure
    >>> def describe(gamma):
    ...     return f"The line rises to {gamma}."
    >>> explore(draw, gamma=[1, 2, 4], describe=describe, alt="A line.", caption="A line through 0.")
    Explorer(gamma: 1 … 4 in 3 steps)
    """
    if not values:
        raise ValueError("explore needs at least one parameter with a list of values, got none.")
    return Explorer(draw, values, describe, alt, caption, name, ask)


class Live(NamedTuple):
    """What a notebook shows of an explorer: its attributes of these names."""

    sliders: dict
    image: Any
    widget: Any


class Explorer:
    """What ``explore`` returns.

    Attributes
    ----------
    sliders : dict from parameter name to its ipywidgets slider
    image : the ipywidgets Image that shows the current frame
    widget : the box that holds them

    >>> def draw(gamma):
    ...     figure, ax = plt.subplots()
    ...     ax.plot([0, gamma])
    ...     return figure
    >>> shown = explore(draw, gamma=[1, 2, 4], describe=lambda gamma: f"It rises to {gamma}.")
    >>> shown.sliders["gamma"].value  # it starts in the middle
    2
    >>> shown.sliders["gamma"].value = 4  # as a reader does in a notebook
    """

    _moved = "sliders"

    def __init__(self, draw, values, describe, alt="", caption="", name=None, ask=None):
        self._draw, self._describe = _checked_function(draw, "draw"), _checked_function(describe, "describe")
        self._alt, self._caption = _checked_text(alt, "alt"), _checked_text(caption, "caption")
        self._name, self._ask = _checked_name(name), _checked_question(ask)
        self._values = {name: options_of(name, options) for name, options in values.items()}
        self._start = {name: options[len(options) // 2] for name, options in self._values.items()}

    def __repr__(self):
        return f"Explorer({', '.join(self._spans())})"

    def _spans(self):
        return [f"{name}: {plain(v[0])} … {plain(v[-1])} in {len(v)} steps" for name, v in self._values.items()]

    def _repr_mimebundle_(self, **_):
        if os.environ.get("KERNELBOOK_STATIC"):
            return {"text/plain": repr(self), "text/html": self.to_html()}
        return {**self.widget._repr_mimebundle_(), "text/plain": repr(self)}

    @property
    def sliders(self):
        return self._live.sliders

    @property
    def image(self):
        return self._live.image

    @property
    def widget(self):
        return self._live.widget

    @cached_property
    def _live(self):
        import ipywidgets as widgets

        sliders, controls, choice = self._controls()
        image, result, places = widgets.Image(format="png"), widgets.HTML(), Places()

        def show(_=None):
            chosen = choice()
            try:
                figure = self._figure(chosen)
                picture, said = as_live_frame(figure, places), html.escape(self._said(chosen))
                image.width = f"{size_on_page(figure)[0]}px"
            except Exception as error:  # a callback's traceback goes to a log that nobody reads
                picture, said = b"", f"<b>{type(error).__name__}</b>: {html.escape(str(error))}"
                raise
            finally:
                image.value, result.value = picture, said

        show()
        for slider in sliders.values():
            slider.observe(show, names="value")
        caption = widgets.HTML(f"<i>{html.escape(self._caption)}</i>")
        parts = [*self._question(widgets), image, result, *controls, caption]
        return Live(sliders, image, widgets.VBox(parts, layout={"align_items": "flex-start"}))

    def _controls(self):
        """The sliders by name, the widgets to be shown, and the function that returns what is chosen."""
        import ipywidgets as widgets

        sliders = {
            name: widgets.SelectionSlider(
                options=[(text_of(value), value) for value in options],
                value=self._start[name],
                description=label_of(name),
                style={"description_width": "initial"},
            )
            for name, options in self._values.items()
        }
        return sliders, [*sliders.values()], lambda: {name: sliders[name].value for name in self._values}

    def _question(self, widgets):
        """The widgets that ask the question, if there is one, and keep the guess."""
        if self._ask is None:
            return []
        question, answers = self._ask
        guess, kept = widgets.RadioButtons(options=answers, value=None), widgets.HTML()

        def keep(change):
            kept.value = html.escape(GUESSED.format(change["new"], self._moved))

        guess.observe(keep, names="value")
        return [widgets.HTML(f"<b>{html.escape(question)}</b>"), guess, kept]

    def _figure(self, choice):
        before = plt.get_fignums()
        try:
            figure = self._draw(**choice)
        finally:  # a notebook would show again what is left open
            for number in set(plt.get_fignums()).difference(before):
                plt.close(number)
        if not isinstance(figure, Figure):
            raise ValueError(f"draw must return a Matplotlib figure, got {type(figure).__name__}.")
        plt.close(figure)
        return figure

    def _said(self, choice):
        text = self._describe(**choice)
        if not isinstance(text, str):
            raise ValueError(f"describe must return a text, got {type(text).__name__}.")
        return re.sub(r"(?<!\w)-(?=\d)", "−", text)

    def to_html(self):
        """The figure with every frame drawn, native sliders, and the script that joins them."""
        words = self._words()
        choices = [dict(zip(self._values, choice, strict=True)) for choice in itertools.product(*self._values.values())]
        places = Places()
        frames, sizes, results = zip(*(self._frame(choice, places) for choice in choices), strict=True)
        if len(set(sizes)) > 1:
            raise ValueError(f"every frame must have the same size, but draw made {sorted(set(sizes))}.")
        parts, shared = share_parts(frames)
        data = as_script({"parts": parts, "frames": shared, "results": results})
        if (size := len(data.encode())) > MAX_BYTES:
            raise ValueError(
                f"{self!r} takes {size / 1000:.0f} kB; a static explorer may take {MAX_BYTES / 1000:.0f} kB: "
                "draw smaller or plainer figures, or give fewer values."
            )
        start = choices.index(self._start)
        first = First("\n".join(frames[start]), sizes[start], results[start])
        return explorer_page(words, first, FRAMES, "showFrames(figure, named);", data)

    def _frame(self, choice, places=None):
        """The elements of a picture, its size on the page, and its result; an error says for which choice it came."""
        try:
            figure = self._figure(choice)
            return as_frame(figure, places), size_on_page(figure), self._said(choice)
        except Exception as error:
            error.add_note(f"This happened at {choice!r}.")
            raise

    def _words(self):
        """What the page says beside the pictures."""
        if self._name is None:
            raise ValueError("name must be given in a static build, such as 'fig-heights', got None.")
        return Words(self._name, self._alt, self._caption, self._ask, self._moved, self._values, self._start)


def _checked_function(function, name):
    if not callable(function):
        raise ValueError(f"{name} must be a function of the parameters, got {function!r}.")
    return function


def _checked_text(text, name):
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a text, got {text!r}.")
    return text


def _checked_name(name):
    if name is not None and not (isinstance(name, str) and re.fullmatch("[a-z][a-z0-9-]*", name)):
        raise ValueError(f"name must be lower-case letters, digits and hyphens, such as 'fig-heights', got {name!r}.")
    return name


def _checked_question(ask):
    if ask is None:
        return None
    question, answers = ask if isinstance(ask, tuple | list) and len(ask) == 2 else (None, None)
    answers = [] if isinstance(answers, UNORDERED) or not np.iterable(answers) else list(answers)
    if len(answers) < 2 or not all(isinstance(text, str) for text in (question, *answers)):
        raise ValueError(f"ask must be a pair of a question and a list of two answers or more, all texts, got {ask!r}.")
    return question, answers
