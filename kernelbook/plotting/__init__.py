"""How the book draws: its colours, marks and lines, and the figures that several chapters share."""

from importlib.util import find_spec

if missing := [name for name in ("matplotlib", "PIL", "IPython", "ipywidgets") if find_spec(name) is None]:
    raise ImportError(f'The figures of kernelbook need {", ".join(missing)}: pip install "kernelbook[figures]"')

from kernelbook.plotting.decisions import decision, line, points, sides, strip
from kernelbook.plotting.functions import curves, map_and_profile, relief
from kernelbook.plotting.matrices import eigenvalues, gram
from kernelbook.plotting.rivals import differences
from kernelbook.plotting.style import (  # noqa: F401  the constants are documented in the module style
    BOUND,
    CLASSES,
    FIT,
    GUIDE,
    HEIGHTS,
    INK,
    LAND,
    NEGATIVE,
    OBSERVED,
    PANEL,
    POSITIVE,
    REGIONS,
    SIDES,
    SIMILARITY,
    SUPPORT,
    TRUTH,
    use_style,
)

__all__ = [
    "curves",
    "decision",
    "differences",
    "eigenvalues",
    "gram",
    "line",
    "map_and_profile",
    "points",
    "relief",
    "sides",
    "strip",
    "use_style",
]
