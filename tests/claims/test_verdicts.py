"""The rule by which a claim stands or falls."""

from dataclasses import asdict
from itertools import accumulate

import numpy as np
import pytest
from scipy import stats

from tools.bookbuild.notebooks import BOOK
from tools.claims.verdicts import ALARMS, Expected, Run, chance, fault, pooled, summarise, verdict


def run(mean, deviation=1.0, seeds=30):
    return Run(mean, deviation, 0, seeds)


def share(count, seeds=30):
    return Run(count / seeds, 0.5, 0, seeds)


@pytest.mark.parametrize(
    ("expected", "trial", "said"),
    [
        (Expected("mean", 0.8, 1.2), 1.0, "stands"),
        (Expected("mean", 0.8, 1.2), 1.6, "stands"),  # t = 2.19
        (Expected("mean", 0.8, 1.2), 1.7, "weaker"),  # 2.74
        (Expected("mean", 0.8, 1.2), 0.3, "weaker"),
        (Expected("mean", 0.8, 1.2), 3.0, "refuted"),
        (Expected("mean", 0.8, 1.2), -1.0, "refuted"),
        (Expected("level", -0.1, 0.1), 0.3, "stands"),
        (Expected("level", -0.6, 0.6), 0.5, "stands"),  # t = 2.74 from 0, p = 0.0105
        (Expected("level", -0.6, 0.6), 0.51, "not level"),  # 2.79, p = 0.0092
        (Expected("level", -0.6, 0.6), -0.51, "not level"),  # inside the interval
        (Expected("level", -0.1, 0.1), 0.6, "not level"),  # weaker too
        (Expected("level", -0.1, 0.1), -2.0, "refuted"),
        (Expected("win", 0.3, 0.8), 0.315, "stands"),  # the trial by itself shows the win: t = 1.73
        (Expected("win", 0.3, 0.8), 0.305, "not shown"),  # 1.67
        (Expected("win", -0.8, -0.3), -0.305, "not shown"),
        (Expected("win", 0.3, 0.8), -0.305, "not shown"),
        (Expected("win", 0.1, 0.8), -0.44, "not shown"),  # the other side is ahead by 2.41, p = 0.0113
        (Expected("win", 0.1, 0.8), -0.46, "reversed"),  # 2.52, p = 0.0088
        (Expected("win", -0.8, -0.1), 0.46, "reversed"),
        (Expected("win", 0.3, 0.8), -0.8, "refuted"),
        (Expected("win", -0.8, -0.3), 0.8, "refuted"),
        (Expected("win", 0.8, 1.2), 30.0, "stands"),  # a larger win
        (Expected("win", -1.2, -0.8), -30.0, "stands"),
        (Expected("win", 1.2, 1.6), 0.7, "weaker"),  # a win, but not of this size
        (Expected("win", 4.0, 5.0), 2.0, "refuted"),
    ],
)
def test_means(expected, trial, said):
    assert verdict(expected, run(expected.low), run(trial), 100) == said


@pytest.mark.parametrize("seeds", [10, 30])
@pytest.mark.parametrize("trials", [1, 3])
@pytest.mark.parametrize(("level", "above", "below"), [(ALARMS, "stands", "weaker"), (None, "weaker", "refuted")])
def test_the_levels_are_those_of_a_t_test(seeds, trials, level, above, below):
    """The book has 100 numbers, and the k-th trial spends 1 / k (k + 1) of what there is."""
    level = level or ALARMS / 100 / trials / (trials + 1)
    for p, said in ((1.02 * level, above), (0.98 * level, below)):
        far = stats.t.isf(p, seeds - 1) / np.sqrt(seeds)
        for trial in (run(0.01 + far, 1.0, seeds), run(-0.01 - far, 1.0, seeds)):
            assert verdict(Expected("mean", -0.01, 0.01), run(0.0, 1.0, seeds), trial, 100, trials) == said
            by_level = "not level" if said == "weaker" and p < ALARMS / 2 else said  # 0 is nearly the interval's end
            assert verdict(Expected("level", -0.01, 0.01), run(0.0, 1.0, seeds), trial, 100, trials) == by_level


@pytest.mark.parametrize(
    ("low", "high", "trial", "seeds", "said"),
    [
        (0.9, 1, 30, 30, "stands"),
        (0.9, 1, 24, 30, "stands"),  # p = 0.07
        (0.9, 1, 21, 30, "weaker"),  # 0.002
        (0.9, 1, 12, 30, "refuted"),
        (0.3, 0.7, 14, 15, "stands"),  # 0.035
        (0.3, 0.7, 15, 15, "weaker"),  # 0.005
        (0, 0.1, 6, 30, "stands"),
        (0, 0.1, 18, 30, "refuted"),
        (0, 0, 1, 30, "refuted"),
    ],
)
def test_shares(low, high, trial, seeds, said):
    assert verdict(Expected("share", low, high), share(round(high * seeds), seeds), share(trial, seeds), 100) == said


def test_a_difference_without_spread_is_level_at_0_alone():
    expected, page = Expected("level", -0.1, 0.1), run(0.0, 0.1)
    assert verdict(expected, page, run(0.0, 0.0), 100) == "stands"
    assert verdict(expected, page, run(-0.05, 0.0), 100) == "not level"


def test_units_change_no_verdict():
    for unit in (1e-8, 1e8):
        expected = Expected("win", 1.2 * unit, 1.6 * unit)
        assert verdict(expected, run(1.4 * unit, unit), run(0.7 * unit, unit), 100) == "weaker"


def test_numbers_without_spread_are_inside_or_refuted():
    expected, page = Expected("mean", 1.0, 1.0), run(1.0, 0.0)
    assert verdict(expected, page, run(1 + 1e-15, 1e-16), 100) == "stands"
    assert verdict(expected, page, run(1.1, 0.0), 100) == "refuted"
    assert verdict(expected, run(1.0, 1e-7), run(1 + 2e-8, 1e-7), 100) == "stands"  # a small spread is one


def test_what_is_rare_and_missing_in_the_trial_refutes_nothing():
    expected, page = Expected("mean", 0.06, 0.3), run(0.1, 0.3)
    assert verdict(expected, page, run(0.0, 0.0), 1000) == "stands"


def test_runs_are_put_together():
    values = np.random.default_rng(2).normal(size=50)
    expected = Expected("win", 0.1, 1)
    parts = [summarise(values[part], expected) for part in (slice(20), slice(20, 50))]
    assert asdict(pooled(*parts)) == pytest.approx(asdict(summarise(values, expected)))


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


def test_the_larger_deviation_and_the_smaller_run_count():
    p = chance(Expected("mean", 0, 1), run(0.5, 2.0, 30), run(2.0, 1.0, 100))
    assert p == pytest.approx(stats.t.sf(1 / 0.2, 29))


def test_the_other_way_is_counted():
    def other(values, *expected):
        return summarise(np.array(values, dtype=float), Expected(*expected)).other_way

    assert other([1, 2, -1, 0], "win", 0.1, 1) == 1
    assert other([-1, -2, 1, 1], "win", -1, -0.1) == 2
    assert other([1, 1, 0, 1], "share", 0.9, 1) == 1
    assert other([0, 0, 0, 1], "share", 0, 0.1) == 1
    assert other([1, -1], "mean", 0, 1) is other([1, -1], "level", -1, 1) is None


@pytest.mark.parametrize(
    ("expected", "page", "wrong"),
    [
        (Expected("mean", 0.6, 1.4), run(1.0), None),
        (Expected("mean", 0.8, 1.2), run(1.3), "the page's own seeds give 1.3, which is not between 0.8 and 1.2"),
        (Expected("mean", 0.4, 1.4), run(1.0), "0.4 to 1.4 is wider than the page's own seeds allow, 0.4523 to 1.548"),
        (Expected("mean", 0.6, 1.6), run(1.0), "0.6 to 1.6 is wider"),
        (Expected("mean", 1.0, 1.0), run(1.0, 1e-17), "every seed gives 1, so no seed could refute it"),
        (Expected("mean", 0.1, 1.0), run(0.6), None),
        (Expected("mean", 0.1, 1.0), run(0.5), "0.1 to 1 does not hold 0, from which 0.5 is 2.7 standard errors away"),
        (Expected("mean", -1.0, -0.1), run(-0.5), "-1 to -0.1 does not hold 0"),
        (Expected("win", 0.3, 0.8), run(0.56), None),
        (Expected("win", -0.8, -0.3), run(-0.56), None),
        (Expected("win", 0.1, 0.8), run(0.53), "nobody wins: 0.53 is 2.9 standard errors from 0"),
        (Expected("win", 0.0, 0.8), run(0.56), "nobody wins: 0 to 0.8 is not on one side of 0"),
        (Expected("win", -0.8, 0.0), run(-0.56), "nobody wins: -0.8 to 0 is not on one side of 0"),
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
@pytest.mark.parametrize("seeds", [10, 30])
def test_a_book_of_true_claims_is_seldom_refuted(law, seeds):
    """2000 books of 40 claims, each with the widest interval that its page may state, where the mean lies inside."""
    rng, numbers, books = np.random.default_rng(7), 40, 2000
    page, trial = LAWS[law](rng, (2, books, numbers, seeds))
    truth = LAWS[law](rng, 10**6).mean()
    error, mean = page.std(axis=-1, ddof=1) / np.sqrt(seeds), page.mean(axis=-1)
    apart = np.abs(trial.mean(axis=-1) - mean) > 3 * error  # what lies nearer is inside
    is_true = np.abs(mean - truth) <= 3 * error
    refuted = np.zeros((books, numbers), dtype=bool)
    for place in zip(*np.where(apart & is_true), strict=True):
        expected = Expected("mean", mean[place] - 3 * error[place], mean[place] + 3 * error[place])
        runs = [summarise(values[place], expected) for values in (page, trial)]
        refuted[place] = verdict(expected, *runs, numbers) == "refuted"
    assert is_true.mean() > 0.6
    alarms = int(refuted.any(axis=1).sum())
    assert stats.binom.sf(alarms - 1, books, ALARMS) > 1e-3, f"{alarms} of {books}"


def test_books_at_the_edge_of_their_intervals_are_refuted_one_time_in_a_hundred():
    """Of 2000 books of true claims, each tried five times, whose means lie at the ends of what the pages say."""
    rng, numbers, books = np.random.default_rng(1), 3, 4000
    trials = rng.normal(size=(books, numbers, 5, 10))
    expected, page = Expected("mean", 0, 2), run(1.0, 1e-3, 10)
    refuted = 0
    for book in trials:
        for number in book:
            runs = [summarise(values, expected) for values in number]
            together = list(accumulate(runs, pooled))
            if any(verdict(expected, page, one, numbers, k) == "refuted" for k, one in enumerate(together, 1)):
                refuted += 1
                break
    assert 0.2 * ALARMS < refuted / books <= ALARMS


@pytest.mark.parametrize(("truth", "shown"), [(3, 0.9), (0, 0.05), (-3, 0)])
def test_a_win_that_is_none_is_not_shown(truth, shown):
    """The page saw three standard errors. How many of 1000 trials show a win, by its true size in standard errors?"""
    rng, win, error = np.random.default_rng(5), Expected("win", 0.3, 0.8), 1 / np.sqrt(30)
    said = [verdict(win, run(3 * error), summarise(t, win), 300) for t in rng.normal(truth * error, 1, (1000, 30))]
    assert said.count("stands") / 1000 == pytest.approx(shown, abs=0.03)
    theirs = stats.nct.sf(stats.t.isf(ALARMS, 29), 29, -truth)  # how often the other side is shown to be ahead
    assert (said.count("reversed") + said.count("refuted")) / 1000 == pytest.approx(theirs, abs=0.03)


def test_a_level_is_none_where_page_and_trial_together_differ_from_0():
    expected = Expected("level", -0.1, 0.8)
    assert verdict(expected, run(0.35), run(0.35), 300) == "not level"  # each 1.9 standard errors from 0
    assert verdict(expected, run(0.35), run(0.1), 300) == "stands"


def test_one_true_level_in_a_hundred_is_not_level():
    rng, level = np.random.default_rng(5), Expected("level", -0.5, 0.5)
    said = [verdict(level, run(0.0), summarise(t, level), 300) for t in rng.normal(0, 1, (4000, 30))]
    assert said.count("not level") / 4000 == pytest.approx(ALARMS, abs=0.005)


POWERS = [  # seeds, how many deviations off, then per cent: noticed and refuted by one trial, by ten
    (30, 0.8, 16, 0, 97, 1),
    (30, 1, 51, 1, 100, 80),
    (30, 1.5, 100, 43, 100, 100),
    (10, 0.8, 0, 0, 0, 0),
    (10, 1.5, 20, 0, 100, 0),
    (10, 2.5, 96, 3, 100, 67),
]


@pytest.mark.parametrize(("seeds", "shift", "by_one", "refuted_by_one", "by_ten", "refuted_by_ten"), POWERS)
def test_what_trials_see(seeds, shift, by_one, refuted_by_one, by_ten, refuted_by_ten):
    """A mean that lies so many deviations off that of the page's seeds, which states the widest interval."""
    rng, numbers = np.random.default_rng(3), 1500
    expected = Expected("mean", -3 / np.sqrt(seeds), 3 / np.sqrt(seeds))
    for trials, noticed, refuted in ((1, by_one, refuted_by_one), (10, by_ten, refuted_by_ten)):
        found = [summarise(values, expected) for values in rng.normal(shift, 1, (500, seeds * trials))]
        said = [verdict(expected, run(0.0, 1e-3, seeds), one, numbers, trials) for one in found]
        level = ALARMS / numbers / trials / (trials + 1)
        for share, p, percent in (
            (1 - said.count("stands") / 500, ALARMS, noticed),
            (said.count("refuted") / 500, level, refuted),
        ):
            off = (shift - expected.high) * np.sqrt(seeds * trials)
            power = stats.nct.sf(stats.t.isf(p, seeds - 1), seeds * trials - 1, off)
            assert share == pytest.approx(power, abs=0.05)
            assert 100 * power == pytest.approx(percent, abs=1)


def test_the_page_of_claims_has_these_powers():
    text = (BOOK / "claims.md").read_text(encoding="utf-8")
    for seeds, shift, noticed, refuted, noticed_by_ten, refuted_by_ten in POWERS:
        assert f"| {seeds} | {shift} | {noticed} ({refuted}) | {noticed_by_ten} ({refuted_by_ten}) |" in text
