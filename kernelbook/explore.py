"""A figure with sliders: live widgets in a notebook, a self-contained drawing with native sliders in the built book.

The environment variable ``KERNELBOOK_STATIC``, set by the book's build, chooses between the two.
"""

import html
import itertools
import os
import re
from functools import cached_property

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from kernelbook.controls import label_of, options_of, plain, text_of
from kernelbook.explorer_page import GUESSED, as_script, explorer_page
from kernelbook.pictures import as_frame, as_live_frame, share_parts

MAX_BYTES = 900_000
INCH = 100  # pixels of the page
FRAMES = ("sliders.js", "frames.js")


def explore(draw, *, describe, alt="", caption="", name=None, ask=None, **values):
    """Show ``draw`` with one slider for each of its parameters.

    Parameters
    ----------
    draw : callable, ``draw(**choice)`` returns a Matplotlib figure, of the same size for every choice
    describe : callable, ``describe(**choice)`` returns the result in words, which stands under the picture
    alt : str, what kind of picture it is, for those who do not see it; setting and result are added to it
    caption : str, the text under the figure
    name : str, by which the text refers to the figure, ``"fig-heights"`` for instance; default a number
    ask : pair of str and list of str, a question for the reader to guess before moving, and its possible answers
    **values : for each parameter of ``draw`` the list of its values, numbers or names, in the slider's order; the
        slider starts in the middle. The parameter's name is the slider's label, an underscore reading as a blank and
        the name of a Greek letter as that letter.

    Returns
    -------
    Explorer; as a cell's last line it shows itself

    Raises
    ------
    ValueError : no parameter; no list of values, or an empty one; a value that a slider cannot hold, such as an array,
        or one that comes twice; a name that is none, a question without answers; in a static build more than 900 kB

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


class Explorer:
    """What ``explore`` returns.

    Attributes
    ----------
    sliders : dict from parameter name to its ipywidgets slider
    image : the ipywidgets Image that shows the current frame
    widget : the box that holds them
    """

    _moved = "sliders"

    def __init__(self, draw, values, describe, alt="", caption="", name=None, ask=None):
        lists = {name: options_of(name, options) for name, options in values.items()}
        self._draw, self._values, self._describe, self._alt, self._caption = draw, lists, describe, alt, caption
        self._name, self._ask = _checked_name(name), _checked_question(ask)
        self._start = {name: options[len(options) // 2] for name, options in lists.items()}

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
        return self._live[0]

    @property
    def image(self):
        return self._live[1]

    @property
    def widget(self):
        return self._live[2]

    @cached_property
    def _live(self):
        import ipywidgets as widgets

        sliders, controls, choice = self._controls()
        image, result = widgets.Image(format="png"), widgets.HTML()

        def show(_=None):
            chosen = choice()
            try:
                picture, image.width = self._picture(chosen)
                said = html.escape(self._said(chosen))
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
        return sliders, image, widgets.VBox(parts, layout={"align_items": "flex-start"})

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
        figure = self._draw(**choice)
        if not isinstance(figure, Figure):
            raise ValueError(f"draw must return a Matplotlib figure, got {type(figure).__name__}.")
        plt.close(figure)
        return figure

    def _picture(self, choice):
        """A PNG with more dots than the page has, and its width on the page."""
        figure = self._figure(choice)
        return as_live_frame(figure), f"{figure.get_figwidth() * INCH:.0f}px"

    def _said(self, choice):
        text = self._describe(**choice)
        if not isinstance(text, str):
            raise ValueError(f"describe must return a text, got {type(text).__name__}.")
        return re.sub(r"(?<!\w)-(?=\d)", "−", text)

    def to_html(self):
        """The figure with every frame drawn, native sliders, and the script that joins them."""
        choices = [dict(zip(self._values, choice, strict=True)) for choice in itertools.product(*self._values.values())]
        frames, results, sizes = [], [], set()
        for choice in choices:
            figure = self._figure(choice)
            sizes.add(tuple(round(side * INCH) for side in figure.get_size_inches()))
            frames.append(as_frame(figure))
            results.append(self._said(choice))
        if len(sizes) > 1:
            raise ValueError(f"every frame must have the same size, but draw made {sorted(sizes)}.")
        parts, shared = share_parts(frames)
        data = as_script({"parts": parts, "frames": shared, "results": results})
        if (size := len(data.encode())) > MAX_BYTES:
            raise ValueError(
                f"{self!r} takes {size / 1000:.0f} kB; a static explorer may take {MAX_BYTES / 1000:.0f} kB: "
                "draw smaller or plainer figures, or give fewer values."
            )
        start = choices.index(self._start)
        first, call = "\n".join(frames[start]), "showFrames(figure, named);"
        return explorer_page(first, sizes.pop(), results[start], FRAMES, call, frames=data, **self._page())

    def _page(self):
        """What the page shows beside the picture."""
        return {
            "moved": self._moved,
            "values": self._values,
            "start": self._start,
            "name": self._name,
            "alt": self._alt,
            "caption": self._caption,
            "ask": self._ask,
        }


def _checked_name(name):
    if name is not None and not (isinstance(name, str) and re.fullmatch("[a-z][a-z0-9-]*", name)):
        raise ValueError(f"name must be lower-case letters, digits and hyphens, such as 'fig-heights', got {name!r}.")
    return name


def _checked_question(ask):
    if ask is None:
        return None
    question, answers = ask if isinstance(ask, tuple | list) and len(ask) == 2 else (None, None)
    if not isinstance(question, str) or isinstance(answers, str) or not np.iterable(answers) or len(answers) < 2:
        raise ValueError(f"ask must be a pair of a question and a list of two answers or more, got {ask!r}.")
    return question, list(answers)
