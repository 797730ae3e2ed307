"""The page that lists the book's claims with their last trials, and the mark above each claim on its own page."""

from collections import Counter
from html import escape

import nbformat
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from tools.bookbuild.notebooks import BOOK, find
from tools.claims.claims import TAG, claims_of
from tools.claims.trials import FILE, stored
from tools.claims.verdicts import Run
from tools.site.folds import Fold, is_cell

LIST = "claims"  # the page with the list
WIDTH, HEIGHT, MARGIN = 200, 22, 6  # of a number's picture, in pixels


def anchor(name):
    return f"claim-{name}"


class Marks(SphinxTransform):
    """Put above each claim a line that says how its last trial ended, and leads to the list."""

    default_priority = 210

    def apply(self, **_):
        cells = [cell for cell in self.document.findall(is_cell) if f"tag_{TAG}" in cell["classes"]]
        if cells:
            self.env.note_dependency(str(FILE))
            page, trials = nbformat.read(self.env.doc2path(self.env.docname), as_version=4), stored()
            for cell in cells:
                name = page.cells[cell["cell_index"]].id
                mark = nodes.paragraph(ids=[anchor(name)], classes=["claim-mark"])
                address = "../" * (self.env.docname.count("/") - 1) + f"{LIST}.html#{anchor(name)}"
                if name in trials:
                    words = nodes.Text(f"tried again on new seeds: {in_words(trials[name])}")
                    mark += [nodes.Text("Claim, "), nodes.reference("", "", words, refuri=address, internal=True)]
                else:
                    mark += nodes.Text("Claim, not tried yet")
                cell.parent.insert(cell.parent.index(cell), mark)


def verdicts(entry):
    return [one["verdict"] for one in entry["numbers"].values()]


def in_words(entry):
    """How a claim's last trial ended."""
    counts = Counter(verdicts(entry))
    return "it stands" if {*counts} == {"stands"} else f"of {counts.total()} numbers {listing(counts)}"


def listing(counts):
    """How many numbers stand, are weaker and so on, in words."""
    words = {"stands": "stand", "weaker": "are weaker", "stronger": "are stronger", "refuted": "are refuted"}
    return ", ".join(f"{counts[each]} {said}" for each, said in words.items() if each in counts)


class Claims(SphinxDirective):
    """All claims, page by page: each sentence, and for each number what was said beside what the last trial found."""

    def run(self):
        self.env.note_dependency(str(FILE))
        trials, listed, counts = stored(), [], Counter()
        for path in find(BOOK):
            self.env.note_dependency(str(path))
            claims = [claim for claim in claims_of(path) if claim.name in trials]  # what is not tried has only its mark
            if claims:
                heading = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0].removeprefix("# ")
                listed += [nodes.rubric("", heading, classes=["claims-of"])]
                listed += [self.entry(claim, trials[claim.name], path) for claim in claims]
                counts.update(verdict for claim in claims for verdict in verdicts(trials[claim.name]))
        return [nodes.paragraph("", f"Of {counts.total()} numbers {listing(counts)}."), *listed]

    def entry(self, claim, trial, path):
        link = nodes.reference("", "", nodes.Text("See the cell."), refuri=f"{path.stem}.html#{anchor(claim.name)}")
        said = nodes.paragraph("", f"{claim.says} ", ids=[anchor(claim.name)], classes=["claim-says"])
        said += link
        found = trial["numbers"]
        pictures = [number(name, expected, found[name]) for name, expected in claim.expects.items() if name in found]
        entry = nodes.container("", said, pictures[0], classes=["claim"])
        if pictures[1:]:
            more = f"{len(pictures) - 1} more number{'s' * (len(pictures) > 2)}"
            entry += Fold("", *pictures[1:], title=more)
        return entry


def number(name, expected, entry):
    """A number's name, picture, words and verdict."""
    run, verdict = Run(**entry["trial"]), entry["verdict"]
    if expected.kind == "share":
        found = f"in {round(run.mean * run.seeds)} of {run.seeds} seeds"
    else:
        found = f"{run.mean:.3g} ± {run.error:.1g} in {run.seeds} seeds"
        found += f", the other way in {run.other_way}" * (expected.kind == "win")
    words = f"said {expected.low:g} to {expected.high:g}; found {found}".replace("-", "−")
    parts = [span("claim-name", name), drawing(expected, run, words), span("claim-words", words)]
    html = "".join([*parts, span(f"claim-verdict {verdict}", verdict)])
    return nodes.raw("", f'<div class="claim-number">{html}</div>', format="html")


def span(kind, text):
    return f'<span class="{kind}">{escape(text)}</span>'


def drawing(expected, run, words):
    """What was said as a band, what was found as a dot with a whisker of one standard error, and a line at 0."""
    marks = [expected.low, expected.high, run.mean - run.error, run.mean + run.error]
    marks += [0] if expected.kind in ("win", "level") else []
    least, span = min(marks), max(marks) - min(marks) or 1.0

    def place(value):
        return MARGIN + (WIDTH - 2 * MARGIN) * (value - least) / span

    middle, low, high = HEIGHT / 2, place(expected.low), place(expected.high)
    left, right = place(run.mean - run.error), place(run.mean + run.error)
    parts = [f'<rect class="said" x="{low:.1f}" y="3" width="{max(high - low, 3):.1f}" height="{HEIGHT - 6}"/>']
    if expected.kind in ("win", "level"):
        parts += [f'<path class="zero" d="M{place(0):.1f} 0V{HEIGHT}"/>']
    parts += [f'<path class="whisker" d="M{left:.1f} {middle}H{right:.1f}"/>']
    parts += [f'<circle cx="{place(run.mean):.1f}" cy="{middle}" r="4"/>']
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="claim-picture" role="img" aria-label="{escape(words)}" {size}>{"".join(parts)}</svg>'


def setup(app):
    app.add_transform(Marks)
    app.add_directive("claims", Claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
