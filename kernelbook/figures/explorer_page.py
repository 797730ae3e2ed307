"""An explorer as a part of a page: its question, first picture and result, native sliders, and what joins them."""

import html
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

from kernelbook.figures.controls import label_of, plain, text_of

BROWSER = files("kernelbook.figures") / "browser"
GUESSED = "You guess: {}. Now move the {}."


@dataclass(frozen=True)
class Words:
    """What stands on the page beside the pictures.

    Attributes
    ----------
    name : str, of the figure; its files are called so
    alt, caption : str
    ask : a question and its answers, or None
    moved : str, what the reader moves
    values : dict from a slider's parameter to the list of its values
    start : dict from a slider's parameter to the value that comes first
    """

    name: str
    alt: str
    caption: str
    ask: tuple | None
    moved: str
    values: dict
    start: dict


class First(NamedTuple):
    """The picture that needs no script, its width and height in pixels, and its result."""

    svg: str
    size: tuple
    result: str


def explorer_page(words, first, scripts, call, frames=None):
    """The first picture and its result; then the sliders, and what draws the other pictures.

    That are `scripts`, files of the folder ``browser``, and their `call`, which knows the `figure` and what in it is
    `named` how; `frames` are data for it.
    """
    name, values, start = words.name, words.values, words.start
    setting = ", ".join(f"{label_of(key)} {text_of(value)}" for key, value in start.items())
    described = f"{setting}: {first.result}" if setting else first.result
    whole = html.escape(f"{words.alt} {described}".strip())
    controls = "".join(_control(name, key, v, start[key]) for key, v in values.items())
    named = {
        "name": name,
        "alt": words.alt,
        "texts": [[text_of(value) for value in options] for options in values.values()],
        "values": [[plain(value) for value in options] for options in values.values()],
    }
    lines = [without_comments(BROWSER.joinpath(script).read_text(encoding="utf-8")) for script in scripts]
    lines += [f'const figure = document.currentScript.closest("figure"), named = {as_script(named)};', call]
    script = "\n".join(lines)
    width, height = first.size
    return (
        f'<figure class="explorer" id="{name}">{_question(name, words.ask, words.moved)}'
        f'<img src="data:image/svg+xml,{quote(first.svg)}" alt="{whole}" width="{width}" height="{height}">'
        f'<p class="explorer-result" role="status">{html.escape(first.result)}</p>'
        f'<div class="explorer-controls">{controls}</div>'
        f"<noscript><p>The {words.moved} need JavaScript.</p></noscript>"
        f"<figcaption>{html.escape(words.caption)}</figcaption>"
        f"<script>(() => {{\n{script}\n}})()</script>{_frames(name, frames)}</figure>"
    )


def without_comments(script):
    """JavaScript as it goes into a page: its comments and indentation stay in the file."""
    script = re.sub(r"^\s*/\*\*.*?\*/$", "", script, flags=re.DOTALL | re.MULTILINE)
    lines = (re.sub(r"(^|\s)// .*", "", line).strip() for line in script.splitlines())
    return "\n".join(filter(None, lines))


def as_script(data):
    """The data as JavaScript, with nothing in it that could end a script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _question(name, ask, moved):
    """The question with its answers, as a group of radio buttons, and a line for the guess."""
    if ask is None:
        return ""
    question, answers = ask
    choices = "".join(
        f'<label><input type="radio" name="{name}-guess" value="{html.escape(answer)}"> {html.escape(answer)}</label>'
        for answer in answers
    )
    guessed = html.escape(GUESSED.format("{}", moved))
    return (
        f'<fieldset class="explorer-ask" data-guessed="{guessed}">'
        f"<legend>{html.escape(question)}</legend>{choices}<output></output></fieldset>"
    )


def _control(name, key, options, start):
    """A slider and what it holds, which the slider itself speaks: the output beside it is silent."""
    identity, text = f"{name}-{key}", html.escape(text_of(start))
    return (
        f'<div class="explorer-control"><label for="{identity}">{html.escape(label_of(key))}</label>'
        f'<input type="range" id="{identity}" name="{key}" min="0" max="{len(options) - 1}" step="1" '
        f'value="{options.index(start)}" aria-valuetext="{text}">'
        f'<output for="{identity}" aria-live="off">{text}</output></div>'
    )


def _frames(name, frames):
    """The script that hands over frames drawn beforehand, if there are any."""
    if frames is None:
        return ""
    return f'<script class="explorer-frames">document.getElementById("{name}").take({frames})</script>'
