"""An explorer as a part of a page: its question, first picture and result, native sliders, and what joins them."""

import html
import itertools
import json
import re
from importlib.resources import files
from urllib.parse import quote

from kernelbook.controls import label_of, plain, text_of

BROWSER = files("kernelbook") / "browser"
GUESSED = "You guess: {}. Now move the {}."

_numbers = itertools.count(1)


def explorer_page(
    svg, size, result, scripts, call, *, frames=None, moved="sliders", values, start, name, alt, caption, ask
):
    """The first picture and its result, which need no script; then the sliders, and what draws the other pictures.

    That are `scripts`, files of the folder ``browser``, and their `call`, which knows the `figure` and what in it is
    `named` how. `moved` is what the reader moves.
    """
    name = name or f"explorer-{next(_numbers)}"
    setting = ", ".join(f"{label_of(key)} {text_of(value)}" for key, value in start.items())
    whole = f"{alt} {setting}: {result}".strip() if setting else f"{alt} {result}".strip()
    controls = "".join(_control(name, key, v, start[key]) for key, v in values.items())
    named = {
        "name": name,
        "alt": alt,
        "texts": [[text_of(value) for value in options] for options in values.values()],
        "values": [[plain(value) for value in options] for options in values.values()],
    }
    lines = [without_comments(BROWSER.joinpath(script).read_text(encoding="utf-8")) for script in scripts]
    lines += [f'const figure = document.currentScript.closest("figure"), named = {as_script(named)};', call]
    script = "\n".join(lines)
    return (
        f'<figure class="explorer" id="{name}">{_question(name, ask, moved)}'
        f'<img src="data:image/svg+xml,{quote(svg)}" alt="{html.escape(whole)}" width="{size[0]}" height="{size[1]}">'
        f'<p class="explorer-result" role="status">{html.escape(result)}</p>'
        f'<div class="explorer-controls">{controls}</div>'
        f"<noscript><p>The {moved} need JavaScript.</p></noscript>"
        f"<figcaption>{html.escape(caption)}</figcaption>"
        f"<script>(() => {{\n{script}\n}})()</script>{_frames(name, frames)}</figure>"
    )


def without_comments(script):
    """JavaScript as it goes into a page: its comments and indentation stay in the file."""
    script = re.sub(r"^\s*/\*\*.*?\*/$", "", script, flags=re.DOTALL | re.MULTILINE)
    lines = (re.sub(r"(^|\s)// .*", "", line).strip() for line in script.splitlines())
    return "\n".join(filter(None, lines))


def _frames(name, frames):
    """The script that hands over frames drawn beforehand, if there are any."""
    if frames is None:
        return ""
    return f'<script class="explorer-frames">document.getElementById("{name}").take({frames})</script>'


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
    identity, text = f"{name}-{key}", html.escape(text_of(start))
    return (
        f'<div class="explorer-control"><label for="{identity}">{html.escape(label_of(key))}</label>'
        f'<input type="range" id="{identity}" name="{key}" min="0" max="{len(options) - 1}" step="1" '
        f'value="{options.index(start)}" aria-valuetext="{text}"><output for="{identity}">{text}</output></div>'
    )
