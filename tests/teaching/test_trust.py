"""What a cheat may try: it earns no point, harms nobody else's, and nobody's by accident.

Most attacks are in `attacks.py`. The page book/teaching.md says what still works.
"""

import errno
import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from types import SimpleNamespace

import psutil
import pytest

from tests.teaching.attacks import ATTACKS, LOOK, MORE, SEARCH, SHARED
from tests.teaching.exams import QUESTIONS, SECRET, error_of, exam, printed, right
from tests.teaching.small import LINES, sources_in
from tests.teaching.test_exercises import hand_in, maxima, points, solved, table
from tools.teaching import answers, examination, examiner, exercises, guard, sandbox
from tools.teaching.course import release
from tools.teaching.examiner import Examiner
from tools.teaching.exercises import is_solution, read
from tools.teaching.grading import grade
from tools.teaching.system_calls import NUMBERS

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
confined = pytest.mark.skipif(not sandbox.can_confine(), reason="bubblewrap starts no process here")


def test_none_of_the_old_attacks_wins_a_point_or_stops_the_class(tmp_path):
    with sources_in(tmp_path / "sources", lines=LINES):
        released = read(release("lines", 1, tmp_path))
        for student, source in SHARED.items():
            notebook = read(tmp_path / "release" / "lines" / "lines.ipynb")
            next(filter(is_solution, notebook.cells)).source = source
            hand_in(tmp_path, "lines", student, notebook)
        hand_in(tmp_path, "lines", "zealous", solved("lines", released))  # comes last
        rows = table(grade("lines", tmp_path))
    assert {student: rows[student]["total"] for student in SHARED} == dict.fromkeys(SHARED, "0")
    assert points(rows["zealous"], released) == maxima(released)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_earns_nothing(attack, tmp_path):
    name, source = ATTACKS[attack]
    passed, _, _ = exam(**{name: source})
    assert passed == []
    assert not (sandbox.ROOT / "bomb").exists()


def test_more_attacks_one_after_the_other_earn_nothing_and_the_last_right_answer_does():
    questions = {attack: ("", QUESTIONS[name][1]) for attack, (name, _) in MORE.items()} | QUESTIONS
    answers = {attack: source for attack, (_, source) in MORE.items()}
    passed, outputs, _ = exam(questions=questions, **answers, **right(*QUESTIONS))
    assert not set(passed) & set(MORE)
    assert all(outputs[f"{attack}-test"] for attack in MORE)
    assert exam(**right(*QUESTIONS))[0] == list(QUESTIONS)


@pytest.mark.parametrize("attack", ["numpy", "stop of iteration", "stop by a class", "helpers", "a tracer"])
def test_the_attack_would_win_if_tests_ran_beside_the_answers(attack):
    name, source = ATTACKS[attack]
    assert exam(beside=True, **{name: source})[0] != []


@pytest.mark.parametrize("attack", SHARED)
def test_right_answers_beside_an_attack_earn_what_they_can(attack):
    """Tests and their helpers do not notice it; only answers that do no longer run are lost."""
    passed, _, _ = exam(**right("energy", "golden"), positive=SHARED[attack])
    assert passed == ["energy", "golden"]


@pytest.mark.parametrize("sandboxed", [pytest.param(True, marks=confined), False])
def test_the_tests_are_not_in_the_process_of_the_answers(sandboxed):
    source = SEARCH if sandboxed else SEARCH.replace('Path("/proc").glob("[0-9]*")', 'Path("/proc").glob("self")')
    passed, outputs, _ = exam(energy=source, confined=sandboxed)
    assert printed(outputs["energy"]).startswith("found 0 ")
    assert passed == []


def test_threads_that_the_library_starts_are_not_waited_for(monkeypatch):
    """It is imported before threads are counted: pyarrow, where it is installed, starts one that stays."""
    waits = []
    monkeypatch.setattr(guard, "time", SimpleNamespace(monotonic=time.monotonic, sleep=waits.append))
    source = f"import sys\nprint('kernelbook.kernels' in sys.modules)\n{QUESTIONS['energy'][0]}"
    passed, outputs, _ = exam(energy=source, **right("positive"))
    assert printed(outputs["energy"]) == "True\n"
    assert passed == ["energy", "positive"]
    assert waits == []


def test_an_answer_calls_only_what_it_was_passed():
    name, source = ATTACKS["calls of what was not passed"]
    _, _, endings = exam(**{name: source})
    assert endings[0] == ["energy-test", "sent something that is not an answer: this is not a message"]


@confined
def test_the_search_would_find_the_secret_where_it_is():
    _, outputs, _ = exam(energy=f"hidden = lambda: {SECRET}\n{SEARCH}")
    assert not printed(outputs["energy"]).startswith("found 0 ")


@confined
def test_the_book_other_students_and_the_account_are_out_of_sight(tmp_path, monkeypatch):
    monkeypatch.setenv("KEPT_FROM_STUDENTS", "a token")
    other = tmp_path / "submitted" / "other" / "krr" / "krr.ipynb"
    other.parent.mkdir(parents=True)
    other.write_text("mine", encoding="utf-8")
    places = [
        *map(str, (other, tmp_path / "gradebook.db", exercises.SOURCES / "krr" / "krr.ipynb")),
        *map(str, (sandbox.ROOT / "tests" / "teaching" / "exams.py", "/etc/passwd")),
        str(sandbox.ROOT / "tools" / "teaching" / "examiner.py"),
        *map(str, (sandbox.Path.home() / ".bashrc", sandbox.LIBRARIES / "mine.py", "/usr/mine", "/mine")),
    ]
    _, outputs, _ = exam(energy=LOOK.format(places=places))
    said = printed(outputs["energy"]).splitlines()
    assert said[0] == "[]"
    assert said[-1].startswith("/tmp/student None [")
    assert other.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "gradebook.db").exists()
    assert not (sandbox.LIBRARIES / "mine.py").exists()


@confined
def test_the_library_cannot_be_changed_for_those_who_come_after():
    spoils = """
import os, pathlib, kernelbook
for file in pathlib.Path(kernelbook.__file__).parents[2].rglob("*"):
    try: file.unlink(); print("gone", file)
    except OSError: pass
os.environ["PYTHONPATH"] = "/tmp"
"""
    _, outputs, _ = exam(energy=spoils)
    assert "gone" not in printed(outputs["energy"])
    assert exam(**right(*QUESTIONS))[0] == list(QUESTIONS)


@confined
def test_there_is_no_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        source = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)"
        _, outputs, _ = exam(energy=source)
        assert error_of(outputs["energy"]).startswith(("ConnectionRefusedError", "OSError"))
        with pytest.raises(TimeoutError):
            server.accept()


@confined
def test_a_fork_bomb_goes_off_inside():
    source = "import os\nhog = bytearray(2**28)\nwhile True: os.fork()"
    passed, _, endings = exam(energy=source, **right("golden", "positive"))
    assert passed == ["golden", "positive"]
    assert endings == [["energy", "started more than 64 processes"]]


@confined
def test_the_system_itself_limits_processes(monkeypatch):
    monkeypatch.setattr(guard, "MAX_PROCESSES", 10**6)  # nobody looks
    monkeypatch.setattr(sandbox, "MAX_PROCESSES", 10)
    source = """
import os, signal, time
started = []
try:
    while len(started) < 300:
        started.append(os.fork())
        if not started[-1]:
            time.sleep(60)
except BlockingIOError:
    pass
print("started", len(started))
for child in started:
    os.kill(child, signal.SIGKILL)
"""
    _, outputs, _ = exam(energy=source)
    assert 0 < int(printed(outputs["energy"]).split()[1]) < 300


def test_a_process_that_hides_from_its_parent_ends_with_the_grading_where_nothing_confines_it():
    mark = f"left-{uuid.uuid4().hex}"
    source = f"""
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", {mark!r}], start_new_session=True)
    os._exit(0)
os.wait()
"""

    def running():
        return [process for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or [])]

    _, outputs, _ = exam(confined=False, energy=source)
    assert error_of(outputs["energy"]) is None
    assert psutil.wait_procs(running(), 5)[1] == []


THREAD = """
import threading
def spin():
    while True: print("still here", flush=True)
threading.Thread(target=spin, daemon=True).start()
"""
PROCESS = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "while True: print('here too')"])
"""
IDLE = """
import threading, time
from multiprocessing.pool import Pool, ThreadPool
pools = Pool(2), ThreadPool(2)
def late():
    time.sleep(0.1)
    np.linalg.svd(np.ones((200, 200)))
threading.Thread(target=late).start()
"""


@pytest.mark.parametrize("left", [THREAD, PROCESS], ids=["a thread", "a process"])
@pytest.mark.skipif(not psutil.LINUX, reason="no other system tells what a process's threads do")
def test_what_is_left_computing_costs_the_points_of_the_cell_that_left_it(left):
    passed, outputs, endings = exam(energy=left + QUESTIONS["energy"][0], **right("golden", "positive"))
    assert (passed, endings) == (["golden", "positive"], [["energy", answers.STILL_COMPUTING]])
    assert not printed(outputs["positive"])


def test_what_an_answer_leaves_computing_in_a_test_costs_nothing_that_is_right():
    left = f"def energy(x):\n    {THREAD.replace(chr(10), chr(10) + '    ')}\n    return float(np.sum(x**2))"
    passed, _, endings = exam(energy=left, **right("golden", "positive"))
    assert (passed, endings) == (list(QUESTIONS), [["energy-test", answers.STILL_COMPUTING]] if psutil.LINUX else [])


def test_what_is_left_asleep_or_ends_soon_costs_nothing():
    passed, _, endings = exam(energy=IDLE + QUESTIONS["energy"][0], **right("golden", "positive"))
    assert (passed, endings) == (list(QUESTIONS), [])


def test_little_bursts_of_work_count_as_waiting_between_them():
    bursts = """
import time
while True:
    until = time.process_time() + 0.014
    while time.process_time() < until: pass
    time.sleep(0.216)
"""
    passed, _, endings = exam(seconds=3, energy=bursts, **right("golden", "positive"))
    assert (passed, endings) == (["golden", "positive"], [["energy", "waited longer than 9 s"]])


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere a child's end is waited for")
def test_work_that_is_gone_before_it_is_seen_ends_by_the_clock():
    links = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whose time nobody is told
while True:
    if not os.fork():
        until = time.process_time() + 0.05
        while time.process_time() < until: pass
        os._exit(0)
    time.sleep(0.06)
"""
    passed, _, endings = exam(seconds=3, energy=links, **right("golden", "positive"))
    assert passed == ["golden", "positive"]
    assert [name for name, _ in endings] == ["energy"]
    assert re.match(r"(ran|waited|took) longer than", endings[0][1])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_a_timer_that_a_cell_has_set_does_nothing_in_the_next():
    timers = """
import signal, time
def burn(*_):
    while True: pass
for timer, number in ((signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_PROF, signal.SIGPROF)):
    signal.signal(number, burn)
    signal.setitimer(timer, 0.05)
"""
    passed, _, endings = exam(seconds=5, energy=QUESTIONS["energy"][0] + timers, **right("golden", "positive"))
    assert (passed, endings) == (list(QUESTIONS), [])


REFUSED = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def says(result):
    return os.strerror(ctypes.get_errno()) if result < 0 else "done"
def tries(call, *arguments):
    try: call(*arguments)
    except OSError as error: return error.strerror
    return "done"
print(tries(os.memfd_create, "hog"), says(libc.shmget(0, 2**30, 0o1600)), sep="\\n")
print(says(libc.unshare(0x10000000)), says(libc.setns(0, 0)), tries(socket.socket, 40, 1), sep="\\n")
if (child := libc.syscall(220 if os.uname().machine == "aarch64" else 56, 0x10000011, 0, 0, 0, 0)) == 0: os._exit(0)
print(says(child))
"""


@pytest.mark.skipif(platform.machine() not in NUMBERS, reason="no numbers of this processor's system calls")
@pytest.mark.skipif(not psutil.LINUX, reason="Linux alone refuses system calls")
@pytest.mark.parametrize("sandboxed", [pytest.param(True, marks=confined), False])
def test_memory_that_is_not_counted_and_ways_out_of_the_box_are_refused(sandboxed):
    _, outputs, _ = exam(confined=sandboxed, energy=REFUSED)
    missing, forbidden = map(os.strerror, (errno.ENOSYS, errno.EPERM))
    said = [missing, missing, forbidden, forbidden, os.strerror(errno.EAFNOSUPPORT), forbidden]
    assert printed(outputs["energy"]).split("\n") == [*said, ""]


def test_memory_beyond_the_limit_costs_its_own_points():
    passed, outputs, endings = exam(energy="hog = [bytearray(2**30) for _ in range(9)]", **right("golden", "positive"))
    assert passed == ["golden", "positive"]
    assert error_of(outputs["energy"]).startswith("MemoryError")
    assert endings == [["energy", "asked for more memory than there is, 4 GB"]]
    _, _, endings = exam(energy="def energy(x): return np.ones(2**32)", **right("golden", "positive"))
    assert endings == [["energy-test", "asked for more memory than there is, 4 GB"]]


FORKS = """
import os, time, numpy
held = numpy.ones({before})
for _ in range(6):
    if not os.fork():
        more = numpy.ones({after})
        time.sleep(1.5)
        os._exit(0)
for _ in range(6): os.wait()
"""


@pytest.mark.parametrize(("before", "after", "ends"), [(10**8, 1, False), (1, 5 * 10**7, True)])
def test_memory_of_processes_counts_together_and_what_they_share_once(before, after, ends, monkeypatch):
    monkeypatch.setattr(guard, "MAX_MEMORY", 2**31)
    source = FORKS.format(before=before, after=after) + QUESTIONS["energy"][0]
    passed, _, endings = exam(energy=source, **right("golden", "positive"))
    assert passed == (["golden", "positive"] if ends else list(QUESTIONS))
    assert endings == ([["energy", "took more than 2 GB of memory"]] if ends else [])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("def energy(x): return iter(int, 1)", "too large to be graded"),
        ("def energy(x): return np.zeros(2**25)", "too large to be graded"),
        ("def energy(x): return [0.5] * 10**7", "too large to be graded"),
        ("def energy(x):\n    deep = []\n    deep.append(deep)\n    return deep", "nested too deeply"),
        ("def energy(x): return np.zeros(2, dtype='i,i')", "cannot be graded"),
        ("class Own: pass\ndef energy(x): return Own()", "type Own cannot be graded"),
        ("energy = object()", "type object cannot be graded"),
        ("def energy(x): return 10 ** 10**5", "int too large|Python int"),
    ],
)
def test_what_cannot_be_graded_says_so_and_costs_nothing_else(answer, says):
    passed, outputs, endings = exam(energy=answer, **right("golden", "positive"))
    assert (passed, endings) == (["golden", "positive"], [])
    assert re.search(says, error_of(outputs["energy-test"]))


@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        ("    return sum(1 for _ in range(n))", "ran longer than 4 s"),
        (
            "    if n > 10: os.kill(os.getpid(), 9)\n    return n",
            "was ended by a signal that cannot be caught, perhaps the system's for its use of memory",
        ),
    ],
)
def test_an_oracle_that_an_answer_makes_heavy_costs_that_test(oracle, reason):
    """The examiner is ended, and the next one goes on after that test."""

    def cell(kind, name, source, *names):
        return {"kind": kind, "name": name, "source": source, "names": names}

    given = cell("answer", "given", f"import os\n\ndef _ways(n):\n{oracle}", "_ways", "os")
    heavy = cell("answer", "heavy", "heavy = 10**12"), cell("test", "heavy-test", "assert _ways(heavy) > 0")
    light = cell("answer", "light", "light = heavy // 10**11"), cell("test", "light-test", "assert _ways(light) == 10")
    ends = cell("answer", "ends", "import os; os._exit(3)"), cell("test", "ends-test", "assert ends")
    job = {"cells": [given, *ends, *heavy, *light], "given": [given], "answers": ["heavy", "light"], "seconds": 4}
    outputs, endings = examination.examine({**job, "confined": sandbox.can_confine()})
    assert endings == [["ends", "ended Python"], ["heavy-test", f"(its own work, with this answer) {reason}"]]
    assert [bool(output) for output in outputs] == [False, True, True, False, True, False, False]


def test_a_submission_that_takes_too_long_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(examiner, "TOTAL_TIME_FACTOR", 0.1)
    burns = "import time\nwhile time.process_time() < 6: pass\ndef positive(f): pass"
    passed, outputs, endings = exam(energy=QUESTIONS["energy"][0], golden=burns, positive="")
    assert passed == ["energy"]
    assert [bool(outputs[f"{name}-test"]) for name in QUESTIONS] == [False, True, True]
    reason = "was not run, nor what follows: the cells before it took longer than 2 s together"
    assert endings == [["golden-test", reason]]
    assert error_of(outputs["positive"]) == f"RuntimeError: positive {reason}"


def burn(seconds):
    return f"import time\nbegin = time.process_time()\nwhile time.process_time() < begin + {seconds}: pass\n"


def test_what_runs_again_takes_nothing_of_the_ten_minutes(monkeypatch):
    """One answer computes for half of what all have, and two end Python: it runs three times."""
    monkeypatch.setattr(examiner, "TOTAL_TIME_FACTOR", 2)
    works, ends = burn(6) + QUESTIONS["energy"][0], "import os; os._exit(1)"
    passed, _, endings = exam(seconds=8, energy=works, golden=ends, positive=ends)
    assert (passed, endings) == (["energy"], [["golden", "ended Python"], ["positive", "ended Python"]])


def test_what_runs_again_has_its_end(monkeypatch):
    monkeypatch.setattr(examiner, "TOTAL_TIME_FACTOR", 2)
    works, ends = burn(6) + QUESTIONS["energy"][0], "import os; os._exit(1)"
    more = {f"more {i}": (ends, "assert False") for i in range(4)}
    answers = {name: answer for name, (answer, _) in more.items()}
    passed, _, endings = exam(questions={**QUESTIONS, **more}, seconds=8, energy=works, **right("golden"), **answers)
    assert passed == ["energy", "golden"]
    reason = "was not run, nor what follows: cells had to run again for longer than 16 s"
    assert endings[-1][1] == reason


@pytest.mark.skipif(not psutil.LINUX, reason="no other system tells how long a process stood in line")
def test_a_busy_machine_takes_no_point(monkeypatch):
    """The clock leaves six seconds for two of computing, and the processes beside a quarter of a processor."""
    monkeypatch.setattr(guard, "CLOCK_FACTOR", 2)
    rivals = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(3 * len(os.sched_getaffinity(0)))
    ]
    try:
        passed, _, endings = exam(seconds=3, **{name: burn(2) + answer for name, answer in right(*QUESTIONS).items()})
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()
    assert (passed, endings) == (list(QUESTIONS), [])


def test_an_error_as_long_as_an_answer_wants_is_cut():
    loud = "ip = get_ipython()\nip._showtraceback = lambda *_: setattr(ip, 'error', ['E' * 10**7] * 1000)\n1 / 0"
    passed, outputs, _ = exam(energy=loud, **right("golden", "positive"))
    assert passed == ["golden", "positive"]
    assert len(json.dumps(outputs["energy"])) < 300_000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_a_time_limit_of_an_answer_works_after_its_cell():
    limited = """
import signal
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
def energy(x):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        while True: sum(x)
    except TimeoutError:
        return float(np.sum(x**2))
"""
    passed, _, endings = exam(seconds=5, energy=limited, **right("golden", "positive"))
    assert (passed, endings) == (list(QUESTIONS), [])


def test_a_notebook_of_many_cells_is_judged_in_time():
    """Bookkeeping that grew with the cube of their number once took hours."""

    class Counted(dict):
        compared = 0
        __hash__ = None

        def __eq__(self, other):
            Counted.compared += 1
            return dict.__eq__(self, other)

    cells = [Counted(kind="answer", name=f"cell {i}", source="1", names=[]) for i in range(100)]
    job = {"cells": cells, "given": [], "answers": [], "seconds": 20, "judged": 0, "done": [*range(100)], "spent": 0.0}
    assert Examiner({**job, "confined": sandbox.can_confine()}).done() == [*range(100)]
    assert Counted.compared <= 100


def test_what_the_teacher_is_told_where_nothing_confines(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sandbox, "can_confine", lambda: False)
    monkeypatch.setattr(sandbox, "_is_root", lambda: False)
    release("krr", 1, tmp_path)
    hand_in(tmp_path, "krr", "torn", "{")
    grade("krr", tmp_path)
    assert "can read and write what the account can" in capsys.readouterr().out
    monkeypatch.setattr(sandbox, "_is_root", lambda: True)
    with pytest.raises(SystemExit, match="as root, who may do anything"):
        grade("krr", tmp_path)


def test_without_bubblewrap_nothing_confines(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert not sandbox.can_confine()


def test_the_box_holds_the_library_and_nothing_of_the_book():
    box = sandbox.library() / "site"
    assert {path.name for path in box.iterdir()} == {"kernelbook", "tools"}
    assert {path.name for path in (box / "tools").rglob("*.py")} == {*sandbox.WORKER_FILES, "__init__.py"}
    assert not [path for path in box.rglob("*") if path.suffix not in ("", ".py", ".js", ".pyc")]
