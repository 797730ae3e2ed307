"""Try the book's claims on new seeds: `make claims`, or `make claims NAME=krr SEEDS=30 FROM=5000`.

Prints a line for each number of each claim, and stores the last trial of each claim in book/claims.json, beside what
the page's own seeds give. By default the seeds depend on the date, so nobody has chosen them.
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

from joblib import cpu_count

from tools.bookbuild import executed
from tools.bookbuild.notebooks import BOOK, find
from tools.claims.claims import claims_of, values_of
from tools.claims.verdicts import Run, fault, summarise, verdict

FILE = BOOK / "claims.json"
LISTED = "to be mended"  # the key under which it is written why a refuted claim still stands on its page


def seeds_of_today():
    """The first of a thousand seeds that belong to this day alone."""
    return 1000 * (date.today() - date(2026, 1, 1)).days


def all_claims():
    return [claim for path in find(BOOK) for claim in claims_of(path)]


def stored():
    """What is stored of each claim, by name."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def runs(claim, seeds):
    """A Run for each number of the claim, by name, and the seconds that a seed took."""
    begin = time.monotonic()
    with redirect_stdout(sys.stderr):
        values = values_of(claim.code, claim.function, seeds)
    if values.keys() != claim.expects.keys():
        raise ValueError(f"{claim.page}, {claim.name}: it returns {[*values]}; its metadata expect {[*claim.expects]}.")
    found = {name: summarise(values[name], expected) for name, expected in claim.expects.items()}
    return found, (time.monotonic() - begin) / len(seeds)


def tried(claim, seeds, before, numbers):
    """What is to be stored of a claim after a trial on these seeds.

    `before` is what was stored; the page's own seeds are run again if code or library are no longer the same. `numbers`
    is as in `verdict`.
    """
    trial, seconds = runs(claim, seeds)
    if any(before.get(part) != mark for part, mark in claim.marks.items()):
        page = runs(claim, range(claim.seeds))[0]
    else:
        page = {name: Run(**one["page"]) for name, one in before["numbers"].items()}
    found = {
        name: {
            "page": rounded(page[name]),
            "trial": rounded(trial[name]),
            "verdict": verdict(expected, page[name], trial[name], numbers),
        }
        for name, expected in claim.expects.items()
    }
    entry = {"page": claim.page, **claim.marks, "from": seeds[0], "seconds": float(f"{seconds:.2g}"), "numbers": found}
    return entry | {LISTED: before[LISTED]} if LISTED in before else entry


def rounded(run):
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in asdict(run).items()}


def lines(claim, entry):
    """For each number of a claim the verdict, what is said and what was found, and any fault of the interval."""
    for name, expected in claim.expects.items():
        one = entry["numbers"][name]
        trial = Run(**one["trial"])
        found = f"{trial.mean:.4g} ± {trial.error:.2g}"
        found += f", the other way in {trial.other_way} of {trial.seeds}" * (expected.kind in ("win", "share"))
        said = f"{expected.kind} {expected.low:g} to {expected.high:g}"
        yield f"{one['verdict']:8}  {claim.page}, {claim.name}, {name}: {said}; found {found}"
        if wrong := fault(expected, Run(**one["page"])):
            yield f"          but {wrong}"


def refuted(entry):
    return any(one["verdict"] == "refuted" for one in entry["numbers"].values())


def main():
    parser = argparse.ArgumentParser(prog="make claims", description=__doc__)
    parser.add_argument("--name", default="", help="a part of the name of a page or a claim")
    parser.add_argument("--seeds", type=int, help="by default as many as the page has")
    parser.add_argument("--from", dest="first", type=int, default=seeds_of_today(), help="the first seed")
    options = parser.parse_args()
    executed.set_environment()
    claims, entries = all_claims(), stored()
    numbers = sum(len(claim.expects) for claim in claims)
    chosen = [claim for claim in claims if options.name in claim.name or options.name in claim.page]
    if not chosen:
        raise SystemExit(f"No page and no claim has {options.name!r} in its name.")
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        trials = [
            pool.submit(
                tried,
                claim,
                range(options.first, options.first + (options.seeds or claim.seeds)),
                entries.get(claim.name, {}),
                numbers,
            )
            for claim in chosen
        ]
        for claim, trial in zip(chosen, trials, strict=True):
            entries[claim.name] = trial.result()
            print("\n".join(lines(claim, entries[claim.name])), flush=True)
    names = {claim.name for claim in claims}
    kept = {name: entries[name] for name in sorted(entries) if name in names}
    FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    if fallen := [one.name for one in chosen if refuted(kept[one.name]) and LISTED not in kept[one.name]]:
        raise SystemExit(f"Refuted, and not listed as to be mended: {', '.join(fallen)}.")


if __name__ == "__main__":
    main()
