"""The process that holds the tests of one submission, their oracles and what was given, and calls the answers.

It reads a job on stdin, and writes a line on stdout for each cell of the notebook: the cell's outputs, and which cells
have ended the process of the answers, and why. No code of the student's runs here. It is a process of its own because
an answer can make a test's own work long or large.
"""

import json
import linecache
import os
import sys
import time
import traceback
from types import CodeType, FunctionType

from tools.teaching.answers import Answers
from tools.teaching.exchange import LONGEST as LONGEST_TEXT
from tools.teaching.exchange import on_names
from tools.teaching.proxies import Remote
from tools.teaching.sandbox import MEMORY
from tools.teaching.worker import keep_to

LONGEST = 10  # times what one cell may take: so long may all of a submission's cells take together
MOST_LINES = 50  # parts of a traceback
MEASURES = {"tracemalloc", "cProfile"}  # a given function that uses one of them runs beside the answer


class Examiner:
    """The tests of a notebook, on names of their own: those given, and those that the answers bind.

    The job says which cells are judged already, and which of these are in force (`done`).
    """

    def __init__(self, job):
        self.job, self.space = job, {"__name__": "notebook"}
        self.answers = Answers(job["seconds"], job["confined"])
        self.answers.done = [job["cells"][number] for number in job["done"]]

    def prepare(self):
        """Run the given cells, while the process of the answers imports."""
        self.answers.start()
        for cell in self.job["given"]:
            exec(code_of(cell), self.space)
        self.given = {name: self.space[name] for cell in self.job["given"] for name in cell["names"]}
        self.started = time.process_time()

    def run(self):
        """The outputs of the cells, one after the other."""
        reason = ""
        for cell in self.job["cells"][self.job["judged"] :]:
            if not reason and (reason := self.over()):
                self.answers.endings.append([cell["name"], reason])
            if reason:
                yield [error_output("RuntimeError", f"{cell['name']} {reason}")]
            else:
                yield self.test(cell) if cell["kind"] == "test" else self.answer(cell)

    def over(self):
        """Why what follows is not run, or nothing. Running again what ran before may take as long as running it."""
        most = LONGEST * self.job["seconds"]
        if self.spent() > most:
            return f"was not run, nor what follows: the cells before it took longer than {most:g} s together"
        if self.replayed() > most:
            return f"was not run, nor what follows: what others ended had to be run again, for longer than {most:g} s"
        return ""

    def replayed(self):
        return self.job["replayed"] + self.answers.replayed

    def spent(self):
        """Seconds that the cells have taken so far, and here their tests."""
        return self.job["spent"] + self.answers.spent() + time.process_time() - self.started

    def done(self):
        """The numbers of the cells that are in force."""
        there = set(map(id, self.answers.done))
        return [number for number, cell in enumerate(self.job["cells"]) if id(cell) in there]

    def answer(self, cell):
        try:
            text, error = self.answers.run(cell)
            outputs = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
            return outputs + ([error_output(error[0], error[1], error[2:][:MOST_LINES])] if error else [])
        except Exception as error:  # the process ended, or said what makes no sense
            return [error_output("RuntimeError", f"{cell['name']} {error}")]

    def test(self, cell):
        try:
            code = code_of(cell)
            self.answers.ready(cell)
            self.answers.forget()
            exec(code, self.names(code))
        except BaseException as error:  # a test that fails
            where = [line for frame, line in traceback.walk_tb(error.__traceback__) if is_of(frame, cell)]
            lines = [f"in line {where[-1] if where else 0} of the test", *traceback.format_exception(error)]
            return [error_output(type(error).__name__, str(error), lines)]
        return []

    def names(self, code):
        """What a test sees: an answer takes the place of nothing that was given."""
        mentioned = words(code)
        for value in self.given.values():
            if isinstance(value, FunctionType):
                mentioned |= words(value.__code__)
        names = on_names({"__name__": "notebook"}, self.given, self.space)
        for name, value in self.given.items():
            if isinstance(value, FunctionType) and words(value.__code__) & MEASURES:
                names[name] = Remote(self.answers, ["given", name], name)
        self.answers.given = {name: names[name] for name in self.given}
        for name in self.job["answers"]:
            if name in mentioned and name not in self.given:
                names.update(zip([name], self.answers.look_up(name), strict=False))
        return names


def is_of(frame, cell):
    return frame.f_code.co_filename == f"<{cell['name']}>"


def code_of(cell):
    where = f"<{cell['name']}>"
    linecache.cache[where] = len(cell["source"]), None, cell["source"].splitlines(keepends=True), where
    return compile(cell["source"], where, "exec")


def words(code):
    """All names and texts in a piece of code: what it may look up."""
    found = {*code.co_names, *(constant for constant in code.co_consts if isinstance(constant, str))}
    return found.union(*(words(constant) for constant in code.co_consts if isinstance(constant, CodeType)))


def error_output(kind, text, lines=()):
    """What a notebook keeps of an error; it can be as long as an answer wants, and is cut."""
    kind, text, *lines = (str(part)[: 2 * LONGEST_TEXT] for part in (kind, text, *lines))
    return {"output_type": "error", "ename": kind, "evalue": text, "traceback": lines}


def main():
    keep_to({"RLIMIT_AS": 2 * MEMORY, "RLIMIT_CORE": 0})
    job = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as lines:  # half a character is none
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a test prints
        examiner = Examiner(job)
        try:
            examiner.prepare()
            print("started", file=lines, flush=True)
            for outputs in examiner.run():
                known = {"endings": examiner.answers.endings, "done": examiner.done()}
                known |= {"spent": examiner.spent(), "replayed": examiner.replayed()}
                print(json.dumps({"outputs": outputs, **known}, ensure_ascii=False), file=lines, flush=True)
        finally:
            examiner.answers.stop()


if __name__ == "__main__":
    main()
