"""The page that lists the book's claims with their last trials, and the mark above each claim on its own page."""

from collections import Counter
from html import escape
from pathlib import Path

import nbformat
from docutils import nodes
from scipy import stats
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from tools.bookbuild.notebooks import BOOK, find
from tools.claims.claims import TAG, claims_of
from tools.claims.trials import FILE, LISTED, how_many, is_current, is_older_than_library, stored, verdicts
from tools.claims.verdicts import FALLEN, Run
from tools.site.folds import Fold, is_cell

LIST = "claims"  # the page with the list
OLDER = " before the library changed"
WIDTH, HEIGHT, MARGIN = 200, 22, 6  # of a number's picture, in pixels


def anchor(claim):
    return f"claim-{claim.name}"


class Marks(SphinxTransform):
    """Put above each claim a line that says how its last trial ended, and leads to the list."""

    default_priority = 210

    def apply(self, **_):
        cells = [cell for cell in self.document.findall(is_cell) if f"tag_{TAG}" in cell["classes"]]
        if cells:
            self.env.note_dependency(str(FILE))
            path, entries = Path(self.env.doc2path(self.env.docname)), stored()
            claims, notebook = {claim.name: claim for claim in claims_of(path)}, nbformat.read(path, as_version=4)
            for cell in cells:
                claim = claims[notebook.cells[cell["cell_index"]].id]
                mark = nodes.paragraph("", "Claim: ", ids=[anchor(claim)], classes=["claim-mark"])
                entry = entries.get(claim.name)
                if is_current(claim, entry):
                    counts = Counter(verdicts(claim, entry, how_many(entries)).values())
                    ended = "stands" if {*counts} == {"stands"} else f"of {counts.total()} numbers {listing(counts)}"
                    address = "../" * (self.env.docname.count("/") - 1) + f"{LIST}.html#{anchor(claim)}"
                    older = OLDER * is_older_than_library(claim, entry)
                    words = nodes.Text(f"{ended} on new seeds{older}")
                    mark += nodes.reference("", "", words, refuri=address, internal=True)
                else:
                    mark += nodes.Text("not tried yet")
                cell.parent.insert(cell.parent.index(cell), mark)


def listing(counts):
    """How many numbers stand, are weaker and so on, in words."""
    parts = [f"{counts['stands']} stand"] * ("stands" in counts)
    parts += [
        f"{counts[each]} {'is' if counts[each] == 1 else 'are'} {each}"
        for each in ("weaker", *reversed(FALLEN))
        if each in counts
    ]
    return ", ".join(parts).replace("1 stand,", "1 stands,")


class Claims(SphinxDirective):
    """All claims, page by page: each sentence, and for each number what was said beside what the last trial found."""

    def run(self):
        self.env.note_dependency(str(FILE))
        entries, listed, counts = stored(), [], Counter()
        numbers = how_many(entries)
        for path in sorted(find(BOOK), key=lambda path: path.stem):
            self.env.note_dependency(str(path))
            claims = [claim for claim in claims_of(path) if is_current(claim, entries.get(claim.name))]
            if claims:
                heading = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0].removeprefix("# ")
                listed.append(nodes.rubric("", heading, classes=["claims-of"]))
            for claim in claims:
                said = verdicts(claim, entries[claim.name], numbers)
                counts.update(said.values())
                listed.append(self.item(claim, entries[claim.name], said, path))
        total = f"Of {counts.total()} numbers {listing(counts)}."
        return [nodes.paragraph("", total), *listed]

    def item(self, claim, entry, said, path):
        paragraph = nodes.paragraph("", f"{claim.says} ", ids=[anchor(claim)])
        address = f"{path.stem}.html#{anchor(claim)}"
        paragraph += nodes.reference("", "", nodes.Text("See the cell."), refuri=address, internal=True)
        times = "Tried" if entry["trials"] == 1 else f"Tried {entry['trials']} times, last"
        on = f"on {entry['on']}{OLDER * is_older_than_library(claim, entry)}"
        paragraph += nodes.Text(f" {times} {on}, with {claim.seeds} seeds from {entry['from'][-1]} on.")
        if LISTED in entry:
            paragraph += nodes.Text(f" To be mended: {entry[LISTED]}")
        rows = {name: number(name, claim.expects[name], entry["numbers"][name], one) for name, one in said.items()}
        first = next(iter(rows))
        shown = [row for name, row in rows.items() if name == first or said[name] != "stands"]
        folded = [row for name, row in rows.items() if name != first and said[name] == "stands"]
        item = nodes.container("", paragraph, *shown, classes=["claim"])
        if folded:
            item += Fold("", *folded, title=f"{len(folded)} more number{'s' * (len(folded) > 1)}")
        return item


def number(name, expected, runs, verdict):
    """A number's name, picture, words and verdict."""
    page, trial = Run(**runs["page"]), Run(**runs["trial"])
    if expected.kind == "share":
        found = f"in {trial.count} of {trial.seeds} seeds"
    else:
        counted = expected.side and trial.other_way is not None
        found = f"{trial}" + f", the other way in {trial.other_way}" * bool(counted)
    words = f"said {expected.low:g} to {expected.high:g}; found {found}".replace("-", "−")
    parts = [span("claim-name", name), drawing(expected, page, trial, words), span("claim-words", words)]
    html = "".join([*parts, span(f"claim-verdict {verdict.replace(' ', '-')}", verdict)])
    return nodes.raw("", f'<div class="claim-number">{html}</div>', format="html")


def span(kind, text):
    return f'<span class="{kind}">{escape(text)}</span>'


def drawing(expected, page, trial, words):
    """What was said as a band, and a line at 0; the page's own mean as a ring, the trial's as a dot with a whisker."""
    low, high = ends(trial, expected)
    marks = [expected.low, expected.high, page.mean, low, high] + [0] * (expected.kind in ("win", "level"))
    least, width = min(marks), max(marks) - min(marks) or 1.0

    def place(value):
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * (value - least) / width:.1f}"

    band = max(float(place(expected.high)) - float(place(expected.low)), 3)
    parts = [f'<rect class="said" x="{place(expected.low)}" y="3" width="{band:.1f}" height="{HEIGHT - 6}"/>']
    if expected.kind in ("win", "level"):
        parts.append(f'<path class="zero" d="M{place(0)} 0V{HEIGHT}"/>')
    parts.append(f'<circle class="own" cx="{place(page.mean)}" cy="{HEIGHT / 2}" r="4"/>')
    parts.append(f'<path class="whisker" d="M{place(low)} {HEIGHT / 2}H{place(high)}"/>')
    parts.append(f'<circle cx="{place(trial.mean)}" cy="{HEIGHT / 2}" r="4"/>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="claim-picture" role="img" aria-label="{escape(words)}" {size}>{"".join(parts)}</svg>'


def ends(run, expected):
    """The ends of a run's whisker: one standard error to both sides of a mean, the 67 % interval of a share."""
    if expected.kind == "share":
        return stats.binomtest(run.count, run.seeds).proportion_ci(2 / 3)
    return run.mean - run.error, run.mean + run.error


def setup(app):
    app.add_transform(Marks)
    app.add_directive("claims", Claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
