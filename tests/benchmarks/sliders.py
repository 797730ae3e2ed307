"""How long an explorer of a notebook takes from a slider's value to its picture: `python -m tests.benchmarks.sliders`.

With names, such as 02-svc, of those pages only. Every page is executed whole, in this process; then each slider of each
explorer goes to its ends, and to the middle.
"""

import os
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib
import nbformat

from kernelbook.figures.explorer import Explorer

BOOK = Path(__file__).resolve().parents[2] / "book"
LIMIT = 0.1  # seconds after which a picture comes late


def explorers_of(path):
    """The explorers that the code of a page makes."""
    made, make = [], Explorer.__init__

    def keep(self, *args, **kwargs):
        make(self, *args, **kwargs)
        made.append(self)

    Explorer.__init__ = keep
    try:
        namespace = {"__name__": "__main__"}
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                with redirect_stdout(None):
                    exec(compile(cell.source, path.name, "exec"), namespace)
    finally:
        Explorer.__init__ = make
    return made


def places(slider):
    """The ends and the middle of a slider, of values or of numbers."""
    if hasattr(slider, "options"):
        values = [value for _, value in slider.options]
        return values[0], values[-1], values[len(values) // 2]
    return slider.min, slider.max, (slider.min + slider.max) / 2


def seconds(explorer):
    """For each move of a slider to another value, how long until the picture is there."""
    found = []
    for slider in explorer.sliders.values():
        for value in places(slider):
            if value != slider.value:
                begin = time.perf_counter()
                slider.value = value
                found.append(time.perf_counter() - begin)
    return found


def main(names):
    matplotlib.use("Agg")
    os.environ["KERNELBOOK_QUIET"] = "1"
    os.chdir(BOOK)
    for name in names or sorted(path.stem for path in BOOK.glob("*.ipynb")):
        for explorer in explorers_of(BOOK / f"{name}.ipynb"):
            found = sorted(seconds(explorer))
            late = "   late" if found[-1] > LIMIT else ""
            print(
                f"{name:32s} {explorer._name or '':28s} median {1000 * found[len(found) // 2]:4.0f} ms, "
                f"worst {1000 * found[-1]:4.0f} ms{late}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
