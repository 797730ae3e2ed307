"""Every claim of the book says what it expects, has been tried, and is not refuted without a word."""

from dataclasses import replace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.marks import thorough
from tools.bookbuild.notebooks import BOOK, find
from tools.claims import trials
from tools.claims.claims import claim_in, claims_of, values_of
from tools.claims.verdicts import Expected, Run, fault, verdict

CLAIMS = {claim.name: claim for claim in trials.all_claims()}
STORED = trials.stored()
NUMBERS = sum(len(claim.expects) for claim in CLAIMS.values())
RELEASE_SEEDS = 20_000_000  # the first of the seeds that tests use; another number with each release
PATIENCE = 180  # seconds that a test may spend on trials


def test_the_book_has_claims():
    assert len(CLAIMS) > 3
    assert sum(len(claims_of(path)) for path in find(BOOK)) == len(CLAIMS), "two claims have one name"
    assert STORED.keys() == CLAIMS.keys(), "run `make claims`"


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_has_been_tried_and_its_interval_is_fair(name):
    claim, entry = CLAIMS[name], STORED[name]
    assert entry["code"] == claim.marks["code"], f"run `make claims NAME={name}`"
    assert entry["numbers"].keys() == claim.expects.keys(), f"run `make claims NAME={name}`"
    for number, expected in claim.expects.items():
        page, trial = (Run(**entry["numbers"][number][run]) for run in ("page", "trial"))
        assert fault(expected, page) is None, number
        assert entry["numbers"][number]["verdict"] == verdict(expected, page, trial, NUMBERS), number


def test_what_is_refuted_is_listed_with_a_reason():
    refuted = [name for name, entry in STORED.items() if trials.refuted(entry)]
    assert refuted == [name for name, entry in STORED.items() if entry.get(trials.LISTED)]


@thorough
def test_a_change_of_the_library_refutes_no_claim():
    """Those claims that reach what has changed are tried, the quickest first, as many as there is time for."""
    concerned = [claim for name, claim in CLAIMS.items() if STORED[name]["library"] != claim.marks["library"]]
    spent = 0
    for claim in sorted(concerned, key=lambda claim: STORED[claim.name]["seconds"] * claim.seeds):
        spent += STORED[claim.name]["seconds"] * claim.seeds
        if spent > PATIENCE:
            break
        found, _ = trials.runs(claim, range(RELEASE_SEEDS, RELEASE_SEEDS + claim.seeds))
        for number, expected in claim.expects.items():
            page = Run(**STORED[claim.name]["numbers"][number]["page"])
            assert verdict(expected, page, found[number], NUMBERS) != "refuted", f"{claim.name}, {number}"


def cell(source, **said):
    return new_code_cell(source, id="a-claim", metadata={"tags": ["claim"], "kernelbook": {"claim": said}})


FUNCTION = "def a_claim(seed):\n    return {'even': seed % 2 == 0, 'twice': scale * seed}"
EXPECTS = {"even": {"share": [0, 1]}, "twice": {"mean": [0, 5]}}


def read(last):
    notebook = new_notebook(cells=[new_code_cell("scale = 2\nother = undefined"), last])
    return claim_in(notebook, notebook.cells[-1], "page")


def test_a_claim_is_read_and_run():
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=4))
    assert (claim.name, claim.page, claim.seeds) == ("a-claim", "page", 4)
    assert claim.expects == {"even": Expected("share", 0, 1), "twice": Expected("mean", 0, 5)}
    assert "undefined" not in claim.code
    values = values_of(claim.code, claim.function, range(4))
    assert {name: list(found) for name, found in values.items()} == {"even": [1, 0, 1, 0], "twice": [0, 2, 4, 6]}


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (cell(FUNCTION, says="It happens."), "says, expects and perhaps seeds"),
        (cell(FUNCTION, says="It happens.", expects=EXPECTS, draws=3), "says, expects and perhaps seeds"),
        (cell("x = 1", says="It happens.", expects=EXPECTS), r"must define a_claim\(seed\)"),
        (cell(FUNCTION, says="It happens.", expects={"even": {"median": [0, 1]}}), "mean, win, level, share"),
        (cell(FUNCTION, says="It happens.", expects={"even": {"share": [0.5, 1.5]}}), "no interval of a share"),
        (cell(FUNCTION, says="It happens.", expects={"twice": {"mean": [2, 1]}}), "no interval of a mean"),
    ],
)
def test_a_bad_claim_is_named(last, message):
    with pytest.raises(ValueError, match=f"page, cell a-claim.*{message}"):
        read(last)


def test_a_trial_keeps_the_page_s_run_until_code_or_library_change(monkeypatch):
    claim = read(cell(FUNCTION, says="It happens.", expects=EXPECTS, seeds=4))
    asked = []
    monkeypatch.setattr(
        trials, "values_of", lambda code, name, seeds: asked.append(seeds) or values_of(code, name, seeds)
    )
    first = trials.tried(claim, range(100, 104), {}, 2)
    assert asked == [range(100, 104), range(4)]
    assert first["numbers"]["twice"]["page"]["mean"] == 3
    assert first["numbers"]["twice"]["verdict"] == "refuted"
    again = trials.tried(claim, range(8, 12), {**first, trials.LISTED: "later"}, 2)
    assert asked[2:] == [range(8, 12)]
    assert again["numbers"]["twice"]["page"] == first["numbers"]["twice"]["page"]
    assert again[trials.LISTED] == "later"
    assert (trials.refuted(first), trials.refuted(again)) == (True, False)
    trials.tried(replace(claim, code=claim.code + "\n"), range(8, 12), first, 2)
    assert asked[3:] == [range(8, 12), range(4)]


def test_a_claim_must_return_what_is_expected():
    claim = read(cell(FUNCTION, says="It happens.", expects={"even": {"share": [0, 1]}}))
    with pytest.raises(ValueError, match=r"returns \['even', 'twice'\]; its metadata expect \['even'\]"):
        trials.runs(claim, range(3))


def test_notebooks_keep_the_metadata_of_claims():
    assert all(
        one.metadata["kernelbook"]["claim"]["says"].endswith(".")
        for path in find(BOOK)
        for one in nbformat.read(path, as_version=4).cells
        if "claim" in one.metadata.get("tags", [])
    )
