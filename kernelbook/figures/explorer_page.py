"""An explorer as HTML: its question, its first frame and result, native sliders, and the scripts that join them."""

import html
import json
import re
from dataclasses import dataclass
from importlib.resources import files

from kernelbook.figures.controls import are_names, label_of, plain, text_of
from kernelbook.plotting.pictures import in_page

BROWSER = files("kernelbook.figures") / "browser"
TEXTS_OF_SCRIPTS = re.compile(r'("[^"\n]*"|`[^`]*`)')  # none of them holds a quotation mark of its own kind
SCREENS = "for-desks", "for-phones"  # the classes of two pictures, of which a screen shows one


@dataclass(frozen=True)
class Texts:
    """The texts and values of an explorer beside its pictures.

    Attributes
    ----------
    name : str, the name of the figure and its files
    alt, caption : str
    question : Question or None
    goal : str, what stands under the result before the reader has moved anything, or None if there is no goal
    task : str, what stands there if the reader has a task, or None if there is none
    values : dict from a slider's parameter to the list of its values
    start : dict from a slider's parameter to its first value
    """

    name: str
    alt: str
    caption: str
    question: object
    goal: str | None
    task: str | None
    values: dict
    start: dict


def explorer_page(texts, first, result, scripts, call, frames=()):
    """The HTML of an explorer: its question, first frame, result, sliders, caption and script.

    `first` holds the picture that needs no script, an SVG, or two: one for desks and one for phones. The script draws
    all other frames. It is made of `scripts`, files of the folder ``browser``, and of `call`, a statement that may use
    the element `figure` and the object `named` with the texts of the sliders. `frames` are, for each picture in
    `first`, the data of frames that were drawn beforehand.
    """
    name, values, start = texts.name, texts.values, texts.start
    setting = ", ".join(f"{label_of(key)} {text_of(value)}" for key, value in start.items())
    described = f"{setting}: {result}" if setting else result
    controls = "".join(_control(name, key, v, start[key]) for key, v in values.items())
    named = {
        "name": name,
        "alt": texts.alt,
        "texts": [[text_of(value) for value in options] for options in values.values()],
        "values": [[plain(value) for value in options] for options in values.values()],
    }
    if texts.question is not None:
        named["question"] = texts.question.for_script()
    lines = [without_comments(BROWSER.joinpath(script).read_text(encoding="utf-8")) for script in scripts]
    lines += [f'const figure = document.currentScript.closest("figure"), named = {as_script(named)};', call]
    script = "\n".join(lines)
    screens = SCREENS if len(first) > 1 else ("",)
    described = f"{texts.alt} {described}".strip()
    pictures = "".join(
        in_page(svg, described, f"drawn {screen}".strip()) for svg, screen in zip(first, screens, strict=True)
    )
    goal = f'<p class="explorer-goal">{html.escape(texts.goal)}</p>' if texts.goal else ""
    task = f'<p class="explorer-goal explorer-task" role="status">{html.escape(texts.task)}</p>' if texts.task else ""
    return (
        f'<figure class="explorer" id="{name}">{_question(name, texts.question)}'
        f'<div class="explorer-picture">{pictures}</div>'
        f'<p class="explorer-result" role="status">{html.escape(result)}</p>{goal}{task}'
        f'<div class="explorer-controls">{controls}</div>'
        "<noscript><p>Without JavaScript the figure stays as it is.</p></noscript>"
        f"<figcaption>{html.escape(texts.caption)}</figcaption>"
        f"<script>(() => {{\n{script}\n}})()</script>"
        f"{''.join(_frames(name, i, data) for i, data in enumerate(frames))}</figure>"
    )


def without_comments(script):
    """JavaScript as it goes into a page: without comments, and without blanks that nothing needs."""
    script = re.sub(r"^\s*/\*\*.*?\*/$", "", script, flags=re.DOTALL | re.MULTILINE)
    lines = (re.sub(r"(^|\s)// .*", "", line).strip() for line in script.splitlines())
    parts = TEXTS_OF_SCRIPTS.split("\n".join(filter(None, lines)))  # every second one is a text in quotes
    parts[::2] = [re.sub(r" ?([=*/<>,;:?&|(){}[\]!%]) ?", r"\1", part) for part in parts[::2]]
    return "".join(parts)


def as_script(data):
    """The data as JavaScript that cannot end the script around it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _question(name, question):
    """The question, a group of radio buttons for its answers, and a place that holds the longest reply."""
    if question is None:
        return ""
    lead = '<button type="button" class="explorer-show" disabled>Show me</button>' if question.where else ""
    choices = "".join(
        f'<label><input type="radio" name="{name}-guess" value="{html.escape(answer)}"> {html.escape(answer)}</label>'
        for answer in question.answers
    )
    seen = (False,) if question.right is None else (False, True)
    replies = [question.reply(guess, shown) for guess in (None, *question.answers) for shown in seen]
    longest = html.escape(max(replies, key=len))
    return (
        f'<fieldset class="explorer-ask"><legend>{html.escape(question.text)}</legend>{choices}'
        f'<div class="explorer-reply" data-longest="{longest}">'
        f"<output>{html.escape(replies[0])}</output>{lead}</div></fieldset>"
    )


def _control(name, key, options, start):
    """A slider and its value; a screen reader hears the value from the slider, so the output beside it is silent.

    Names have no order and get a button each.
    """
    identity, text = f"{name}-{key}", html.escape(text_of(start))
    label = html.escape(label_of(key))
    if are_names(options):
        chosen = {option: " checked" * (option == start) for option in options}
        buttons = "".join(
            f'<label><input type="radio" name="{identity}"{chosen[option]}> {html.escape(option)}</label>'
            for option in options
        )
        return (
            f'<div class="explorer-control" role="radiogroup" aria-labelledby="{identity}" data-parameter="{key}">'
            f'<span class="explorer-label" id="{identity}">{label}</span>'
            f'<div class="explorer-names">{buttons}</div></div>'
        )
    return (
        f'<div class="explorer-control"><label class="explorer-label" for="{identity}">{label}</label>'
        f'<input type="range" id="{identity}" name="{key}" min="0" max="{len(options) - 1}" step="1" '
        f'value="{options.index(start)}" aria-valuetext="{text}">'
        f'<output for="{identity}" aria-live="off">{text}</output></div>'
    )


def _frames(name, i, data):
    """The script that hands over the frames drawn beforehand for the i-th picture."""
    call = f'document.getElementById("{name}").take({i},{data})'
    return f'<script class="explorer-frames">{call}</script>'
