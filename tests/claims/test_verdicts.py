"""The rule by which a claim stands or falls."""

import numpy as np
import pytest
from scipy import stats

from tools.claims.verdicts import ALARMS, Expected, Run, chance, fault, summarise, verdict


def run(mean, deviation=1.0, seeds=30):
    return Run(mean, deviation, 0, seeds)


def share(count, seeds=30):
    return Run(count / seeds, 0.5, 0, seeds)


@pytest.mark.parametrize(
    ("expected", "page", "trial", "said"),
    [
        (Expected("mean", 0.8, 1.2), 1.0, 1.0, "stands"),
        (Expected("mean", 0.8, 1.2), 1.0, 1.4, "stands"),  # two runs of 30 seeds differ by so much
        (Expected("mean", 0.8, 1.2), 1.0, 1.8, "weaker"),
        (Expected("mean", 0.8, 1.2), 1.0, 3.0, "refuted"),
        (Expected("mean", 0.8, 1.2), 1.0, -1.0, "refuted"),
        (Expected("win", 0.8, 1.2), 1.0, 0.7, "stands"),
        (Expected("win", 0.8, 1.2), 1.0, 0.305, "weaker"),  # the trial alone shows no win: t = 1.67
        (Expected("win", 0.8, 1.2), 1.0, 0.315, "stands"),  # 1.73
        (Expected("win", 0.3, 0.8), 0.56, -0.305, "weaker"),
        (Expected("win", 0.3, 0.8), 0.56, -0.315, "refuted"),  # it shows that the other is ahead
        (Expected("win", -0.8, -0.3), -0.56, 0.315, "refuted"),
        (Expected("win", 0.8, 1.2), 1.0, 1.8, "stands"),  # a larger win, but not surely
        (Expected("win", 0.8, 1.2), 1.0, 3.0, "stronger"),
        (Expected("win", 4.0, 5.0), 4.5, 2.0, "weaker"),  # a win, but not of this size
        (Expected("win", 4.0, 5.0), 4.5, 0.2, "refuted"),
        (Expected("win", -5.0, -4.0), -4.5, -2.0, "weaker"),
        (Expected("win", -5.0, -4.0), -4.5, 2.0, "refuted"),
        (Expected("level", -0.1, 0.1), 0.0, 0.3, "stands"),
        (Expected("level", -0.1, 0.1), 0.0, 0.8, "weaker"),
        (Expected("level", -0.1, 0.1), 0.0, 2.0, "refuted"),
    ],
)
def test_means(expected, page, trial, said):
    assert verdict(expected, run(page), run(trial), 100) == said


@pytest.mark.parametrize("seeds", [10, 30])
@pytest.mark.parametrize(
    ("p", "said"), [(0.0102, "stands"), (0.0098, "weaker"), (1.02e-4, "weaker"), (0.98e-4, "refuted")]
)
def test_the_levels_are_those_of_a_t_test(seeds, p, said):
    """α is 1 %, and the book has 100 numbers."""
    far = stats.t.isf(p / 2, seeds - 1) * np.sqrt(2 / seeds)
    assert verdict(Expected("mean", -0.01, 0.01), run(0.0, 1.0, seeds), run(far, 1.0, seeds), 100) == said
    assert verdict(Expected("level", -0.01, 0.01), run(0.0, 1.0, seeds), run(-far, 1.0, seeds), 100) == said


@pytest.mark.parametrize(
    ("low", "high", "page", "trial", "said"),
    [
        (0.9, 1, 30, 30, "stands"),
        (0.9, 1, 30, 25, "stands"),
        (0.9, 1, 30, 20, "weaker"),
        (0.5, 1, 30, 16, "stands"),
        (0.9, 1, 30, 12, "refuted"),
        (0.3, 0.7, 15, 21, "stands"),
        (0.3, 0.7, 15, 30, "refuted"),
        (0, 0.1, 0, 2, "stands"),
    ],
)
def test_shares(low, high, page, trial, said):
    assert verdict(Expected("share", low, high), share(page), share(trial), 100) == said


def test_the_more_numbers_are_tried_the_less_refutes():
    expected, page, trial = Expected("mean", 0.8, 1.2), run(1.0), run(2.0)
    assert verdict(expected, page, trial, 10) == "refuted"
    assert verdict(expected, page, trial, 1000) == "weaker"


def test_units_change_no_verdict():
    for unit in (1e-8, 1e8):
        expected = Expected("win", 4 * unit, 5 * unit)
        assert verdict(expected, run(4.5 * unit, unit), run(2 * unit, unit), 100) == "weaker"


def test_numbers_without_spread_are_equal_or_refuted():
    expected, page = Expected("mean", 1.0, 1.0), run(1.0, 0.0)
    assert verdict(expected, page, run(1 + 1e-15, 1e-16), 100) == "stands"
    assert verdict(expected, page, run(1.1, 0.0), 100) == "refuted"
    assert verdict(expected, run(1.0, 1e-7), run(1 + 2e-8, 1e-7), 100) == "stands"  # a small spread is one


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (run(100.04214, 0.0110), "100.0421 ± 0.0020"),
        (run(-1234.5, 300.0), "-1234 ± 55"),
        (run(1.0, 0.0), "1.000 ± 0.000"),
    ],
)
def test_a_run_is_written_to_the_digits_of_its_error(one, words):
    assert str(one) == words


def test_runs_of_different_size_have_errors_of_their_own():
    p = chance(Expected("mean", 0, 0), run(0.0, 1.0, 30), run(1.0, 2.0, 100))
    assert p == pytest.approx(2 * stats.t.sf(1 / np.sqrt(1 / 30 + 4 / 100), 29))  # were the variances pooled, 0.009


def test_the_other_way_is_counted():
    def other(values, *expected):
        return summarise(np.array(values, dtype=float), Expected(*expected)).other_way

    assert other([1, 2, -1, 0], "win", 0.1, 1) == 1
    assert other([-1, -2, 1, 1], "win", -1, -0.1) == 2
    assert other([1, 1, 0, 1], "share", 0.9, 1) == 1
    assert other([0, 0, 0, 1], "share", 0, 0.1) == 1
    assert other([1, -1], "mean", 0, 1) == other([1, -1], "level", -1, 1) == 0


@pytest.mark.parametrize(
    ("expected", "page", "wrong"),
    [
        (Expected("mean", 0.6, 1.4), run(1.0), None),
        (Expected("mean", 0.8, 1.2), run(1.3), "the page's own seeds give 1.3, which is not between 0.8 and 1.2"),
        (Expected("mean", 0.4, 1.4), run(1.0), "0.4 to 1.4 is wider than the page's own seeds allow, 0.4523 to 1.548"),
        (Expected("mean", 0.6, 1.6), run(1.0), "0.6 to 1.6 is wider"),
        (Expected("mean", 1.0, 1.0), run(1.0, 1e-17), "every seed gives 1, so no seed could refute it"),
        (Expected("win", 0.3, 0.8), run(0.56), None),
        (Expected("win", -0.8, -0.3), run(-0.56), None),
        (Expected("win", 0.1, 0.8), run(0.53), "nobody wins: 0.53 is 2.9 standard errors from 0"),
        (Expected("level", -0.1, 0.4), run(0.3), None),
        (Expected("level", -0.1, 0.6), run(0.4), "it is not level: 0.4 is 2.2 standard errors from 0"),
        (Expected("level", 0.1, 0.4), run(0.3), "it is not level"),
        (Expected("share", 0.85, 1.0), share(30), None),
        (Expected("share", 0.7, 1.0), share(30), "0.7 to 1 is wider than the page's own seeds allow, 0.80"),
        (Expected("share", 0.25, 0.75), share(15), None),
        (Expected("share", 0.5, 1.0), share(15), "0.5 to 1 is wider"),
    ],
)
def test_an_interval_is_fair(expected, page, wrong):
    found = fault(expected, page)
    assert found == wrong if wrong is None else found.startswith(wrong)


LAWS = {
    "normal": np.random.Generator.standard_normal,
    "uniform": np.random.Generator.random,
    "exponential": np.random.Generator.standard_exponential,
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size),
    "Cauchy": np.random.Generator.standard_cauchy,
    "two clusters": lambda rng, size: rng.integers(2, size=size) + 0.05 * rng.standard_normal(size),
    "two values": lambda rng, size: rng.integers(2, size=size) * 1.0,
    "rare": lambda rng, size: (rng.random(size) < 0.1) * 1.0,
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seeds", [15, 30])
def test_a_book_of_true_claims_is_seldom_refuted(law, seeds):
    """2000 trials of a book of 40 claims. The interval is the page's own mean: a wider one can only spare it."""
    rng, numbers, trials = np.random.default_rng(7), 40, 2000
    both = LAWS[law](rng, (2, trials, numbers, seeds))
    kind = "share" if law == "rare" else "mean"
    apart = np.abs(np.diff(both.mean(axis=-1), axis=0)[0])
    nearly = 3 * np.linalg.norm(both.std(axis=-1, ddof=1), axis=0) / np.sqrt(seeds)  # what lies nearer is never refuted
    refuted = np.zeros((trials, numbers), dtype=bool)
    for place in zip(*np.where(apart > nearly), strict=True):
        page, trial = (summarise(values[place], Expected(kind, 0, 0)) for values in both)
        refuted[place] = verdict(Expected(kind, page.mean, page.mean), page, trial, numbers) == "refuted"
    alarms = int(refuted.any(axis=1).sum())
    assert stats.binom.sf(alarms - 1, trials, ALARMS) > 1e-3, f"{alarms} of {trials}"


def test_a_win_is_refuted_by_its_opposite_alone_and_a_true_one_never():
    """2000 wins that are three standard errors large, and as many that the page saw where the other side is ahead."""
    rng, said = np.random.default_rng(5), {1: [], -1: []}
    win, error = Expected("win", 0.3, 0.8), 1 / np.sqrt(30)
    for side, found in said.items():
        for trial in rng.normal(side * 3 * error, 1, (2000, 30)):
            found.append(verdict(win, run(3 * error), summarise(trial, win), 300))
    assert "refuted" not in said[1]
    assert said[-1].count("refuted") > 0.85 * 2000
    assert {*said[-1]} == {"refuted", "weaker"}


@pytest.mark.parametrize(("shift", "refuted", "noticed"), [(0.5, 0, 0.25), (1, 0.2, 0.9), (1.5, 0.8, 1), (2, 1, 1)])
def test_what_a_trial_sees(shift, refuted, noticed):
    """A mean of 30 seeds that has moved by so many standard deviations, as one of 300 numbers."""
    rng, said = np.random.default_rng(3), []
    for page, trial in zip(*rng.normal(size=(2, 500, 30)), strict=True):
        ours = summarise(page, Expected("mean", 0, 0))
        expected = Expected("mean", ours.mean - 3 * ours.error, ours.mean + 3 * ours.error)
        said.append(verdict(expected, ours, summarise(trial + shift, expected), 300))
    assert said.count("refuted") / 500 == pytest.approx(refuted, abs=0.06)
    assert 1 - said.count("stands") / 500 == pytest.approx(noticed, abs=0.1)
