"""A figure with sliders: live widgets in a notebook, a self-contained drawing with native sliders in the built book.

The environment variable ``KERNELBOOK_STATIC``, set by the book's build, chooses between the two.
"""

import base64
import html
import io
import itertools
import json
import os
import reprlib
from functools import cached_property

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

MAX_FRAMES = 60
MAX_BYTES = 400_000
COLOURS = 48
UNORDERED = (str, bytes, dict, set, frozenset)  # Python would go through these too, and not as anybody meant

_numbers = itertools.count(1)


def explore(draw, *, describe, caption, **values):
    """Show ``draw`` with one slider for each of its parameters.

    Parameters
    ----------
    draw : callable, ``draw(**choice)`` returns a Matplotlib figure, of the same size for every choice
    describe : callable, ``describe(**choice)`` returns a sentence on what is to be seen, the picture's alternative text
    caption : str, the text under the figure: what to try, and what to notice
    **values : for each parameter of ``draw`` the list of its values, numbers or names, in the slider's order; the
        slider starts in the middle. The parameter's name is the slider's label, an underscore reading as a blank.

    Returns
    -------
    Explorer; as a cell's last line it shows itself

    Raises
    ------
    ValueError : no parameter; no list of values, or an empty one; a value that a slider cannot hold, such as an array,
        or one that comes twice; in a static build more than 60 frames, or more than 400 kB

    >>> def draw(gamma):
    ...     figure, ax = plt.subplots()
    ...     ax.plot([0, gamma])
    ...     return figure
    >>> def describe(gamma):
    ...     return f"a line that rises to {gamma}"
    >>> explore(draw, gamma=[1, 2, 4], describe=describe, caption="Try a larger gamma.")
    Explorer(gamma: 1 … 4 in 3 steps)
    """
    return Explorer(draw, values, describe, caption)


class Explorer:
    """What ``explore`` returns.

    Attributes
    ----------
    sliders : dict from parameter name to its ipywidgets slider
    image : the ipywidgets Image that shows the current frame
    widget : the box that holds them
    """

    def __init__(self, draw, values, describe, caption):
        if not values:
            raise ValueError("explore needs at least one parameter with a list of values, got none.")
        lists = {name: _options(name, options) for name, options in values.items()}
        self._draw, self._values, self._describe, self._caption = draw, lists, describe, caption
        self._start = {name: options[len(options) // 2] for name, options in lists.items()}

    def __repr__(self):
        spans = (f"{name}: {_text(v[0])} … {_text(v[-1])} in {len(v)} steps" for name, v in self._values.items())
        return f"Explorer({', '.join(spans)})"

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

        sliders = {
            name: widgets.SelectionSlider(
                options=[(_text(value), value) for value in options],
                value=self._start[name],
                description=_label(name),
                style={"description_width": "initial"},
            )
            for name, options in self._values.items()
        }
        image, text = widgets.Image(format="png"), widgets.HTML()

        def show(_=None):
            choice = {name: slider.value for name, slider in sliders.items()}
            try:
                picture = _encoded(self._picture(choice), "png", compress_level=1)
                said = f"{html.escape(self._said(choice))}<br><i>{html.escape(self._caption)}</i>"
            except Exception as error:  # a callback's traceback goes to a log that nobody reads
                picture, said = b"", f"<b>{type(error).__name__}</b>: {html.escape(str(error))}"
                raise
            finally:
                image.value, text.value = picture, said

        show()
        for slider in sliders.values():
            slider.observe(show, names="value")
        return sliders, image, widgets.VBox([*sliders.values(), image, text], layout={"align_items": "flex-start"})

    def _picture(self, choice):
        figure = self._draw(**choice)
        if not isinstance(figure, Figure):
            raise ValueError(f"draw must return a Matplotlib figure, got {type(figure).__name__}.")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        plt.close(figure)
        return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")

    def _said(self, choice):
        text = self._describe(**choice)
        if not isinstance(text, str):
            raise ValueError(f"describe must return a text, got {type(text).__name__}.")
        return text

    def to_html(self):
        """The figure with every frame drawn, native sliders, and the few lines of script that join them."""
        choices = [dict(zip(self._values, choice, strict=True)) for choice in itertools.product(*self._values.values())]
        if len(choices) > MAX_FRAMES:
            raise ValueError(
                f"{self!r} has {len(choices)} frames; a static explorer may have {MAX_FRAMES}: give fewer values."
            )
        frames, sizes = [], set()
        for choice in choices:
            picture = self._picture(choice)
            sizes.add(picture.size)
            webp = _encoded(
                picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).convert("RGB"),
                "webp",
                lossless=True,
                quality=75,
                method=4,
            )
            frames.append([f"data:image/webp;base64,{base64.b64encode(webp).decode()}", self._said(choice)])
        if len(sizes) > 1:
            raise ValueError(f"every frame must have the same size, but draw made {sorted(sizes)}.")
        page = self._figure(frames, choices.index(self._start), sizes.pop())
        size = len(page.encode())
        if size > MAX_BYTES:
            raise ValueError(
                f"{self!r} takes {size / 1000:.0f} kB; a static explorer may take {MAX_BYTES // 1000} kB: "
                "draw smaller or plainer figures, or give fewer values."
            )
        return page

    def _figure(self, frames, start, size):
        identity = f"explorer-{next(_numbers)}"
        source, alt = frames[start]
        frames[start] = ["", alt]  # the script takes it from the image, which shows it before any script runs
        controls = "".join(
            _control(f"{identity}-{name}", name, v, self._start[name]) for name, v in self._values.items()
        )
        texts = [[_text(value) for value in options] for options in self._values.values()]
        data = json.dumps({"frames": frames, "texts": texts}, ensure_ascii=False).replace("<", "\\u003c")
        return (
            f'<figure class="explorer" id="{identity}">'
            f'<img src="{source}" alt="{html.escape(alt)}" width="{size[0]}" height="{size[1]}">'
            f'<div class="explorer-controls">{controls}</div>'
            f"<figcaption>{html.escape(self._caption)}</figcaption>"
            f"<script>{_SCRIPT % (data, start)}</script></figure>"
        )


_SCRIPT = """(() => {
const {frames, texts} = %s;
const figure = document.currentScript.parentElement, image = figure.querySelector("img");
const sliders = [...figure.querySelectorAll("input")], outputs = [...figure.querySelectorAll("output")];
frames[%d][0] = image.src;
const show = () => {
  let frame = 0;
  sliders.forEach((slider, i) => {
    const text = texts[i][slider.valueAsNumber];
    frame = frame * texts[i].length + slider.valueAsNumber;
    outputs[i].textContent = text;
    slider.setAttribute("aria-valuetext", text);
  });
  [image.src, image.alt] = frames[frame];
};
sliders.forEach(slider => slider.addEventListener("input", show));
show();
})()"""


def _control(identity, name, options, start):
    i, text = options.index(start), html.escape(_text(start))
    return (
        f'<div class="explorer-control"><label for="{identity}">{html.escape(_label(name))}</label>'
        f'<input type="range" id="{identity}" min="0" max="{len(options) - 1}" step="1" value="{i}" '
        f'aria-valuetext="{text}"><output for="{identity}">{text}</output></div>'
    )


def _encoded(picture, kind, **options):
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _options(name, options):
    """The values as a list that live and static sliders take, or ValueError."""
    if isinstance(options, UNORDERED) or not np.iterable(options):
        raise ValueError(f"{name} must be a list of values in the slider's order, got {_brief(options)}.")
    options = list(options)
    if not options:
        raise ValueError(f"{name} must hold at least one value, got an empty list.")
    seen = set()
    for value in options:
        if not _fits_a_slider(value):
            raise ValueError(
                f"{name} must hold numbers or names, got {_brief(value)}: give it a name, and look it up in draw."
            )
        if value in seen:
            raise ValueError(f"{name} must hold different values, but {_brief(value)} equals one before it.")
        seen.add(value)
    return options


def _fits_a_slider(value):
    """Whether it can be found again among others; None is what a live slider has where nothing is selected."""
    try:
        hash(value)
        return value is not None and bool(value == value)  # a NaN is not
    except TypeError:
        return False


def _brief(value):
    shape = getattr(value, "shape", ())
    return f"an array of shape {shape}" if shape else reprlib.repr(value)


def _label(name):
    return name.replace("_", " ")


def _text(value):
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
