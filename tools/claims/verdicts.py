"""Whether new seeds bear out what a page says.

A page has run an experiment on some seeds, and says of each number in which interval its mean lies, or the share of
seeds in which something is true. A trial runs the same code on as many others. Suppose that nobody has chosen the
page's seeds. Then the values of both runs are drawn alike, and p bounds the probability that chance moves the two as
far apart as they are: for shares by Fisher's exact test, for means by the t test for unequal variances, with as many
degrees of freedom as the smaller run alone has. (Welch's approximation has up to twice as many. Far out in its tails
it errs too often where values are few or in two clusters: of true books with ten seeds a claim it would refute up to
8 %.) A trial that lies in the interval bears the page out. If it lies outside, the number is

- refuted if p ≤ α / N, N being the number of all numbers in the book. So a share α, at most, of the trials of a book
  whose claims are all true refute any of them; α is 1 %. `test_verdicts` draws such books from nine laws.
- weaker if p ≤ α.

Of a win, a paired difference that is claimed not to be 0, the trial alone is asked too which side is ahead, by a
one-sided t test at 5 %. If it shows the win, the number is not refuted: it is weaker where the win is smaller than was
said, and stronger where it is larger and p ≤ α / N. If it shows the other side ahead, the number is refuted: to the
smallest win that may be claimed, three standard errors, this happens once in a million trials. If it shows neither, the
number is weaker at least. Everything else stands.

The interval says how large an effect the page speaks of. That it lies near the page's own run is a matter of the
contract, see `fault`: a trial is compared with what the page has run.
"""

from dataclasses import dataclass
from math import floor, log10, sqrt

import numpy as np
from scipy import stats

ALARMS = 0.01  # α
UNSHOWN = 0.05  # the level at which a trial alone must show a win
KINDS = ("mean", "win", "level", "share")
CERTAIN = 0.997  # the confidence of the widest interval that a page may state for a share
NO_DEVIATION = 1e-9  # a deviation smaller than this, relative to the mean, is rounding


@dataclass(frozen=True)
class Expected:
    """What a page says of a number: an interval for its mean or its share of seeds, and the kind of the claim.

    The mean of a win lies on one side of 0, that of a level may be 0.
    """

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

    @property
    def count(self):
        """In how many seeds it is true."""
        return round(self.mean * self.seeds)

    @property
    def varies(self):
        return self.deviation > NO_DEVIATION * abs(self.mean)

    def __str__(self):
        """The mean ± its standard error, both to two digits of the error."""
        digits = max(0, 1 - floor(log10(self.error))) if self.varies else 3
        return f"{self.mean:.{digits}f} ± {self.error:.{digits}f}"


def summarise(values, expected):
    """The Run of the values, an array, of a number of which this is expected."""
    true, opposite = int(np.sum(values != 0)), int(np.sum(values * expected.side < 0))
    other = min(true, len(values) - true) if expected.kind == "share" else opposite
    return Run(float(values.mean()), float(values.std(ddof=1)), other, len(values))


def verdict(expected, page, trial, numbers):
    """What a trial says of a number, one of `numbers` in the book; `page` and `trial` are Runs."""
    p, inside = chance(expected, page, trial), expected.low <= trial.mean <= expected.high
    if expected.side:
        larger = abs(trial.mean) > max(abs(expected.low), abs(expected.high))
        lead, shown = expected.side * trial.mean, stats.t.isf(UNSHOWN, trial.seeds - 1) * trial.error
        if lead < -shown:
            return "refuted"
        if lead > shown:
            if larger:
                return "stronger" if p <= ALARMS / numbers else "stands"
            return "stands" if inside or p > ALARMS else "weaker"
        return "refuted" if not inside and p <= ALARMS / numbers else "weaker"
    if inside or p > ALARMS:
        return "stands"
    return "refuted" if p <= ALARMS / numbers else "weaker"


def chance(expected, page, trial):
    """A bound on the probability that two runs whose seeds are drawn alike lie as far apart as these."""
    if expected.kind == "share":
        counts = [[run.count, run.seeds - run.count] for run in (page, trial)]
        return float(stats.fisher_exact(counts).pvalue)
    if not page.varies and not trial.varies:
        return float(abs(page.mean - trial.mean) <= NO_DEVIATION * abs(page.mean))
    t = abs(page.mean - trial.mean) / sqrt(page.error**2 + trial.error**2)
    return float(2 * stats.t.sf(t, min(page.seeds, trial.seeds) - 1))


def fault(expected, page):
    """What is wrong with an interval, given the page's own Run; None if it is fair.

    It holds the page's mean and lies within three standard errors of it. A win lies three standard errors from 0 at
    least, and a level two at most. A share's interval lies within that of Clopper and Pearson.
    """
    low, high = expected.low, expected.high
    if not low <= page.mean <= high:
        return f"the page's own seeds give {page.mean:.4g}, which is not between {low:g} and {high:g}"
    if expected.kind == "share":
        least, most = stats.binomtest(page.count, page.seeds).proportion_ci(CERTAIN)
    elif page.varies:
        least, most = page.mean - 3 * page.error, page.mean + 3 * page.error
    else:
        return f"every seed gives {page.mean:.4g}, so no seed could refute it"
    slack = 1e-3 * (most - least)  # the interval is written with few digits
    if low < least - slack or high > most + slack:
        return f"{low:g} to {high:g} is wider than the page's own seeds allow, {least:.4g} to {most:.4g}"
    distance = abs(page.mean) / page.error if expected.kind in ("win", "level") else None
    if expected.kind == "win" and distance < 3:
        return f"nobody wins: {page.mean:.4g} is {distance:.1f} standard errors from 0"
    if expected.kind == "level" and (distance > 2 or low * high > 0):
        return f"it is not level: {page.mean:.4g} is {distance:.1f} standard errors from 0"
    return None
