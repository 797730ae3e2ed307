"""Try the book's claims on new seeds: `make claims`, or `make claims NAME=krr SEEDS=100 FROM=5000`.

Prints a line for each number of each claim, and stores the last trial of each claim in book/claims.json, beside what
the page's own seeds give. By default the seeds depend on the date, so nobody has chosen them. With SEEDS both runs take
so many seeds, for a closer look, and nothing is stored.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import asdict
from datetime import date
from multiprocessing import get_context

import numpy as np
from joblib import cpu_count

from tools.bookbuild import executed
from tools.bookbuild.notebooks import BOOK, find
from tools.claims.claims import claims_of, values_of
from tools.claims.verdicts import Run, fault, summarise, verdict

FILE = BOOK / "claims.json"
LISTED = "to be mended"  # the key under which it is written why a refuted claim still stands on its page
FIRST_NEW = 1000  # smaller seeds are for pages


def seeds_of_today():
    """The first of a thousand seeds that belong to this day alone."""
    return FIRST_NEW * (date.today() - date(2026, 1, 1)).days


def all_claims():
    return [claim for path in find(BOOK) for claim in claims_of(path)]


def stored():
    """What is stored of each claim, by name."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def runs(claim, seeds):
    """A Run for each number of the claim, by name, and the seconds that a seed took."""
    found, seconds = values_and_seconds(claim, seeds)
    return {name: summarise(found[name], expected) for name, expected in claim.expects.items()}, seconds


def values_and_seconds(claim, seeds):
    begin = time.monotonic()
    with redirect_stdout(sys.stderr):
        return values_of(claim, seeds), (time.monotonic() - begin) / len(seeds)


def tried(claim, first, count, before):
    """What is to be stored of a claim after a trial on `count` seeds from `first` on.

    `before` is what was stored. The page's own seeds are run again if code, library or number of seeds have changed.
    """
    (values, seconds), marks = values_and_seconds(claim, range(first, first + count)), claim.marks
    fresh = any(before.get(part) != mark for part, mark in marks.items())
    if fresh or count != claim.seeds:
        own = values_of(claim, range(count))
        if all(np.array_equal(own[name], values[name]) for name in own) and any(np.ptp(own[name]) for name in own):
            raise ValueError(f"{claim.page}, {claim.name}: other seeds give the same values, so it ignores its seed.")
        page = {name: summarise(own[name], expected) for name, expected in claim.expects.items()}
    else:
        page = {name: Run(**one["page"]) for name, one in before["numbers"].items()}
    trial = {name: summarise(values[name], expected) for name, expected in claim.expects.items()}
    numbers = {name: {"page": rounded(page[name]), "trial": rounded(trial[name])} for name in trial}
    entry = {"page": claim.page, **marks, "from": first, "on": f"{date.today()}"}
    entry |= {"seconds": float(f"{seconds:.2g}"), "numbers": numbers}
    return entry | {LISTED: before[LISTED]} if LISTED in before else entry


def rounded(run):
    return {name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in asdict(run).items()}


def how_many(entries):
    """How many numbers all trials have."""
    return sum(len(entry["numbers"]) for entry in entries.values())


def verdicts(claim, entry, numbers):
    """The verdict on each number of the claim, by name; `numbers` is how many the book has."""
    return {
        name: verdict(claim.expects[name], Run(**found["page"]), Run(**found["trial"]), numbers)
        for name, found in entry["numbers"].items()
        if name in claim.expects
    }


def lines(claim, entry, numbers):
    """For each number of a claim the verdict, what is said and what was found, and any fault of the interval."""
    for name, said in verdicts(claim, entry, numbers).items():
        expected, trial = claim.expects[name], Run(**entry["numbers"][name]["trial"])
        found = f"{trial.mean:.4g} ± {trial.error:.2g}"
        found += f", the other way in {trial.other_way} of {trial.seeds}" * (expected.kind in ("win", "share"))
        interval = f"{expected.kind} {expected.low:g} to {expected.high:g}"
        yield f"{said:8}  {claim.page}, {claim.name}, {name}: {interval}; found {found}"
        if wrong := fault(expected, Run(**entry["numbers"][name]["page"])):
            yield f"          but {wrong}"


def main():
    parser = argparse.ArgumentParser(prog="make claims", description=__doc__)
    parser.add_argument("--name", default="", help="a part of the name of a page or a claim")
    parser.add_argument("--seeds", type=int, help="by default as many as the page has")
    parser.add_argument("--from", dest="first", type=int, default=seeds_of_today(), help="the first seed")
    options = parser.parse_args()
    if options.first < FIRST_NEW:
        raise SystemExit(f"FROM={options.first}: seeds below {FIRST_NEW} are for pages; a trial needs others.")
    executed.set_environment()
    claims, entries = all_claims(), stored()
    chosen = [claim for claim in claims if options.name in claim.name or options.name in claim.page]
    if not chosen:
        raise SystemExit(f"No page and no claim has {options.name!r} in its name.")
    numbers = sum(len(claim.expects) for claim in claims)
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        trials = [
            pool.submit(tried, claim, options.first, options.seeds or claim.seeds, entries.get(claim.name, {}))
            for claim in chosen
        ]
        for claim, trial in zip(chosen, trials, strict=True):
            entries[claim.name] = trial.result()
            print("\n".join(lines(claim, entries[claim.name], numbers)), flush=True)
    if not options.seeds:
        names = {claim.name for claim in claims}
        kept = {name: entries[name] for name in sorted(entries) if name in names}
        FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    fallen = [one.name for one in chosen if "refuted" in verdicts(one, entries[one.name], numbers).values()]
    if unlisted := [name for name in fallen if LISTED not in entries[name]]:
        raise SystemExit(f"Refuted, and not listed as to be mended: {', '.join(unlisted)}.")


if __name__ == "__main__":
    main()
