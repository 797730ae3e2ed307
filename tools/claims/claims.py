"""The claims of the book: what its pages say happens in a run, each as a function of a seed.

A claim is a code cell tagged `claim`. The cell's id is the claim's name, and it defines the function of that name, with
underscores, which takes a seed and returns a dictionary of numbers. Its metadata say what is expected of their means
over seeds, or in which share of seeds something is true:

    {"kernelbook": {"claim": {"says": "The error is a fifth of the noise, and less than the polynomial's.",
                              "expects": {"error / noise": {"mean": [0.18, 0.2]},
                                          "polynomial - kernel": {"win": [0.0017, 0.0035]},
                                          "cosines - kernel": {"level": [-0.0003, 0.0002]},
                                          "below a quarter": {"share": [0.85, 1]}}}}}

`seeds`, beside them, is the number of seeds if it is not 30, and 10 at least, or 15 where a share is claimed. The page
runs those from 0 on, a trial as many others.
"""

import tokenize
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from io import StringIO
from pathlib import Path

import nbformat
import numpy as np

from tools.bookbuild import kept
from tools.bookbuild.reach import LIBRARY
from tools.bookbuild.slices import code_needed
from tools.claims.verdicts import KINDS, Expected

TAG = "claim"
SEEDS, FEWEST, FEWEST_OF_SHARES = 30, 10, 15


@dataclass(frozen=True)
class Claim:
    """A claim with all that a trial needs. `expects` maps the name of a number to an Expected."""

    name: str
    page: str
    says: str
    expects: dict
    seeds: int
    code: str

    @property
    def function(self):
        return self.name.replace("-", "_")

    @cached_property
    def marks(self):
        """Hashes of the claim's experiment, and of the library's modules that it reaches.

        Words and intervals are not among them: what the seeds gave is the same after they change.
        """
        experiment = [without_comments(self.code), str(self.seeds), *sorted(self.expects)]
        reached = LIBRARY.sources(LIBRARY.reached_by(self.code))
        return {"code": kept.digest(experiment)[:16], "library": kept.digest([], reached)[:16]}

    @property
    def new_seeds(self):
        """The first of the seeds for today's trial, which no other day has; words and comments do not change it.

        Below 2³², as some generators want it; so the days begin again after five years.
        """
        day = (date.today() - date(2026, 1, 1)).days % 2000
        return 2 * 10**6 * (1 + day) + int(kept.digest([without_comments(self.code)])[:5], 16)


def without_comments(code):
    """The code's lines without comments, and without those that are blank then.

    `ast.unparse` would do it too, but two versions of Python write some code in two ways.
    """
    lines, blank = code.split("\n"), set()
    for token in tokenize.generate_tokens(StringIO(code).readline):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            lines[row - 1] = lines[row - 1][:column].rstrip()
        if token.type == tokenize.NL and not lines[row - 1].strip():
            blank.add(row - 1)
    return "\n".join(line for row, line in enumerate(lines) if row not in blank).rstrip("\n")


def claims_of(path):
    """The claims of a notebook, in its order."""
    notebook = nbformat.read(path, as_version=4)
    return [claim_in(notebook, cell, Path(path).stem) for cell in kept.code_of(notebook) if is_claim(cell)]


def is_claim(cell):
    return TAG in cell.metadata.get("tags", [])


def claim_in(notebook, cell, page):
    said = cell.metadata.get("kernelbook", {}).get("claim", {})
    where = f"{page}, cell {cell.id}"
    if not said.get("says") or not said.get("expects") or said.keys() - {"says", "expects", "seeds"}:
        raise ValueError(f"{where}: the metadata of a claim are says, expects and perhaps seeds, not {[*said]}.")
    expects = {name: expectation(given, f"{where}, {name}") for name, given in said["expects"].items()}
    cells = [kept.python_of(one.source) for one in kept.cells_down_to(notebook, cell)]
    function = cell.id.replace("-", "_")
    code = code_needed(cells, [function])
    if f"def {function}(seed):" not in code:
        raise ValueError(f"{where}: it must define {function}(seed).")
    seeds, kinds = said.get("seeds", SEEDS), {one.kind for one in expects.values()}
    if seeds < (fewest := FEWEST_OF_SHARES if "share" in kinds else FEWEST):
        raise ValueError(
            f"{where}: {seeds} seeds can refute nothing; take {fewest} at least (a share {FEWEST_OF_SHARES})."
        )
    return Claim(cell.id, page, said["says"], expects, seeds, code)


def expectation(given, where):
    """The Expected that {"mean": [low, high]} stands for."""
    if not isinstance(given, dict) or len(given) != 1 or not given.keys() <= {*KINDS}:
        raise ValueError(f"{where}: expected one of {', '.join(KINDS)}, not {given}.")
    ((kind, (low, high)),) = given.items()
    if not low <= high or (kind == "share" and not 0 <= low <= high <= 1):
        raise ValueError(f"{where}: {low:g} to {high:g} is no interval of a {kind}.")
    return Expected(kind, low, high)


def values_of(claim, seeds):
    """What each number of the claim is at each seed: a dictionary of arrays."""
    space = {"__name__": "claim"}
    exec(compile(claim.code, f"<{claim.function}>", "exec"), space)
    found = [space[claim.function](seed) for seed in seeds]
    values = {}
    for name in found[0]:  # in the order of the function
        values[name] = np.array([one.get(name, np.nan) for one in found], dtype=float)
        if not np.isfinite(values[name]).all():
            raise ValueError(f"{claim.page}, {claim.name}, {name}: some values are not finite.")
    if any(one.keys() != claim.expects.keys() for one in found):
        raise ValueError(f"{claim.page}, {claim.name}: it returns {[*found[0]]}, and {[*claim.expects]} are expected.")
    for name, expectation in claim.expects.items():
        if (expectation.kind == "share") != all(isinstance(one[name], bool | np.bool_) for one in found):
            raise ValueError(
                f"{claim.page}, {claim.name}, {name}: a share needs bools, and nothing else may have them."
            )
    return values
