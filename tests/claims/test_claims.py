"""Every claim of the book says what it expects, has been tried, and has not fallen without a word."""

import json
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import date, timedelta
from itertools import accumulate

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.marks import thorough
from tools.bookbuild.notebooks import BOOK, find
from tools.claims import trials
from tools.claims.claims import claim_in, claims_of, values_of, without_comments
from tools.claims.verdicts import FALLEN, Expected, Run, fault, summarise, verdict
from tools.site.claims_picture import distances

CLAIMS = {claim.name: claim for claim in trials.all_claims()}
STORED = trials.stored()
NUMBERS = sum(len(claim.expects) for claim in CLAIMS.values())
RELEASE_SEEDS = 20_000_000  # the first of the seeds that tests use; another number with each release
PATIENCE = 180  # seconds that a test may spend on trials


def test_the_book_has_claims():
    assert len(CLAIMS) > 3
    assert sum(len(claims_of(path)) for path in find(BOOK)) == len(CLAIMS), "two claims have one name"
    assert STORED.keys() == CLAIMS.keys(), "run `make claims`: some claims were never tried, or are no more"


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_has_been_tried_and_its_interval_is_fair(name):
    claim, entry = CLAIMS[name], STORED.get(name)
    assert trials.is_current(claim, entry), f"run `make claims NAME={name}`"
    for number, expected in claim.expects.items():
        page, trial = (Run(**entry["numbers"][number][run]) for run in ("page", "trial"))
        assert (page.seeds, trial.seeds) == (claim.seeds, entry["trials"] * claim.seeds), number
        assert fault(expected, page) is None, number


@pytest.mark.parametrize("name", CLAIMS)
def test_the_page_prints_what_its_seeds_give(name):
    """So the code that a trial takes from the page is the page's. A number may be shown in a figure alone."""
    claim = CLAIMS[name]
    cells = nbformat.read(BOOK / f"{claim.page}.ipynb", as_version=4).cells
    printed = "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", [])).splitlines()
    for number, expected in claim.expects.items():
        run = Run(**STORED[name]["numbers"][number]["page"])
        lines = [line.removeprefix(number).strip() for line in printed if line.startswith(f"{number}  ")]
        assert not lines or any(shows(line, run, expected) for line in lines), number


def shows(line, run, expected):
    if expected.kind == "share":
        return line.startswith(f"in {run.count} of {run.seeds}")
    found = re.match(r"(-?\d+\.?(\d*)) ± ", line)  # another table may have a row of this name
    return found is not None and abs(float(found[1]) - run.mean) <= 0.51 * 10 ** -len(found[2])


def test_what_has_fallen_is_listed_with_a_reason():
    tried = {name: entry for name, entry in STORED.items() if name in CLAIMS}
    assert not [name for name, entry in tried.items() if trials.has_fallen(CLAIMS[name], entry, NUMBERS)]
    listed = {name: entry for name, entry in tried.items() if trials.LISTED in entry}
    for name, entry in listed.items():
        alone = {key: value for key, value in entry.items() if key != trials.LISTED}
        assert trials.has_fallen(CLAIMS[name], alone, NUMBERS)


def test_trials_took_seeds_that_no_page_has():
    assert all(min(entry["from"]) >= trials.FIRST_NEW for entry in STORED.values())
    assert all(len({*entry["from"]}) == entry["trials"] for entry in STORED.values())


@thorough
def test_a_change_of_the_library_refutes_no_claim():
    """A single trial on one set of seeds may miss a win or doubt a level by chance, so these are left to `make claims`.

    Those claims that reach what has changed are tried, the quickest first, as many as there is time for."""
    listed = {name for name, entry in STORED.items() if trials.LISTED in entry}
    concerned = [one for name, one in CLAIMS.items() if trials.is_current(one, STORED.get(name))]
    concerned = [one for one in concerned if STORED[one.name]["library"] != one.marks["library"]]
    concerned = sorted((one for one in concerned if one.name not in listed), key=cost)
    affordable = [
        one for one, spent in zip(concerned, accumulate(map(cost, concerned)), strict=True) if spent < PATIENCE
    ]
    for claim in affordable:
        found = trials.summaries(claim, values_of(claim, range(RELEASE_SEEDS, RELEASE_SEEDS + claim.seeds)))
        for number, expected in claim.expects.items():
            page = Run(**STORED[claim.name]["numbers"][number]["page"])
            said = verdict(expected, page, found[number], NUMBERS)
            assert said not in ("refuted", "reversed"), f"{claim.name}, {number}"
    if left := [one.name for one in concerned[len(affordable) :]]:
        warnings.warn(f"left to the night, for lack of time: {', '.join(left)}", stacklevel=1)


def cost(claim):
    return STORED[claim.name]["seconds"] * claim.seeds


def cell(source, **said):
    return new_code_cell(source, id="a-claim", metadata={"tags": ["claim"], "kernelbook": {"claim": said}})


FUNCTION = "def a_claim(seed):\n    return {'even': seed % 2 == 0, 'twice': scale * seed}"
SHARE, MEAN = {"share": [0, 1]}, {"mean": [0, 15]}
EXPECTS = {"even": SHARE, "twice": MEAN}


def read(last):
    notebook = new_notebook(cells=[new_code_cell("scale = 2\nother = undefined"), last])
    return claim_in(notebook, notebook.cells[-1], "page")


def test_a_claim_is_read_and_run():
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    assert (claim.name, claim.page, claim.seeds) == ("a-claim", "page", 16)
    assert claim.expects == {"even": Expected("share", 0, 1), "twice": Expected("mean", 0, 15)}
    assert "undefined" not in claim.code
    values = values_of(claim, range(4))
    assert {name: list(found) for name, found in values.items()} == {"even": [1, 0, 1, 0], "twice": [0, 2, 4, 6]}


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (cell(FUNCTION, says="It happens."), "says, expects and perhaps seeds"),
        (cell(FUNCTION, says="It happens.", expects=EXPECTS, draws=3), "says, expects and perhaps seeds"),
        (
            cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=14),
            "14 seeds can refute nothing; take 15 at least",
        ),
        (cell(FUNCTION, says="It happens.", expects={"twice": MEAN}, seeds=9), "9 seeds can refute nothing; take 10"),
        (cell("x = 1", says="It happens.", expects=EXPECTS), r"must define a_claim\(seed\)"),
        (cell(FUNCTION, says="It happens.", expects={"even": {"median": [0, 1]}}), "mean, win, level, share"),
        (cell(FUNCTION, says="It happens.", expects={"even": {"share": [0.5, 1.5]}}), "no interval of a share"),
        (cell(FUNCTION, says="It happens.", expects={"twice": {"mean": [2, 1]}}), "no interval of a mean"),
    ],
)
def test_a_bad_claim_is_named(last, message):
    with pytest.raises(ValueError, match=f"page, cell a-claim.*{message}"):
        read(last)


@pytest.mark.parametrize(
    ("returns", "expects", "message"),
    [
        ("{'even': True, 'twice': 2.0}", SHARE, r"returns \['even', 'twice'\], and \['even'\] are expected"),
        ("{'even': 0.5}", SHARE, "even: a share needs bools, and nothing else may"),
        ("{'even': True}", MEAN, "even: a share needs bools, and nothing else may"),
        ("{'even': 1 / seed if seed else float('inf')}", MEAN, "even: some values are not finite"),
        ("{'even': float('nan')}", MEAN, "even: some values are not finite"),
    ],
)
def test_what_a_claim_returns_is_checked(returns, expects, message):
    claim = read(cell(f"def a_claim(seed):\n    return {returns}", says="It happens.", expects={"even": expects}))
    with pytest.raises(ValueError, match=f"page, a-claim.*{message}"):
        values_of(claim, range(3))


def test_a_trial_is_added_to_those_before_it_until_code_or_library_change(monkeypatch):
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    asked = []
    monkeypatch.setattr(trials, "values_of", lambda claim, seeds: asked.append(seeds) or values_of(claim, seeds))
    first = trials.tried(claim, 1000, 16, {})
    assert asked == [range(1000, 1016), range(16)]
    assert first["numbers"]["twice"]["page"]["mean"] == 15
    assert trials.verdicts(claim, first, 2) == {"even": "stands", "twice": "refuted"}
    again = trials.tried(claim, 8, 16, {**first, trials.LISTED: "later"})
    assert asked[2:] == [range(8, 24)]
    assert again["numbers"]["twice"]["page"] == first["numbers"]["twice"]["page"]
    assert (again["trials"], again[trials.LISTED]) == (2, "later")
    both = values_of(claim, [*range(1000, 1016), *range(8, 24)])
    for name, values in both.items():
        assert again["numbers"][name]["trial"] == pytest.approx(asdict(summarise(values, claim.expects[name])))
    assert trials.tried(claim, 8, 16, again) | {"seconds": 0} == again | {"seconds": 0}  # on the same day
    third = trials.tried(claim, 40, 16, again)
    assert (third["trials"], third["from"]) == (3, [1000, 8, 40])
    assert trials.tried(claim, 8, 16, third) | {"seconds": 0} == third | {"seconds": 0}  # whichever seeds come again
    asked.clear()
    for before in ({**first, "library": "another"}, {**first, "code": "another"}):
        assert trials.tried(claim, 8, 16, before)["trials"] == 1
    assert trials.tried(claim, 8, 20, first)["trials"] == 1  # as many seeds on both sides
    assert asked == [*[range(8, 24), range(16)] * 2, range(8, 28), range(20)]


@pytest.mark.parametrize("value", ["len(calls) % 16 * 1.0", "(7 * seed + 3) % 16 * 1.0"])
def test_a_number_that_ignores_its_seed_or_repeats_is_found(value):
    code = f"calls = [0]\ndef a_claim(seed):\n    calls.append(0)\n    return {{'x': seed * 1.0, 'y': {value}}}"
    claim = read(cell(code, says="It happens.", expects={"x": MEAN, "y": MEAN}, seeds=16))
    with pytest.raises(ValueError, match="page, a-claim, y: other seeds give the same values"):
        trials.tried(claim, 1000, 16, {})


def test_other_days_and_other_claims_have_other_seeds(monkeypatch):
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    first = claim.new_seeds
    assert first >= trials.FIRST_NEW
    assert replace(claim, code=f"{claim.code}\nscale = 3").new_seeds != first
    assert replace(claim, says="It seldom happens.").new_seeds == first  # or words would be changed until it stands
    monkeypatch.setattr("tools.claims.claims.date", Later)
    assert claim.new_seeds == first + 2 * 10**6 > first + int("fffff", 16) + 300  # the trials of two days share no seed
    monkeypatch.setattr(Later, "days", 3000)
    assert claim.new_seeds < 2**32 - 300


class Later(date):
    days = 1

    @classmethod
    def today(cls):
        return date.today() + timedelta(days=cls.days)


@pytest.fixture
def book(monkeypatch, tmp_path, capsys):
    """Runs `make claims` on a book of one claim, without processes, and returns what is stored."""
    said = {"even": {"share": [0.2, 0.8]}, "twice": {"mean": [11, 19]}}
    claim = read(cell(FUNCTION, says="It happens.", expects=said, seeds=16))
    monkeypatch.setattr(trials, "FILE", tmp_path / "claims.json")
    monkeypatch.setattr(trials, "all_claims", lambda: [claim])
    monkeypatch.setattr(trials, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    monkeypatch.setattr(trials.executed, "set_environment", lambda: None)

    def run(*options):
        monkeypatch.setattr("sys.argv", ["make claims", *options])
        try:
            trials.main()
        finally:
            run.printed = capsys.readouterr().out
        return trials.stored()

    return run


def test_a_refuted_claim_ends_in_failure_unless_it_is_listed(book):
    with pytest.raises(SystemExit, match="Fallen, and not listed as to be mended: a-claim"):
        book()
    assert "stands     page, a-claim, even: share 0.2 to 0.8; found 0.5" in book.printed
    assert "refuted    page, a-claim, twice: mean 11 to 19; found" in book.printed
    stored = trials.stored()
    stored["a-claim"][trials.LISTED] = "later"
    trials.FILE.write_text(json.dumps(stored))
    assert book()["a-claim"][trials.LISTED] == "later"
    book("--from", "1000")


@pytest.mark.parametrize("doubt", ["not level", "not shown"])
def test_what_chance_brings_about_every_night_is_named_and_is_no_failure(book, monkeypatch, doubt):
    monkeypatch.setattr(trials, "verdicts", lambda *_: {"even": doubt, "twice": "stands"})
    assert "a-claim" in book()
    assert "to be mended where this is stored: a-claim." in book.printed


def test_code_that_changes_what_the_page_s_seeds_give_ends_in_failure(book, monkeypatch):
    with pytest.raises(SystemExit):
        book()
    claim = trials.all_claims()[0]
    monkeypatch.setattr(trials, "all_claims", lambda: [replace(claim, code=f"{claim.code}\nscale = 7")])
    entries = trials.stored()
    entries["a-claim"] |= {trials.LISTED: "later"}
    trials.FILE.write_text(json.dumps(entries))
    with pytest.raises(
        SystemExit, match=r"a-claim, twice: the page's own seeds give 52.5, which is not between 11 and 19"
    ):
        book()


@pytest.mark.parametrize("options", [["--from", "1000"], ["--seeds", "40"]])
def test_a_closer_look_is_not_stored(book, options):
    with pytest.raises(SystemExit, match="Fallen"):
        book(*options)
    assert trials.stored() == {}
    assert "page, a-claim, twice" in book.printed


def test_a_claim_that_fails_is_named_and_the_others_are_stored(book, monkeypatch):
    broken = read(cell("def a_claim(seed):\n    return 1 / 0", says="It happens.", expects=EXPECTS))
    claims = [replace(broken, name="broken"), *trials.all_claims()]
    monkeypatch.setattr(trials, "all_claims", lambda: claims)
    with pytest.raises(SystemExit, match=r"page, broken: (?s:.*)Fallen"):
        book()
    assert trials.stored().keys() == {"a-claim"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from", "7"], "FROM=7: seeds below 1000"),
        (["--seeds", "0"], "SEEDS=0: so few"),
        (["--name", "none"], "has 'none' in its name"),
    ],
)
def test_what_cannot_be_tried_is_said(book, options, message):
    with pytest.raises(SystemExit, match=message):
        book(*options)


COMMENTED = """\
# Why.
scale = 2  # a number


def a_claim(seed):

    words = '''# no comment

end'''
    return {  # both
        # a comment alone
        'even': seed % 2 == 0, 'twice': scale * seed, 'words': len(f"{words} # none")
    }
# The end."""
PLAIN = """\
scale = 2
def a_claim(seed):
    words = '''# no comment

end'''
    return {
        'even': seed % 2 == 0, 'twice': scale * seed, 'words': len(f"{words} # none")
    }"""


def test_comments_and_blank_lines_change_neither_mark_nor_seeds():
    assert without_comments(COMMENTED) == without_comments(PLAIN) == PLAIN
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    first, commented = replace(claim, code=PLAIN), replace(claim, code=COMMENTED)
    assert (first.marks, first.new_seeds) == (commented.marks, commented.new_seeds)
    assert replace(claim, code=PLAIN.replace("# no comment", "#")).marks["code"] != first.marks["code"]


def test_other_words_and_intervals_keep_the_trials_and_the_verdict_is_taken_anew():
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    entry = trials.tried(claim, 24, 16, trials.tried(claim, 1000, 16, {}))
    assert trials.verdicts(claim, entry, 2)["twice"] == "refuted"
    said = {"even": SHARE, "twice": {"mean": [0, 2000]}}
    wider = read(cell(FUNCTION, says="It is otherwise.", expects=said, seeds=16))
    assert trials.is_current(wider, entry)
    assert trials.verdicts(wider, entry, 2)["twice"] == "stands"
    again = trials.tried(wider, 48, 16, entry)
    assert (again["trials"], again["from"]) == (3, [1000, 24, 48])
    for other in (replace(wider, seeds=20), replace(wider, code=f"{wider.code}\nscale = 3")):
        assert not trials.is_current(other, entry)


def test_a_difference_that_becomes_a_win_has_no_count_of_the_other_way():
    difference, win = (
        read(cell(FUNCTION, says="It happens.", expects={"even": SHARE, "twice": {kind: [1, 15]}}, seeds=16))
        for kind in ("level", "win")
    )
    entry = trials.tried(win, 24, 16, trials.tried(difference, 8, 16, {}))
    assert entry["numbers"]["even"]["trial"]["other_way"] == 16
    assert entry["numbers"]["twice"]["trial"]["other_way"] is None
    assert not any("twice" in line and "other way" in line for line in trials.lines(win, entry, 2))


def test_the_levels_count_all_numbers_and_all_trials_of_the_claim():
    """t = 3.2 on 29 degrees of freedom: p = 0.0017 lies between α / 2 and α / 12, and above α / 2 if N is 6."""
    claim = read(cell(FUNCTION, says="It happens.", expects={"twice": {"mean": [-1, 0]}}))
    numbers = {"twice": {"page": asdict(Run(-0.5, 1.0, None, 30)), "trial": asdict(Run(3.2 / 30**0.5, 1.0, None, 30))}}
    entries = {str(k): {"numbers": numbers, "trials": k} for k in (1, 3)}
    assert trials.how_many(entries) == 2
    assert trials.how_many(STORED) == NUMBERS
    said = {k: trials.verdicts(claim, entry, 1)["twice"] for k, entry in entries.items()}
    assert said == {"1": "refuted", "3": "weaker"}
    assert trials.verdicts(claim, entries["1"], 6)["twice"] == "weaker"


def test_a_part_of_the_claims_is_judged_as_a_part_of_all(book, monkeypatch):
    claim = trials.all_claims()[0]
    asked = []
    monkeypatch.setattr(trials, "all_claims", lambda: [claim, replace(claim, name="another")])
    monkeypatch.setattr(trials, "verdict", lambda *given: asked.append(given[3]) or verdict(*given))
    with pytest.raises(SystemExit, match="Fallen"):
        book("--name", "a-claim")
    assert {*asked} == {4}


@pytest.mark.parametrize("said", FALLEN)
def test_each_way_to_fall_must_be_mended_where_it_is_stored(monkeypatch, said):
    monkeypatch.setattr(trials, "verdicts", lambda *_: {"even": said, "twice": "stands"})
    assert trials.has_fallen(None, {}, 2)
    assert not trials.has_fallen(None, {trials.LISTED: "later"}, 2)


def test_a_reversed_win_ends_in_failure(book, monkeypatch):
    monkeypatch.setattr(trials, "verdict", lambda *_: "reversed")
    with pytest.raises(SystemExit, match="Fallen, and not listed as to be mended: a-claim"):
        book()


def test_a_claim_tried_before_a_change_of_the_library_is_found():
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=16))
    entry = trials.tried(claim, 1000, 16, {})
    assert not trials.is_older_than_library(claim, entry)
    assert trials.is_older_than_library(claim, {**entry, "library": "another"})
    assert trials.is_current(claim, {**entry, "library": "another"})


def test_claims_say_something_in_sentences():
    assert all(claim.says.endswith((".", ".)")) for claim in CLAIMS.values())


def test_the_picture_of_all_claims_shows_how_far_new_seeds_fall():
    def entry(page, trial):
        runs = [dict(zip(("mean", "deviation", "other_way", "seeds"), run, strict=True)) for run in (page, trial)]
        return {"numbers": {"n": dict(zip(("page", "trial"), runs, strict=True))}}

    moved = entry((1.0, 3.0, None, 25), (3.0, 4.0, None, 25))  # standard errors .6 and .8: two apart
    assert distances([moved, entry((1.0, 0.0, None, 25), (1.0, 0.0, None, 25))]) == pytest.approx([2.0])
