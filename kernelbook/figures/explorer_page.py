"""An explorer as HTML: its question, its first frame and result, native sliders, and the scripts that join them."""

import html
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

from kernelbook.figures.controls import label_of, plain, text_of

BROWSER = files("kernelbook.figures") / "browser"
REPLY = "You guess: {}. Now move the {}."  # the guess, and what the reader moves


@dataclass(frozen=True)
class Texts:
    """The texts and values of an explorer beside its pictures.

    Attributes
    ----------
    name : str, the name of the figure and its files
    alt, caption : str
    ask : a question and its answers, or None
    moved : str, what the reader moves, "sliders" or "points"
    values : dict from a slider's parameter to the list of its values
    start : dict from a slider's parameter to its first value
    """

    name: str
    alt: str
    caption: str
    ask: tuple | None
    moved: str
    values: dict
    start: dict


class FirstFrame(NamedTuple):
    """The picture that needs no script, its width and height in pixels, and its result in texts."""

    svg: str
    size: tuple
    result: str


def explorer_page(texts, first, scripts, call, frames=None):
    """The HTML of an explorer: its question, first frame, result, sliders, caption and script.

    The script draws all other frames. It is made of `scripts`, files of the folder ``browser``, and of `call`, a
    statement that may use the element `figure` and the object `named` with the texts of the sliders. `frames` are the
    data of frames that were drawn beforehand.
    """
    name, values, start = texts.name, texts.values, texts.start
    setting = ", ".join(f"{label_of(key)} {text_of(value)}" for key, value in start.items())
    described = f"{setting}: {first.result}" if setting else first.result
    whole = html.escape(f"{texts.alt} {described}".strip())
    controls = "".join(_control(name, key, v, start[key]) for key, v in values.items())
    named = {
        "name": name,
        "alt": texts.alt,
        "texts": [[text_of(value) for value in options] for options in values.values()],
        "values": [[plain(value) for value in options] for options in values.values()],
    }
    lines = [without_comments(BROWSER.joinpath(script).read_text(encoding="utf-8")) for script in scripts]
    lines += [f'const figure = document.currentScript.closest("figure"), named = {as_script(named)};', call]
    script = "\n".join(lines)
    width, height = first.size
    return (
        f'<figure class="explorer" id="{name}">{_question(name, texts.ask, texts.moved)}'
        f'<img src="data:image/svg+xml,{quote(first.svg)}" alt="{whole}" width="{width}" height="{height}">'
        f'<p class="explorer-result" role="status">{html.escape(first.result)}</p>'
        f'<div class="explorer-controls">{controls}</div>'
        f"<noscript><p>The {texts.moved} need JavaScript.</p></noscript>"
        f"<figcaption>{html.escape(texts.caption)}</figcaption>"
        f"<script>(() => {{\n{script}\n}})()</script>{_frames(name, frames)}</figure>"
    )


def without_comments(script):
    """JavaScript without its comments and indentation, as it goes into a page."""
    script = re.sub(r"^\s*/\*\*.*?\*/$", "", script, flags=re.DOTALL | re.MULTILINE)
    lines = (re.sub(r"(^|\s)// .*", "", line).strip() for line in script.splitlines())
    return "\n".join(filter(None, lines))


def as_script(data):
    """The data as JavaScript that cannot end the script around it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _question(name, ask, moved):
    """The question, a group of radio buttons for its answers, and a line for the guess."""
    if ask is None:
        return ""
    question, answers = ask
    choices = "".join(
        f'<label><input type="radio" name="{name}-guess" value="{html.escape(answer)}"> {html.escape(answer)}</label>'
        for answer in answers
    )
    reply = html.escape(REPLY.format("{}", moved))
    return (
        f'<fieldset class="explorer-ask" data-guessed="{reply}">'
        f"<legend>{html.escape(question)}</legend>{choices}<output></output></fieldset>"
    )


def _control(name, key, options, start):
    """A slider and its value; a screen reader hears the value from the slider, so the output beside it is silent."""
    identity, text = f"{name}-{key}", html.escape(text_of(start))
    return (
        f'<div class="explorer-control"><label for="{identity}">{html.escape(label_of(key))}</label>'
        f'<input type="range" id="{identity}" name="{key}" min="0" max="{len(options) - 1}" step="1" '
        f'value="{options.index(start)}" aria-valuetext="{text}">'
        f'<output for="{identity}" aria-live="off">{text}</output></div>'
    )


def _frames(name, frames):
    """The script that hands over the frames drawn beforehand, if there are any."""
    if frames is None:
        return ""
    return f'<script class="explorer-frames">document.getElementById("{name}").take({frames})</script>'
