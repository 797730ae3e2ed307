"""Decimal numbers in the text of a page, and the cells that give them."""

import json
import re
from functools import cache
from pathlib import Path

TRIALS = Path(__file__).resolve().parents[2] / "book" / "claims.json"
DECIMAL = re.compile(r"(?<![\w.,])\d+\.\d+(?!\w|\.\d)")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# Formulas, code, the addresses of links, and roles: what they hold is not typed from an output.
NOT_PROSE = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|`[^`]*`|\]\([^)]*\)|\{[^}]*\}`[^`]*`", re.DOTALL)


def untraced(notebook):
    """Pairs of a text cell and a decimal number in it that no code cell gives, rounded to as many digits.

    A code cell gives what it prints, what stands in it, and both in per cent; a claim also what its trial has found.
    Other numbers, such as published ones, stand in the cell's metadata under "kernelbook", "quotes", with their source.
    """
    given = [number for cell in notebook.cells if cell.cell_type == "code" for number in numbers_of(cell)]
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            quoted = cell.metadata.get("kernelbook", {}).get("quotes", {})
            found += [
                (cell, typed)
                for typed in DECIMAL.findall(NOT_PROSE.sub(" ", cell.source))
                if typed not in quoted and not is_given(typed, given)
            ]
    return found


def numbers_of(cell):
    """What a code cell gives, as numbers."""
    texts = [cell.source, json.dumps(cell.metadata.get("mystnb", {}))]
    for output in cell.outputs:
        texts.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
    if "claim" in cell.metadata.get("tags", []):
        for number in trials().get(cell.id, {"numbers": {}})["numbers"].values():
            trial = number["trial"]
            texts.append(f"{trial['mean']} {trial['deviation'] / trial['seeds'] ** 0.5:f}")
    return [float(number) for number in NUMBER.findall(" ".join(texts))]


@cache
def trials():
    return json.loads(TRIALS.read_text(encoding="utf-8"))


def is_given(typed, given):
    digits = len(typed.partition(".")[2])
    return any(f"{factor * number:.{digits}f}" == typed for number in given for factor in (1, 100))
