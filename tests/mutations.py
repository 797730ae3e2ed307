"""Which share of small changes to the library's numerical lines its tests notice: `make mutations N=200 SEED=1`.

A mutation changes one sign, comparison, constant or name (min for max) of `kernelbook`. Those of a seeded sample are
made one after another in a copy of the repository, and the tests that reach the changed line are run, then those of its
file, until one fails; those named as the file come first, and then the quickest. What no test notices is printed: it
needs a test, or changes no result. The first run finds out which tests reach which lines; that is kept in
`_build/mutations` until the library or a test changes.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import coverage
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
# These files draw; people look at what they draw.
DRAWING = ("plotting/", "figures/explorer", "figures/draggable", "figures/frames", "figures/layouts")
TOGETHER = 200, 20.0  # tests in one process, and the seconds that they take without a mutation, at most
PATIENCE = 90, 4  # seconds, and times as long as without a mutation; an endless loop is noticed too

OPERATORS = {
    **{ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*")},
    **{ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")},
    **{ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.And: ("and", "or"), ast.Or: ("or", "and")},
}
NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax", "sin": "cos", "floor": "ceil"}
NAMES |= {other: name for name, other in NAMES.items()} | {"abs": "", "sqrt": "", "exp": "", "log": ""}


class Mutations(ast.NodeVisitor):
    """Every place of a source that can be changed: (begin, end, text before, text after), in bytes of the source."""

    def __init__(self, source):
        self.source, self.found = source.encode(), []
        self.lines = np.cumsum([0, *(len(line) for line in self.source.splitlines(keepends=True))])
        self.visit(ast.parse(source))

    def place(self, line, column):
        return int(self.lines[line - 1]) + column

    def begin(self, node):
        return self.place(node.lineno, node.col_offset)

    def end(self, node):
        return self.place(node.end_lineno, node.end_col_offset)

    def change(self, begin, end, after):
        self.found.append((begin, end, self.source[begin:end].decode(), after))

    def between(self, left, operator, right):
        """The operator stands between two operands, perhaps beside parentheses."""
        before, after = OPERATORS.get(type(operator), (None, None))
        if before:
            gap = self.source[self.end(left) : self.begin(right)]
            at = self.end(left) + re.search(re.escape(before.encode()), gap).start()
            self.change(at, at + len(before), after)

    def visit_BinOp(self, node):
        if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
            self.between(node.left, node.op, node.right)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        before, after = OPERATORS.get(type(node.op), (None, None))
        if before:
            at = self.end(node.target) + self.source[self.end(node.target) :].index(before.encode())
            self.change(at, at + len(before), after)
        self.generic_visit(node)

    def visit_Compare(self, node):
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self.between(left, operator, right)
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, node.op, right)
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.USub):
            self.change(self.begin(node), self.begin(node) + 1, "")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) in (int, float):
            after = node.value + 1 if isinstance(node.value, int) else 2 * node.value or 1.0
            self.change(self.begin(node), self.end(node), repr(after))

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in NAMES:
            if NAMES[name]:
                self.change(self.end(node.func) - len(name), self.end(node.func), NAMES[name])
            elif not node.keywords:  # abs(x) becomes (x)
                self.change(self.begin(node.func), self.end(node.func), "")
        self.generic_visit(node)

    def visit_keyword(self, node):
        if node.arg != "axis":  # another is an error at once
            self.generic_visit(node)

    def visit_JoinedStr(self, node):
        """What messages say is read, not computed with."""

    def visit_Raise(self, node):
        """Nor are they."""

    visit_Import = visit_ImportFrom = visit_Raise


def mutations(folder):
    """(file, begin, end, before, after, line) of all, in the order of files and places."""
    library = folder / "kernelbook"
    for path in sorted(library.rglob("*.py")):
        if not path.relative_to(library).as_posix().startswith(DRAWING):
            source = path.read_text(encoding="utf-8")
            for begin, end, before, after in sorted(set(Mutations(source).found)):
                yield path.relative_to(folder), begin, end, before, after, source.encode()[:begin].count(b"\n") + 1


def run(folder, tests, *options, timeout=None, **environment):
    """pytest, with all that takes long; what it has begun ends with it."""
    settings = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "THOROUGH": "1"}
    settings |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *tests],
        cwd=folder,
        env=os.environ | settings | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException:  # too late, or interrupted
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def reach(folder, kept):
    """{file: {line: tests}} and {test: seconds}; numba's loops are reached by whatever reaches their callers' files."""
    sources = sorted(path for part in ("kernelbook", "tests/library") for path in (folder / part).rglob("*.py"))
    mark = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if kept.exists() and (known := json.loads(kept.read_text()))["mark"] == mark:
        return known["lines"], known["seconds"]
    print("Which tests reach which lines? That takes as long as all of them.", flush=True)
    options = [
        "-n",
        "2",
        "--doctest-modules",
        "--cov=kernelbook",
        "--cov-context=test",
        "--cov-report=",
        "--durations=0",
    ]
    done = run(folder, ["tests/library", "kernelbook"], "-vv", *options)
    if done.returncode:
        raise SystemExit("The tests fail without any mutation:\n" + done.stdout[-3000:])
    seconds = defaultdict(float)
    for spent, test in re.findall(r"^([\d.]+)s (?:call|setup) +(.+?) *$", done.stdout, re.M):  # a name may hold a space
        seconds[test] += float(spent)
    data = coverage.CoverageData(str(folder / ".coverage"))
    data.read()
    lines = {
        str(Path(file).relative_to(folder)): {
            line: sorted({context.rpartition("|")[0] for context in contexts} - {""})  # a name may hold a bar too
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    kept.write_text(json.dumps({"mark": mark, "lines": lines, "seconds": seconds}))
    return json.loads(kept.read_text())["lines"], seconds


def users(folder, file):
    """The files that import a module: their tests are those of its compiled loops."""
    name = file.stem
    return [
        str(path.relative_to(folder))
        for path in (folder / "kernelbook").rglob("*.py")
        if re.search(rf"^\s*(?:from|import) .*\b{name}\b", path.read_text(encoding="utf-8"), re.M)
    ]


def tests_of(folder, file, line, lines, every):
    """Those that reach the line, and those that reach another of its file, or of a file that uses it.

    Some reach it unseen: those that are named as the file, in a process of their own, and compiled loops are called by
    any test of their package.
    """
    of_file = lines.get(str(file), {})
    reached = set(of_file.get(str(line), []))
    near = [of_file, *(lines.get(user, {}) for user in users(folder, file))]
    near = {test for tests in near for found in tests.values() for test in found}
    package = (
        Path("tests", "library", *file.parts[1:-1])
        if "@compiled" in (folder / file).read_text(encoding="utf-8")
        else None
    )
    for test in every:
        path = Path(test.partition("::")[0])
        if path.stem == f"test_{file.stem}" or path.parent == package:
            near.add(test)
    return reached, near - reached


def together(tests, seconds):
    """The tests in groups for one process each, with the seconds of a group."""
    group, spent = [], 0.0
    for test in tests:
        if group and (len(group) == TOGETHER[0] or spent + seconds.get(test, 0.0) > TOGETHER[1]):
            yield group, spent
            group, spent = [], 0.0
        group.append(test)
        spent += seconds.get(test, 0.0)
    if group:
        yield group, spent


def noticed(folder, mutation, tests, seconds):
    """The test that fails, if one does, or how else it shows."""
    file, begin, end, _, after, _ = mutation
    source = (folder / file).read_bytes()
    (folder / file).write_bytes(source[:begin] + after.encode() + source[end:])
    compiled = folder / "compiled"
    shutil.rmtree(compiled, ignore_errors=True)  # a loop's callers in other files contain it
    loops = {"NUMBA_CACHE_DIR": str(compiled)} if b"@compiled" in source else {}
    try:
        for group, spent in together(tests, seconds):
            patience = PATIENCE[0] + PATIENCE[1] * spent
            done = run(folder, group, "-x", "--doctest-modules", timeout=patience, **loops)
            if done.returncode == pytest.ExitCode.USAGE_ERROR:  # a changed default has changed the names of tests
                whole = {test.partition("[")[0] for test in group}
                patience += PATIENCE[1] * sum(s for test, s in seconds.items() if test.partition("[")[0] in whole)
                done = run(folder, sorted(whole), "-x", "--doctest-modules", timeout=patience, **loops)
            if done.returncode == pytest.ExitCode.USAGE_ERROR:
                raise SystemExit(f"pytest does not find the tests:\n{done.stderr[-3000:]}")
            if done.returncode:
                failed = re.search(r"^(?:FAILED|ERROR) (.*)", done.stdout, re.M)
                return failed[1] if failed else "it cannot be imported"
    except subprocess.TimeoutExpired:
        return f"more than {patience:.0f} s"
    finally:
        (folder / file).write_bytes(source)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=200, help="how many mutations")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    asked = parser.parse_args()
    kept = ROOT / "_build" / "mutations"
    kept.mkdir(parents=True, exist_ok=True)
    folder = kept / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    lines, seconds = reach(folder, kept / "reach.json")
    every = list(mutations(folder))
    chosen = np.random.default_rng(asked.seed).choice(len(every), min(asked.n, len(every)), replace=False)
    counts = Counter()
    for number, mutation in enumerate((every[i] for i in sorted(chosen)), 1):
        file, begin, _, before, after, line = mutation
        tests = [
            test
            for some in tests_of(folder, file, line, lines, seconds)
            for test in sorted(some, key=lambda test: (file.stem not in test, seconds.get(test, 0.0)))
        ]
        why = noticed(folder, mutation, tests, seconds)
        source = (folder / file).read_bytes()
        start = source.rfind(b"\n", 0, begin) + 1
        shown = source[start : source.find(b"\n", begin)].decode().strip()
        print(f"{number:4} {'noticed' if why else 'UNSEEN '} {file}:{line} {before!r} to {after!r}", end="", flush=True)
        print(f" at {begin - start}: {why[:90] if why else f'{shown}   ({len(tests)} tests)'}", flush=True)
        counts["noticed" if why else "unseen"] += 1
    print(f"{counts['noticed']} of {counts.total()} mutations are noticed, of {len(every)} that could be made.")


if __name__ == "__main__":
    main()
