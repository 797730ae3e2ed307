"""How long the steps of `make test` take.

    python -m tests.steps NAME COMMAND …    run a step, and note whether it failed; the next step runs all the same
    python -m tests.steps                   print the times of all steps, and write them to _build/times/table.md;
                                            the exit code is 1 if a step failed

A step that runs pytest is shown with its slowest tests, all parameters of a test together, or for nbval with its
slowest notebooks; the build is shown with the pages that took longest to execute. These times are sums over processes.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

BUILD = Path(__file__).parents[1] / "_build"
TIMES = BUILD / "times"
SHOWN = 5


def run(name, command):
    """Run the command of a step, and note how long it took and whether it failed."""
    print(f"== {name}", flush=True)
    TIMES.mkdir(parents=True, exist_ok=True)
    report = TIMES / "report.xml"
    report.unlink(missing_ok=True)
    if "pytest" in command:
        command = [*command, f"--junitxml={report}"]
    begin, start = time.time(), time.monotonic()
    failed = subprocess.run(command).returncode != 0
    seconds = time.monotonic() - start
    slowest = tests_in(report) if report.is_file() else pages_executed_since(begin)
    number = len(list(TIMES.glob("*.json"))) + 1
    step = {"name": name, "seconds": seconds, "failed": failed, "slowest": slowest.most_common(SHOWN)}
    (TIMES / f"{number:02}.json").write_text(json.dumps(step), encoding="utf-8")


def tests_in(report):
    """The seconds of each test of a pytest run, or of each notebook."""
    seconds = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname").removesuffix(".ipynb").split(".")[-1]
        name = case.get("name").split("[")[0]
        seconds[module if name.startswith("Cell ") else f"{module}: {name}"] += float(case.get("time"))
    return seconds


def pages_executed_since(begin):
    """The seconds that the build took to execute each page, if it executed the page."""
    files = [path for path in (BUILD / "executed").glob("*.json") if path.stat().st_mtime > begin]
    return Counter({path.stem: json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in files})


def table(steps):
    lines = [f"| {'step':48} | {'time':>7} |", f"|{'-' * 50}|{'-' * 8}:|"]
    for step in steps:
        mark = " FAILED" if step["failed"] else ""
        lines.append(f"| {step['name'] + mark:48} | {step['seconds']:5.0f} s |")
        lines += [f"| - {name[:46]:46} | {seconds:5.0f} s |" for name, seconds in step["slowest"] if seconds >= 1]
    lines.append(f"| {'all':48} | {sum(step['seconds'] for step in steps):5.0f} s |")
    return "\n".join(lines)


def show():
    """Print the table, and return whether every step passed."""
    steps = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(TIMES.glob("*.json"))]
    text = table(steps)
    (TIMES / "table.md").write_text(text + "\n", encoding="utf-8")
    print(text, flush=True)
    failed = [step["name"] for step in steps if step["failed"]]
    if failed:
        print("Failed:", "; ".join(failed), flush=True)
    return not failed


if __name__ == "__main__":
    if sys.argv[1:]:
        run(sys.argv[1], sys.argv[2:])
    elif not show():
        sys.exit(1)
