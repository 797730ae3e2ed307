"""The picture over the list of claims: how far new seeds fall from the page's own, beside what chance alone gives."""

import numpy as np
from docutils import nodes
from matplotlib import pyplot as plt
from scipy import stats
from sphinx.util.docutils import SphinxDirective

from kernelbook import plotting
from kernelbook.plotting import palette
from kernelbook.plotting.pictures import as_svg
from tools.claims.trials import FILE, stored
from tools.claims.verdicts import Run
from tools.site.figures import by_screen, drawing

NAME = "fig-claims"
WIDEST = 4  # standard errors from the middle of the picture to its edge
CAPTION = (
    "{count} numbers of the claims below, each found twice: on the seeds that its page shows, and on seeds that nobody "
    "had seen when the page was written. The bars count how far the second lies from the first, in standard errors of "
    "their difference. The curve is what chance alone would give."
)


def distances(entries):
    """For each number that varies, the new mean less the page's, in standard errors of their difference."""
    pairs = [(Run(**of["page"]), Run(**of["trial"])) for entry in entries for of in entry["numbers"].values()]
    return np.array([
        (trial.mean - page.mean) / np.hypot(trial.error, page.error)
        for page, trial in pairs
        if page.varies and trial.varies
    ])


def picture(found):
    """A histogram of the distances, and the normal law over it."""
    figure, ax = plt.subplots(figsize=(7, 2.4))
    bins = np.linspace(-WIDEST, WIDEST, 4 * WIDEST + 1)
    ax.hist(found.clip(-WIDEST, WIDEST), bins, color=palette.CLASSES[1], edgecolor=palette.PANEL)
    x = np.linspace(-WIDEST, WIDEST, 201)
    ax.plot(x, len(found) * (bins[1] - bins[0]) * stats.norm.pdf(x), color=palette.INK)
    ax.set(xlabel="new seeds less the page's own, in standard errors", ylabel="numbers", xlim=(-WIDEST, WIDEST))
    return figure


class ClaimsAtAGlance(SphinxDirective):
    """The picture, as a figure, and how many numbers lie within one and two standard errors."""

    def run(self):
        self.env.note_dependency(str(FILE))
        found = distances(stored().values())
        with plt.rc_context():
            plotting.use_style()
            figure = picture(found)
            svg = as_svg(figure)
            plt.close(figure)
        near = [f"{np.mean(abs(found) <= k):.0%}" for k in (1, 2)]
        alt = f"A histogram like a bell; {near[0]} of it lies within 1 of zero. A normal curve runs along its top."
        shown = nodes.figure("", ids=[NAME], names=[NAME])
        shown += nodes.raw("", drawing(by_screen(svg), NAME, alt), format="html")
        shown += nodes.caption("", CAPTION.format(count=len(found)))
        words = (
            f"{near[0]} of the numbers came out within one standard error of the page's, and {near[1]} within two. "
            "Chance alone would give 68% and 95%. (Numbers of one claim share seeds, so they do not count singly.) "
            "As a whole, then, the seeds on which the pages were written were like any others."
        )
        return [shown, nodes.paragraph("", words)]


def setup(app):
    app.add_directive("claims-at-a-glance", ClaimsAtAGlance)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
