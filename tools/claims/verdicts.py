"""Whether new seeds bear out what a page says.

A page has run an experiment on n₀ seeds, and says in which interval a mean or a share lies. A trial runs the same code
on n other seeds. If nobody has chosen the page's seeds, all n₀ + n values are drawn alike, and p, the probability that
chance alone moves the two runs as far apart as they are, is at most α in a share α of trials. Means are compared by
Welch's t test, shares by Fisher's exact test. Then the claim is

- refuted if the trial lies outside the interval and p ≤ α / N, for N numbers in the whole book. So, of the trials of a
  book in which all claims are true, a share α at most refutes any of them. α is 1 %.
- weaker if the trial lies outside the interval and p ≤ α, or if it was to show which side wins and, taken alone, does
  not show it (one-sided t test at 5 %). A win that is smaller than was said, but still a win, is weaker, not refuted.
- stronger if one side wins by more than was said, and p ≤ α / N.
- else it stands.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import stats

ALARMS = 0.01  # α
UNSHOWN = 0.05  # the level at which a trial alone must show a win
KINDS = ("mean", "win", "level", "share")


@dataclass(frozen=True)
class Expected:
    """What a page says of a number: that its mean lies in an interval, on one side of 0 (a win) or around it (level),
    or that a share of the seeds does in which something is true."""

    kind: str
    low: float
    high: float

    @property
    def side(self):
        """The sign of a win, else 0."""
        return 0 if self.kind != "win" else 1 if self.low > 0 else -1


@dataclass(frozen=True)
class Run:
    """A number's mean, standard deviation (n − 1) and how many values go the other way, over n seeds.

    The other way is the sign that a win does not have, and the rarer answer to what is true or false.
    """

    mean: float
    deviation: float
    other_way: int
    seeds: int

    @property
    def error(self):
        """The standard error of the mean."""
        return self.deviation / sqrt(self.seeds)


def summarise(values, expected):
    """The Run of the values, an array, of a number of which this is expected."""
    true, opposite = int(np.sum(values != 0)), int(np.sum(values * expected.side < 0))
    other = min(true, len(values) - true) if expected.kind == "share" else opposite
    return Run(float(values.mean()), float(values.std(ddof=1)), other, len(values))


def verdict(expected, page, trial, numbers):
    """What a trial says of a number, one of `numbers` in the book; `page` and `trial` are Runs."""
    p, outside = chance(expected, page, trial), not expected.low <= trial.mean <= expected.high
    shown = expected.side * trial.mean > stats.t.isf(UNSHOWN, trial.seeds - 1) * trial.error
    if outside and p <= ALARMS / numbers:
        if not shown:
            return "refuted"
        return "stronger" if abs(trial.mean) > max(abs(expected.low), abs(expected.high)) else "weaker"
    return "weaker" if (outside and p <= ALARMS) or (expected.side and not shown) else "stands"


def chance(expected, page, trial):
    """The probability that two runs on seeds drawn alike lie as far apart as these."""
    if expected.kind == "share":
        counts = [[round(run.mean * run.seeds), round((1 - run.mean) * run.seeds)] for run in (page, trial)]
        return float(stats.fisher_exact(counts).pvalue)
    if page.deviation == trial.deviation == 0:
        return float(page.mean == trial.mean)
    sides = [value for run in (page, trial) for value in (run.mean, run.deviation, run.seeds)]
    return float(stats.ttest_ind_from_stats(*sides, equal_var=False).pvalue)


def fault(expected, page):
    """What is wrong with an interval, given the page's own Run; None if it is fair."""
    low, high = expected.low, expected.high
    if not low <= page.mean <= high:
        return f"the page's own {page.seeds} seeds give {page.mean:.4g}, which is not between {low:g} and {high:g}"
    if expected.kind == "win" and low * high <= 0:
        return f"{low:g} to {high:g} does not exclude 0, so nobody wins"
    if expected.kind == "level" and low * high > 0:
        return f"{low:g} to {high:g} excludes 0, so the two are not level"
    widest = 6 * error_of_share(page) if expected.kind == "share" else 6 * page.error
    if high - low > widest:
        return f"{low:g} to {high:g} is wider than six standard errors of the page's seeds, {widest:.3g}"
    return None


def error_of_share(run):
    """The standard error of a share, after Agresti and Coull: with two more seeds on either side it is never 0."""
    share, seeds = (run.mean * run.seeds + 2) / (run.seeds + 4), run.seeds + 4
    return sqrt(share * (1 - share) / seeds)
