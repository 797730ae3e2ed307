"""Try the book's claims on new seeds: `make claims`, or `make claims NAME=krr SEEDS=100 FROM=5000`.

Prints a line for each number of each claim, and stores what the trials of each claim have given in book/claims.json,
beside what the page's own seeds give. The seeds depend on the date and on the claim's code, so nobody has chosen them.
Trials of several days are put together until the claim's code or the library changes. With SEEDS, for a closer look,
both runs take so many seeds; with FROM the trial begins at this seed. Then nothing is stored.

The exit code is 1 if a number is refuted or reversed. One true level in a hundred is not level by chance, and one win
in ten may not be shown. They are named at the end; once they are stored, the tests ask for a mend.
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
from tools.claims.claims import FEWEST, claims_of, values_of
from tools.claims.verdicts import ALARMING, FALLEN, Run, fault, pooled, summarise, verdict

FILE = BOOK / "claims.json"
LISTED = "to be mended"  # the key under which it is written why a claim that has fallen is still on its page
FIRST_NEW = 1000  # smaller seeds are for pages


def all_claims():
    return [claim for path in find(BOOK) for claim in claims_of(path)]


def stored():
    """What is stored of each claim, by name."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def values_and_seconds(claim, seeds):
    """What each number is at each seed, by name, and the seconds that a seed took."""
    begin = time.monotonic()
    with redirect_stdout(sys.stderr):
        return values_of(claim, seeds), (time.monotonic() - begin) / len(seeds)


def summaries(claim, values):
    return {name: summarise(found, claim.expects[name]) for name, found in values.items()}


def tried(claim, first, count, before, is_stored=True):
    """What is to be stored of a claim after a trial on `count` seeds from `first` on.

    `before` is what was stored. Where code, library and number of seeds are as they were, the trial is added to those
    before it, and the page's own seeds are not run again. New words or intervals change nothing of that. A trial that
    is not stored stands alone.
    """
    again = is_stored and count == claim.seeds and all(before.get(part) == mark for part, mark in claim.marks.items())
    values, seconds = values_and_seconds(claim, range(first, first + count))
    found, trials, starts = summaries(claim, values), 1, [first]
    if again:
        page = {name: Run(**one["page"]) for name, one in before["numbers"].items()}
        earlier = {name: Run(**one["trial"]) for name, one in before["numbers"].items()}
        trials, starts = before["trials"], before["from"]
        if first in starts:  # this trial is among them
            found = earlier
        else:
            trials, starts = trials + 1, [*starts, first]
            found = {name: pooled(earlier[name], found[name]) for name in found}
    else:
        own = values_of(claim, range(count))
        check_seeds_matter(claim, own, values)
        page = summaries(claim, own)
    numbers = {name: {"page": rounded(page[name]), "trial": rounded(run)} for name, run in found.items()}
    entry = {"page": claim.page, **claim.marks, "trials": trials, "from": starts, "on": f"{date.today()}"}
    entry |= {"seconds": float(f"{seconds:.2g}"), "numbers": numbers}
    return entry | {LISTED: before[LISTED]} if LISTED in before else entry


def check_seeds_matter(claim, own, values):
    """Raise ValueError if a number is the same on other seeds; one that has few values may be so by chance."""
    for name in own:
        if np.array_equal(np.sort(own[name]), np.sort(values[name])) and len(np.unique(own[name])) > len(own[name]) / 2:
            raise ValueError(f"{claim.page}, {claim.name}, {name}: other seeds give the same values.")


def rounded(run):
    return {name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in asdict(run).items()}


def how_many(entries):
    """How many numbers all trials have."""
    return sum(len(entry["numbers"]) for entry in entries.values())


def verdicts(claim, entry, numbers):
    """The verdict on each number of the claim, by name; `numbers` is how many the book has."""
    return {
        name: verdict(claim.expects[name], Run(**found["page"]), Run(**found["trial"]), numbers, entry["trials"])
        for name, found in entry["numbers"].items()
    }


def is_current(claim, entry):
    """Whether what is stored of a claim is about the experiment as it now stands."""
    return entry is not None and entry["code"] == claim.marks["code"]


def is_older_than_library(claim, entry):
    """Whether the part of the library that the claim reaches has changed since the claim was tried."""
    return entry["library"] != claim.marks["library"]


def has_fallen(claim, entry, numbers, kinds=FALLEN):
    """Whether a number of the claim has one of the verdicts that the page must not leave as they are."""
    return LISTED not in entry and not {*kinds}.isdisjoint(verdicts(claim, entry, numbers).values())


def lines(claim, entry, numbers):
    """For each number of a claim the verdict, what is said and what was found."""
    for name, said in verdicts(claim, entry, numbers).items():
        expected, trial = claim.expects[name], Run(**entry["numbers"][name]["trial"])
        found = f"{trial}"
        counted = expected.kind in ("win", "share") and trial.other_way is not None
        found += f", the other way in {trial.other_way} of {trial.seeds}" * counted
        interval = f"{expected.kind} {expected.low:g} to {expected.high:g}"
        yield f"{said:9}  {claim.page}, {claim.name}, {name}: {interval}; found {found}"


def faults(claim, entry):
    """What the page's own seeds say against the intervals, a line each: the library may have changed what they give."""
    for name, expected in claim.expects.items():
        if wrong := fault(expected, Run(**entry["numbers"][name]["page"])):
            yield f"{claim.page}, {claim.name}, {name}: {wrong}."


def main():
    parser = argparse.ArgumentParser(prog="make claims", description=__doc__)
    parser.add_argument("--name", default="", help="a part of the name of a page or a claim")
    parser.add_argument("--seeds", type=int, help="by default as many as the page has")
    parser.add_argument("--from", dest="first", type=int, help="the first seed; by default it depends on the date")
    options = parser.parse_args()
    if options.first is not None and options.first < FIRST_NEW:
        raise SystemExit(f"FROM={options.first}: seeds below {FIRST_NEW} are for pages; a trial needs others.")
    if options.seeds is not None and options.seeds < FEWEST:
        raise SystemExit(f"SEEDS={options.seeds}: so few could refute nothing; take {FEWEST} at least.")
    executed.set_environment()
    claims, entries = all_claims(), stored()
    chosen = [claim for claim in claims if options.name in claim.name or options.name in claim.page]
    if not chosen:
        raise SystemExit(f"No claim, and no page with claims, has {options.name!r} in its name.")
    is_stored = not (options.seeds or options.first)
    numbers, failed, fallen, doubtful = sum(len(claim.expects) for claim in claims), [], [], []
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        trials = [
            pool.submit(
                tried,
                claim,
                options.first or claim.new_seeds,
                options.seeds or claim.seeds,
                entries.get(claim.name, {}),
                is_stored,
            )
            for claim in chosen
        ]
        for claim, trial in zip(chosen, trials, strict=True):
            if error := trial.exception():
                failed.append(f"{claim.page}, {claim.name}: {error!r}")
                continue
            entry = entries[claim.name] = trial.result()
            print("\n".join(lines(claim, entry, numbers)), flush=True)
            failed.extend(faults(claim, entry))
            if has_fallen(claim, entry, numbers, ALARMING):
                fallen.append(claim.name)
            elif has_fallen(claim, entry, numbers):
                doubtful.append(claim.name)
    if is_stored:
        names = {claim.name for claim in claims}
        kept = {name: entries[name] for name in sorted(entries) if name in names}
        FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    if doubtful:
        print(f"Not level or not shown, and to be mended where this is stored: {', '.join(doubtful)}.")
    if fallen:
        failed.append(f"Fallen, and not listed as to be mended: {', '.join(fallen)}.")
    if failed:
        raise SystemExit("\n".join(failed))


if __name__ == "__main__":
    main()
