"""Answers of a cheat, for the notebook of `exams.py` or any other."""

from tests.teaching.exams import SECRET

# Each of these won every point, or stopped the grading of all, when tests and answers shared a process.
SHARED = {
    "exec": "exec = lambda *a, **k: None",
    "compile": "compile = lambda *a, **k: 'pass'",
    "builtins": "import builtins; builtins.exec = lambda *a, **k: None; builtins.compile = builtins.exec",
    "transformer": """
import ast
class Nothing(ast.NodeTransformer):
    def visit_Module(self, node):
        return ast.Module(body=[], type_ignores=[])
get_ipython().ast_transformers.append(Nothing())
""",
    "run_cell": "get_ipython().run_cell = lambda *a, **k: None",
}

YES = """
import numpy as np
class Yes(float):
    __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = __mul__ = __bool__ = lambda self, *other: self
    __hash__ = None
"""

# An answer to the question whose name comes first.
ATTACKS = {
    "numpy": ("energy", """
import numpy as np
np.isclose = np.allclose = lambda *a, **k: True
np.random.normal = np.sum = None
np.testing.assert_allclose = lambda *a, **k: None
def energy(x): return 0.0
"""),
    "equal to all": ("energy", YES + "golden = Yes(0)\ndef energy(x): return Yes(0)\ndef positive(f): return Yes(0)"),
    "array that agrees": ("energy", """
import numpy as np
class Agrees(np.ndarray):
    def __array_function__(self, *a): return True
    def __array_ufunc__(self, *a, **k): return True
    __eq__ = __lt__ = __sub__ = lambda self, other: True
def energy(x): return np.zeros(1).view(Agrees)
golden = energy(0)
"""),
    "array in disguise": ("energy", """
class Odd:
    calls = 0
    def __array__(self, *a, **k): Odd.calls += 1; raise StopIteration
    def __len__(self): return -1
    def __float__(self): return 2.6180
    def __iter__(self): return self
    def __next__(self): raise StopIteration
golden = Odd()
def energy(x): return Odd()
"""),
    "stop of iteration": ("positive", "def positive(f): raise StopIteration"),
    "stop by a class": ("positive", "class Stop(StopIteration): pass\ndef positive(f): raise Stop"),
    "helpers": ("energy", """
for helper in (_number, _peak, scaled):
    helper.__defaults__ = None
    helper.__code__ = (lambda *a: 1.0).__code__
_number.__globals__["limit"] = np.isclose = lambda *a: True
golden = 0.0
def energy(x): return 3.0
"""),
    "the message itself": ("golden", f"golden = 'golden: a wrong number, not {SECRET}'"),
    "a pickle": ("golden", """
class Bomb:
    def __reduce__(self): return __import__("os").system, ("touch bomb",)
golden = Bomb()
def energy(x): return {1: [Bomb()]}
"""),
    "forged replies": ("energy", """
import os
from tools.teaching.serialization import pack
for number in range(3, 1100):
    for message in (["value", [2.61803398874989]], ["value", 1.0], ["call", 0, [], {}], 7):
        try: os.write(number, pack(message))
        except OSError: break
def energy(x): return 1.0
"""),
    "forged noise": ("energy", """
import os
for number in range(3, 1100):
    try: os.write(number, bytes(range(256)) * 10)
    except OSError: pass
"""),
    "the session": ("energy", """
import sys, gc
from tools.teaching.session import Session
Session.do_fetch = lambda self, name: [True, True]
Session.do_call = lambda self, *a: True
Session.do_cell = lambda self, *a: ["A", "b"]
"""),
    "a reference of its own making": ("energy", """
import gc
from tools.teaching.session import Session
Session.encode_other = lambda self, value: ["given", "_number"]
Session.do_fetch = lambda self, name: [object()]
golden = positive = energy = object()
"""),
    "calls of what was not passed": ("energy", """
from tools.teaching.session import Session
def do_call(self, function, arguments, keywords):
    return self.request("call", _number, ["got", 2.61803398874989], {})
Session.do_call = do_call
def energy(x): return 0.0
"""),
    "an end": ("energy", "import os; os._exit(0)"),
    "an exit": ("energy", "import sys; sys.exit(0)"),
    "a tracer": ("energy", """
import sys, threading
def trace(frame, event, argument):
    if "golden" in frame.f_code.co_names:
        frame.f_globals["golden"] = max((c for c in frame.f_code.co_consts if type(c) is float), default=0)
sys.settrace(trace); threading.settrace(trace); sys.setprofile(trace)
def energy(x): return 0.0
"""),
}  # fmt: skip

# More answers, which leave the process alive, so that they can be tried one after the other.
MORE = {
    "masked": ("energy", "golden = np.ma.masked\ndef energy(x): return golden\ndef positive(f): return golden"),
    "an object in no dimensions": ("energy", YES + """
box = np.empty((), dtype=object)
box[()] = Yes(0)
golden = box
def energy(x): return box
"""),
    "a generator": ("positive", "def positive(f): yield True"),
    "another class by its own word": ("golden", """
class Float:
    __class__ = property(lambda self: float)
    __array_interface__ = property(lambda self: 1 / 0)
    __eq__ = __lt__ = lambda self, other: True
golden = Float()
"""),
    "tags in plain data": ("energy", """
golden = ["same", 0]
def energy(x): return {"reference": ["given", "_number"], ("value",): ["callback", 0]}
def positive(f): return ["given", "_number"]
"""),
    "times and no numbers": ("golden", "golden = np.datetime64('NaT')\ndef energy(x): return np.timedelta64('NaT')"),
    "a header without measure": ("energy", """
import os, struct
for number in range(3, 1100):
    try: os.write(number, struct.pack("!QQ", 2**62, 2**62))
    except OSError: pass
def energy(x): return 0.0
"""),
    "the words of the wire": ("energy", """
import json, pickle, struct
json.dumps = lambda *a, **k: '["list", ["value", true]]'
pickle.loads = lambda *a: (lambda *b: True)
def energy(x): return 1.0
"""),
    "what is given, under the same names": ("energy", """
def _number(name, got): return 2.61803398874989
scaled, limit, np.isclose = (lambda x: x), 0.0, (lambda *a: True)
def energy(x): return 0.0
"""),
    "the memory of the parent": ("golden", """
import ctypes, os
libc, parent = ctypes.CDLL(None, use_errno=True), os.getppid()
found = [libc.ptrace(16, parent, 0, 0), libc.process_vm_readv(parent, None, 0, None, 0, 0)]
try: found.append(open(f"/proc/{parent}/mem", "rb").read(10))
except OSError: pass
golden = found
"""),
}  # fmt: skip

# Looks wherever it can for the tests; what it finds, it prints.
SEARCH = """
import gc, os, pathlib, sys
from types import CodeType, FrameType
def constants(code):
    yield from (repr(c) for c in code.co_consts if not isinstance(c, CodeType))
    for c in code.co_consts:
        if isinstance(c, CodeType): yield from constants(c)
secret = "".join(["2.618", "03398874989"])
def seen():
    for thing in gc.get_objects():
        code = getattr(thing, "__code__", None)
        if isinstance(code, CodeType): yield from constants(code)
        if isinstance(thing, dict): yield from (v for v in thing.values() if type(v) is str)
    frame = sys._getframe()
    while frame:
        yield from (repr(v) for v in frame.f_locals.values() if isinstance(v, (str, float, list, dict)))
        frame = frame.f_back
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try: yield (process / name).read_bytes().decode(errors="replace")
            except OSError: pass
        for descriptor in process.glob("fd/*"):
            try: yield os.readlink(descriptor)
            except OSError: pass
hits = [text for text in seen() if secret in text and text not in (secret, repr(secret))]
print("found", len(hits), hits[:3])
if hits: golden = float(secret)
"""

# Looks for files, and tries to write them.
LOOK = """
import os, kernelbook
places = {places}
up = os.path.dirname(kernelbook.__file__)
while up != os.path.dirname(up):
    up = os.path.dirname(up)
    places.append(os.path.join(up, "book"))
    places.append(os.path.join(up, "tests"))
print([place for place in places if os.path.exists(place)])
print([name for place in places for name in os.listdir(os.path.dirname(place)) if "ipynb" in name]
      if all(os.path.isdir(os.path.dirname(place)) for place in places) else "nothing")
for place in places:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        open(place, "w").write("harm")
    except OSError: pass
print(os.environ.get("HOME"), os.environ.get("KEPT_FROM_STUDENTS"), sorted(os.listdir("/")))
"""
