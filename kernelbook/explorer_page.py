"""An explorer as a part of a page: its question, first picture and result, native sliders, and what joins them."""

import html
import itertools
import json
from importlib.resources import files
from urllib.parse import quote

from kernelbook.controls import label_of, plain, text_of

BROWSER, SCRIPTS = files("kernelbook") / "browser", ("sliders.js", "frames.js")
GUESSED = "You guess: {}. Now move the sliders."

_numbers = itertools.count(1)


def explorer_page(svg, size, result, data, *, values, start, name, alt, caption, ask):
    """The first frame and its result, which need no script; then the sliders, the frames, and what joins them."""
    name = name or f"explorer-{next(_numbers)}"
    setting = ", ".join(f"{label_of(key)} {text_of(value)}" for key, value in start.items())
    whole = f"{alt} {setting}: {result}".strip()
    controls = "".join(_control(name, key, v, start[key]) for key, v in values.items())
    named = {
        "name": name,
        "alt": alt,
        "texts": [[text_of(value) for value in options] for options in values.values()],
        "values": [[plain(value) for value in options] for options in values.values()],
    }
    scripts = "\n".join(script.read_text(encoding="utf-8") for script in map(BROWSER.joinpath, SCRIPTS))
    call = f'showFrames(document.currentScript.closest("figure"), {as_script(named)});'
    return (
        f'<figure class="explorer" id="{name}">{_question(name, ask)}'
        f'<img src="data:image/svg+xml,{quote(svg)}" alt="{html.escape(whole)}" width="{size[0]}" height="{size[1]}">'
        f'<p class="explorer-result" role="status">{html.escape(result)}</p>'
        f'<div class="explorer-controls">{controls}</div>'
        "<noscript><p>The sliders need JavaScript.</p></noscript>"
        f"<figcaption>{html.escape(caption)}</figcaption>"
        f"<script>(() => {{\n{scripts}\n{call}\n}})()</script>"
        f'<script class="explorer-frames">document.getElementById("{name}").take({data})</script></figure>'
    )


def as_script(data):
    """The data as JavaScript, with nothing in it that could end a script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _question(name, ask):
    """The question with its answers, as a group of radio buttons, and a line for the guess."""
    if ask is None:
        return ""
    question, answers = ask
    choices = "".join(
        f'<label><input type="radio" name="{name}-guess" value="{html.escape(answer)}"> {html.escape(answer)}</label>'
        for answer in answers
    )
    return (
        f'<fieldset class="explorer-ask" data-guessed="{html.escape(GUESSED)}">'
        f"<legend>{html.escape(question)}</legend>{choices}<output></output></fieldset>"
    )


def _control(name, key, options, start):
    identity, text = f"{name}-{key}", html.escape(text_of(start))
    return (
        f'<div class="explorer-control"><label for="{identity}">{html.escape(label_of(key))}</label>'
        f'<input type="range" id="{identity}" name="{key}" min="0" max="{len(options) - 1}" step="1" '
        f'value="{options.index(start)}" aria-valuetext="{text}"><output for="{identity}">{text}</output></div>'
    )
