"""The process that runs the tests of one submission: it holds tests, oracles and given code, and calls the answers.

It reads a job from stdin and writes a line to stdout for each cell of the notebook: the cell's outputs, and which cells
have ended the process of the answers and why. No code of the student runs here. The examiner is a separate process
because an answer can make a test's own work long or large.
"""

import json
import linecache
import os
import sys
import time
import traceback
from types import CodeType, FunctionType

from tools.teaching.answers import Answers
from tools.teaching.exchange import MAX_ERROR_LENGTH, MAX_TRACEBACK_LINES, rebind_globals
from tools.teaching.proxies import RemoteFunction
from tools.teaching.sandbox import MAX_MEMORY
from tools.teaching.worker import apply_limits

TOTAL_TIME_FACTOR = 10  # all cells of a submission together may take this many times the limit of one cell
MEASURING_MODULES = {"tracemalloc", "cProfile"}  # a given function that uses one of these runs beside the answer


class Examiner:
    """Runs the tests of a notebook in a namespace of the given names and the names that the answers bind.

    The job says how many cells are already judged, and which of these are in force (`done`).
    """

    def __init__(self, job):
        self.job, self.space = job, {"__name__": "notebook"}
        self.answers = Answers(job["seconds"], job["confined"])
        self.answers.done = [job["cells"][number] for number in job["done"]]

    def prepare(self):
        """Run the given cells while the process of the answers imports the library."""
        self.answers.start()
        for cell in self.job["given"]:
            exec(code_of(cell), self.space)
        self.given = {name: self.space[name] for cell in self.job["given"] for name in cell["names"]}
        self.started = time.process_time()

    def run(self):
        """Yield the outputs of one cell after the other."""
        reason = ""
        for cell in self.job["cells"][self.job["judged"] :]:
            if not reason and (reason := self.stop_reason()):
                self.answers.endings.append([cell["name"], reason])
            if reason:
                yield [error_output("RuntimeError", f"{cell['name']} {reason}")]
            else:
                yield self.test(cell) if cell["kind"] == "test" else self.answer(cell)

    def stop_reason(self):
        """Why the remaining cells are not run, or an empty string. Running cells again has a time limit of its own."""
        limit = TOTAL_TIME_FACTOR * self.job["seconds"]
        if self.spent() > limit:
            return f"was not run, nor what follows: the cells before it took longer than {limit:g} s together"
        if self.replayed() > limit:
            return f"was not run, nor what follows: cells had to run again for longer than {limit:g} s"
        return ""

    def replayed(self):
        return self.job["replayed"] + self.answers.replayed

    def spent(self):
        """Seconds that the cells have taken so far, including their tests in this process."""
        return self.job["spent"] + self.answers.spent() + time.process_time() - self.started

    def done(self):
        """The numbers of the cells that are in force."""
        in_force = set(map(id, self.answers.done))
        return [number for number, cell in enumerate(self.job["cells"]) if id(cell) in in_force]

    def answer(self, cell):
        try:
            text, error = self.answers.run(cell)
            outputs = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
            return outputs + ([error_output(error[0], error[1], error[2:][:MAX_TRACEBACK_LINES])] if error else [])
        except Exception as error:  # the process ended or sent an invalid message
            return [error_output("RuntimeError", f"{cell['name']} {error}")]

    def test(self, cell):
        try:
            code = code_of(cell)
            self.answers.ready(cell)
            self.answers.forget()
            exec(code, self.names(code))
        except BaseException as error:  # the test fails
            frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
            inside = [line for file, line in frames if file == f"<{cell['name']}>"]
            lines = [f"in line {inside[-1] if inside else 0} of the test", self.origin(frames[-1], cell)]
            lines += traceback.format_exception(error)
            return [error_output(type(error).__name__, str(error), lines)]
        return []

    def origin(self, frame, cell):
        """Where an error was raised, if by the test itself or by a given function, and not by an answer."""
        file, line = frame
        known = [each["name"] for each in [cell, *self.job["given"]] if file == f"<{each['name']}>"]
        return f"raised in line {line} of {known[0]}" if known else "raised elsewhere"

    def names(self, code):
        """The namespace of a test: answers cannot replace given names."""
        mentioned = words(code)
        for value in self.given.values():
            if isinstance(value, FunctionType):
                mentioned |= words(value.__code__)
        names = rebind_globals({"__name__": "notebook"}, self.given, self.space)
        for name, value in self.given.items():
            if isinstance(value, FunctionType) and words(value.__code__) & MEASURING_MODULES:
                names[name] = RemoteFunction(self.answers, ["given", name], name)
        self.answers.given = {name: names[name] for name in self.given}
        for name in self.job["answers"]:
            if name in mentioned and name not in self.given:
                names.update(zip([name], self.answers.look_up(name), strict=False))
        return names


def code_of(cell):
    where = f"<{cell['name']}>"
    linecache.cache[where] = len(cell["source"]), None, cell["source"].splitlines(keepends=True), where
    return compile(cell["source"], where, "exec")


def words(code):
    """All names and strings in a code object: everything that it may look up."""
    found = {*code.co_names, *(constant for constant in code.co_consts if isinstance(constant, str))}
    return found.union(*(words(constant) for constant in code.co_consts if isinstance(constant, CodeType)))


def error_output(kind, text, lines=()):
    """The notebook output for an error, cut because an answer can make it arbitrarily long."""
    kind, text, *lines = (str(part)[: 2 * MAX_ERROR_LENGTH] for part in (kind, text, *lines))
    return {"output_type": "error", "ename": kind, "evalue": text, "traceback": lines}


def main():
    apply_limits({"RLIMIT_AS": 2 * MAX_MEMORY, "RLIMIT_CORE": 0})
    job = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as lines:  # a lone surrogate has no encoding
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discards what a test prints
        examiner = Examiner(job)
        try:
            examiner.prepare()
            print("started", file=lines, flush=True)
            for outputs in examiner.run():
                state = {"endings": examiner.answers.endings, "done": examiner.done()}
                state |= {"spent": examiner.spent(), "replayed": examiner.replayed()}
                print(json.dumps({"outputs": outputs, **state}, ensure_ascii=False), file=lines, flush=True)
        finally:
            examiner.answers.stop()


if __name__ == "__main__":
    main()
