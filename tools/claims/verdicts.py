"""Whether new seeds bear out what a page says.

A page has run an experiment on some seeds, and says of each number in which interval its mean lies, or the share of
seeds in which something is true. A trial runs the same code on seeds that nobody has seen; the seeds of all trials of a
claim are taken together. If the trial's mean lies outside the interval, p bounds the probability that chance puts it
there though the true mean lies inside: by the binomial distribution for shares, by a one-sided t test from the nearer
end for means. The t test takes the larger deviation of page and trial, since what is rare may be missing in one of
them, and the degrees of freedom of the smaller run. The number is

- refuted if p ≤ α / (N k (k + 1)), where α is 1 %, N is the number of all numbers in the book, and this is the k-th
  trial of the claim. So of books whose claims are all true, a run refutes something in a share α at most. Trials that
  are stored and put together keep this bound, since they pay for it by k. Trials that nobody stores do not add to k,
  and k begins again when code or library change. For normal laws the bound holds; `test_verdicts` draws books from
  nine laws.
- weaker if p ≤ α.

Of a win, a paired difference that is claimed not to be 0, only the end nearer to 0 counts: a larger win is one. The
trial alone must show which side is ahead. The win is reversed if a one-sided t test at the level α shows the other
side ahead, and not shown if one at 5 % does not show the claimed side ahead. A level is a difference that may be 0. It
is not level if a two-sided t test at the level α shows a difference from 0, on the trial alone or on the seeds of page
and trial together. Everything else stands.

The interval says how large an effect the page speaks of. That it lies near the page's own run is a matter of the
contract, see `fault`.
"""

from dataclasses import dataclass
from math import floor, log10, sqrt

import numpy as np
from scipy import stats

ALARMS = 0.01  # α
UNSHOWN = 0.05  # the level at which a trial must show a win
FALLEN = ("refuted", "reversed", "not level", "not shown")  # the verdicts that a page must not leave as they are
ALARMING = FALLEN[:2]  # those that chance hardly ever brings about in a run of the whole book
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

    The other way is the sign that a win does not have, and the rarer answer to what is true or false. It is None where
    the number was neither a win nor a share when the seeds were run.
    """

    mean: float
    deviation: float
    other_way: int | None
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
    other = None
    if expected.kind == "share":
        true = int(np.sum(values != 0))
        other = min(true, len(values) - true)
    elif expected.side:
        other = int(np.sum(values * expected.side < 0))
    return Run(float(values.mean()), float(values.std(ddof=1)), other, len(values))


def pooled(one, other):
    """The Run that has the seeds of both."""
    seeds = one.seeds + other.seeds
    mean = (one.seeds * one.mean + other.seeds * other.mean) / seeds
    squares = sum((run.seeds - 1) * run.deviation**2 + run.seeds * (run.mean - mean) ** 2 for run in (one, other))
    counts = (one.other_way, other.other_way)
    return Run(mean, sqrt(squares / (seeds - 1)), None if None in counts else sum(counts), seeds)


def verdict(expected, page, trial, numbers, trials=1):
    """What so many trials, taken together, say of a number, one of `numbers` in the book; both runs are Runs."""
    p = chance(expected, page, trial)
    if p <= ALARMS / (numbers * trials * (trials + 1)):
        return "refuted"
    if expected.side and chance_without(-expected.side, trial) <= ALARMS:
        return "reversed"
    if expected.side and chance_without(expected.side, trial) >= UNSHOWN:
        return "not shown"
    if expected.kind == "level" and min(chance_of_none(trial), chance_of_none(pooled(page, trial))) <= ALARMS:
        return "not level"
    return "weaker" if p <= ALARMS else "stands"


def chance(expected, page, trial):
    """A bound on the probability that the trial lies so far outside the interval though the true mean lies inside."""
    below, above = expected.low - trial.mean, trial.mean - expected.high
    outside = max(below, above) if not expected.side else below if expected.side > 0 else above
    if outside <= NO_DEVIATION * abs(page.mean):
        return 1.0
    if expected.kind == "share":
        law = stats.binom(trial.seeds, expected.low if below > 0 else expected.high)
        return float(law.cdf(trial.count) if below > 0 else law.sf(trial.count - 1))
    deviation = max(page.deviation, trial.deviation)
    if deviation <= NO_DEVIATION * abs(page.mean):
        return 0.0
    return float(stats.t.sf(outside * sqrt(trial.seeds) / deviation, min(page.seeds, trial.seeds) - 1))


def chance_without(side, run):
    """The probability that a run shows this side of 0 so clearly though the true mean is 0: a one-sided t test."""
    if not run.varies:
        return 0.0 if side * run.mean > 0 else 1.0
    return float(stats.t.sf(side * run.mean / run.error, run.seeds - 1))


def chance_of_none(run):
    """The probability that a run differs from 0 so clearly though the true mean is 0: a two-sided t test."""
    return min(1.0, 2 * min(chance_without(side, run) for side in (1, -1)))


def fault(expected, page):
    """What is wrong with an interval, given the page's own Run; None if it is fair.

    It holds the page's mean and lies within three standard errors of it. A win lies three standard errors from 0 at
    least, with its whole interval on one side of 0, and a level two at most. A mean that is nearer to 0 than three
    standard errors has an interval that holds 0. A share's interval lies within that of Clopper and Pearson.
    """
    low, high = expected.low, expected.high
    if not low <= page.mean <= high:
        return f"the page's own seeds give {page.mean:.4g}, which is not between {low:g} and {high:g}"
    if expected.kind == "win" and low * high <= 0:
        return f"nobody wins: {low:g} to {high:g} is not on one side of 0"
    if expected.kind == "share":
        least, most = stats.binomtest(page.count, page.seeds).proportion_ci(CERTAIN)
    elif page.varies:
        least, most = page.mean - 3 * page.error, page.mean + 3 * page.error
    else:
        return f"every seed gives {page.mean:.4g}, so no seed could refute it"
    slack = 1e-3 * (most - least)  # the interval is written with few digits
    if low < least - slack or high > most + slack:
        return f"{low:g} to {high:g} is wider than the page's own seeds allow, {least:.4g} to {most:.4g}"
    distance = abs(page.mean) / page.error if expected.kind != "share" else None
    if expected.kind == "mean" and low * high > 0 and distance < 3:
        return f"{low:g} to {high:g} does not hold 0, from which {page.mean:.4g} is {distance:.1f} standard errors away"
    if expected.kind == "win" and distance < 3:
        return f"nobody wins: {page.mean:.4g} is {distance:.1f} standard errors from 0"
    if expected.kind == "level" and (distance > 2 or low * high > 0):
        return f"it is not level: {page.mean:.4g} is {distance:.1f} standard errors from 0"
    return None
