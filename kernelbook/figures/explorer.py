"""A figure with sliders: live widgets in a notebook, a self-contained figure with native sliders in the built book.

The environment variable ``KERNELBOOK_STATIC``, set by the book's build, chooses between the two.
"""

import html
import itertools
import os
import re
from functools import cached_property
from typing import Any, NamedTuple

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from kernelbook.figures.controls import are_names, checked_options, label_of, plain, text_of, with_signs
from kernelbook.figures.explorer_page import Texts, as_script, explorer_page
from kernelbook.figures.frames import as_frame, as_live_frame, share_parts
from kernelbook.figures.layouts import LayoutCache
from kernelbook.figures.questions import Goal, Question
from kernelbook.plotting.pictures import named_apart, size_on_page, stacked

MAX_BYTES = 900_000  # of all frames of an explorer on a page
SCRIPTS = ("controls.js", "frames.js")


def explore(draw, *, describe, alt="", caption="", name=None, ask=None, answer=None, goal=None, **values):
    """Show ``draw`` with a slider for each of its parameters, or buttons where the values are names.

    Parameters
    ----------
    draw : callable, ``draw(**choice)`` returns a Matplotlib figure, of the same size for every choice
    describe : callable, ``describe(**choice)`` returns the result in words, which stands under the picture
    alt : str, what the picture shows, for readers who do not see it; setting and result are added; default ""
    caption : str, the text under the figure; default ""
    name : str, the name by which the text refers to the figure, such as ``"fig-heights"``, or None, the default; a
        static build needs a name
    ask : pair of str and list of str, a question for the reader to guess before moving a slider, and its possible
        answers; or None, the default, for no question
    answer : pair of str and dict, the right one of these answers, and the values of some sliders at which the picture
        shows it: there the reader is told
    goal : pair of a function and str, for a search: ``goal(**choice)`` returns a number, of which the reader looks for
        the least, and the text shows it, such as ``"{:.0f} m"``; or None, the default
    **values : for each parameter of ``draw`` the list of its values, numbers or names, in the slider's order; the
        slider starts in the middle; names get a button each. The parameter's name is the label, in which an underscore
        becomes a blank and the name of a Greek letter becomes the letter.

    Returns
    -------
    Explorer; it shows itself as the last line of a cell

    Raises
    ------
    ValueError : no parameter; values that are not a list, or an empty list; a value that a slider cannot hold, such as
        an array, that comes twice, or that is written like another; a draw or describe that cannot be called; an
        invalid name, alt or caption; a question without answers, an answer that is not one of them or whose values no
        slider has; a goal without a place for its number; in a static build no name, or more than 900 kB

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
    return Explorer(draw, values, describe, alt, caption, name, ask, answer, goal)


class LiveFigure(NamedTuple):
    """The widgets of an explorer in a notebook, which are its attributes of the same names."""

    sliders: dict
    image: Any
    widget: Any


class Explorer:
    """The result of ``explore``.

    Attributes
    ----------
    sliders : dict from the name of a parameter to its ipywidgets slider, or buttons
    image : the ipywidgets Image with the current frame
    widget : the ipywidgets box with everything in it

    >>> def draw(gamma):
    ...     figure, ax = plt.subplots()
    ...     ax.plot([0, gamma])
    ...     return figure
    >>> shown = explore(draw, gamma=[1, 2, 4], describe=lambda gamma: f"It rises to {gamma}.")
    >>> shown.sliders["gamma"].value  # it starts in the middle
    2
    >>> shown.sliders["gamma"].value = 4  # as a reader does in a notebook
    """

    def __init__(self, draw, values, describe, alt="", caption="", name=None, ask=None, answer=None, goal=None):
        self._draw, self._describe = _checked_function(draw, "draw"), _checked_function(describe, "describe")
        self._alt, self._caption = _checked_text(alt, "alt"), _checked_text(caption, "caption")
        self._name = _checked_name(name)
        self._values = {name: checked_options(name, options) for name, options in values.items()}
        self._question = Question.checked(ask, answer, self._values, self._act)
        self._goal = Goal.checked(goal)
        self._start = {name: options[len(options) // 2] for name, options in self._values.items()}

    def __repr__(self):
        return f"Explorer({', '.join(self._spans())})"

    @property
    def _act(self):
        """What a reader who has guessed is asked to do."""
        named = all(are_names(options) for options in self._values.values())
        return "press the buttons" if named else "move the sliders"

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
        """The widgets, with every slider redrawing the image and its result."""
        import ipywidgets as widgets

        sliders, controls, choice = self._controls()
        image, result, layout = widgets.Image(format="png"), widgets.HTML(), LayoutCache()

        def show(_=None):
            chosen = choice()
            try:
                figure = self._figure(chosen)
                picture, text = as_live_frame(figure, layout), html.escape(self._result(chosen))
                image.width = f"{size_on_page(figure)[0]}px"
            except Exception as error:  # the traceback of a callback goes to a log that nobody reads
                picture, text = b"", f"<b>{type(error).__name__}</b>: {html.escape(str(error))}"
                raise
            finally:
                image.value, result.value = picture, text

        show()
        for slider in sliders.values():
            slider.observe(show, names="value")
        caption = widgets.HTML(f"<i>{html.escape(self._caption)}</i>")
        question = self._question_in_widgets(widgets, sliders, choice)
        parts = [*question, image, result, *self._goal_in_widgets(widgets, sliders, choice), *controls, caption]
        return LiveFigure(sliders, image, widgets.VBox(parts, layout={"align_items": "flex-start"}))

    def _controls(self):
        """The sliders by name, the widgets to be shown, and a function that returns the current choice."""
        import ipywidgets as widgets

        sliders = {
            name: (widgets.ToggleButtons if are_names(options) else widgets.SelectionSlider)(
                options=[(text_of(value), value) for value in options],
                value=self._start[name],
                description=label_of(name),
                style={"description_width": "initial"},
            )
            for name, options in self._values.items()
        }
        return sliders, [*sliders.values()], lambda: {name: sliders[name].value for name in self._values}

    def _question_in_widgets(self, widgets, sliders, choice):
        """The widgets of the question, if there is one: its text, its answers, and a line for the reply."""
        if self._question is None:
            return []
        guess = widgets.RadioButtons(options=self._question.answers, value=None)
        reply = widgets.HTML(html.escape(self._question.reply(None, False)))

        seen = []  # the answer stays once it has been shown

        def answer(_):
            if guess.value is not None and self._question.is_shown(choice()):
                seen.append(True)
            reply.value = html.escape(self._question.reply(guess.value, bool(seen)))

        for widget in (guess, *sliders.values()):
            widget.observe(answer, names="value")
        return [widgets.HTML(f"<b>{html.escape(self._question.text)}</b>"), guess, reply]

    def _goal_in_widgets(self, widgets, sliders, choice):
        """A line with the least value found so far, if there is a goal."""
        if self._goal is None:
            return []
        values = [self._goal.value(each) for each in self._choices()]
        found, line = [], widgets.HTML()

        def note(_=None):
            found.append(self._goal.value(choice()))
            line.value = html.escape(self._goal.line(min(found), values))

        note()
        for slider in sliders.values():
            slider.observe(note, names="value")
        return [line]

    def _figure(self, choice):
        before = plt.get_fignums()
        try:
            figure = self._draw(**choice)
        finally:  # a notebook would show an open figure again
            for number in set(plt.get_fignums()).difference(before):
                plt.close(number)
        if not isinstance(figure, Figure):
            raise ValueError(f"draw must return a Matplotlib figure, got {type(figure).__name__}.")
        plt.close(figure)
        return figure

    def _result(self, choice):
        text = self._describe(**choice)
        if not isinstance(text, str):
            raise ValueError(f"describe must return a text, got {type(text).__name__}.")
        return with_signs(text)

    def _choices(self):
        return [dict(zip(self._values, choice, strict=True)) for choice in itertools.product(*self._values.values())]

    def to_html(self):
        """The figure with every frame drawn, native sliders, and the script that joins them."""
        self._needs_a_name()
        choices = self._choices()
        start = choices.index(self._start)
        layouts = LayoutCache(), LayoutCache()
        drawn, results = zip(*(self._frame(choice, layouts) for choice in choices), strict=True)
        by_screen = [pictures for pictures in zip(*drawn, strict=True) if None not in pictures]
        words = {"results": results}
        if self._goal is not None:
            words["goal"] = self._goal.for_script([self._goal.value(choice) for choice in choices])
        texts = self._texts(words["goal"][start][1] if self._goal is not None else None)
        data = [self._data(pictures, words) for pictures in by_screen]
        first = ["\n".join(pictures[start][0]) for pictures in by_screen]
        return explorer_page(texts, first, results[start], SCRIPTS, "showFrames(figure, named);", data)

    def _data(self, pictures, words):
        """What the script draws all frames from, for a desk or for a phone."""
        frames, sizes = zip(*pictures, strict=True)
        if len(set(sizes)) > 1:
            raise ValueError(f"every frame must have the same size, but draw made {sorted(set(sizes))}.")
        parts, shared = share_parts(frames)
        data = as_script({"parts": parts, "frames": shared, **words})
        if (size := len(data.encode())) > MAX_BYTES:
            raise ValueError(
                f"{self!r} takes {size / 1000:.0f} kB; a static explorer may take {MAX_BYTES / 1000:.0f} kB: "
                "draw smaller or plainer figures, or give fewer values."
            )
        return data

    def _frame(self, choice, layouts):
        """The picture for a desk and the one for a phone, or None if they are the same, and the result in words.

        A picture is the list of its elements and its size on the page. An error names the choice.
        """
        try:
            figure, pictures = self._figure(choice), [None, None]
            pictures[0] = self._elements(figure, layouts[0], 0), size_on_page(figure)
            with stacked(figure) as is_stacked:
                if is_stacked:
                    pictures[1] = self._elements(figure, layouts[1], 1), size_on_page(figure)
            return pictures, self._result(choice)
        except Exception as error:
            error.add_note(f"This happened at {choice!r}.")
            raise

    def _elements(self, figure, layout, i):
        """The elements of the i-th picture of a choice, with ids that no other picture of a page has."""
        return [named_apart(element, f"{self._name}-{i}") for element in as_frame(figure, layout)]

    def _needs_a_name(self):
        if self._name is None:
            raise ValueError("name must be given in a static build, such as 'fig-heights', got None.")

    def _texts(self, goal=None, task=None):
        """The texts and values of the page beside the pictures."""
        return Texts(self._name, self._alt, self._caption, self._question, goal, task, self._values, self._start)


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
