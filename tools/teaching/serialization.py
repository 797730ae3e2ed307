"""The wire format between the grader and the process that runs a student's code: data, never a student's pickles.

A frame is a header of two 8-byte lengths, then JSON, then the bytes of arrays. In JSON, null, booleans, numbers and
strings stand for themselves, and everything else is a list that begins with a tag: ["tuple", [1, 2]]. A value without a
form of its own goes through `encode_other` and `decode_other`, which each side defines. Reading builds nothing but
numbers, strings, containers, arrays, and the library's kernels and functions of their spaces. If a list or an array
occurs twice in a message of the grader, it stays one object: ["same", 3] is the fourth such object. Messages of the
answers may not use this, because a short message could then describe an enormous value.
"""

import json
import re
import struct
from collections import deque
from collections.abc import Iterator, KeysView, Mapping, Set, ValuesView
from fractions import Fraction

import numpy as np

HEADER = struct.Struct("!QQ")
MAX_FRAME_BYTES = 2**27  # enough for a Gram matrix of 4000 points
MAX_ITEMS = 3_000_000  # in all containers of a frame together
MAX_DEPTH = 60  # levels of nested containers
SHARED_TAGS = {"list", "dict", "set", "array", "objects"}  # mutable objects, whose identity is kept
SENDABLE_KINDS = "biufcSUmM"  # dtype kinds of the arrays that are sent as bytes
DTYPE = re.compile(rf"[<>|=][{SENDABLE_KINDS}]\d+(\[\d*\w+\])?")


class MessageError(Exception):
    """The bytes received are not a valid message."""


class UnsendableError(TypeError):
    """A value cannot be sent."""


def refuse_tag(contents):
    raise MessageError(f"this is not a message: {contents[0]!r:.40}")


def pack(value, encode_other=lambda value: None, shared=False):
    """The frame of a value; `encode_other(value)` returns a tag and contents for a value without a form, or None."""
    writer = _Writer(encode_other, shared)
    try:
        text = json.dumps(writer.write(value, 0), separators=(",", ":")).encode()
    except RecursionError:
        raise UnsendableError("an answer is nested too deeply to be graded") from None
    writer.add(len(text))
    return b"".join([HEADER.pack(len(text), writer.end), text, *writer.blobs])


def unpack(text, blob, decode_other=refuse_tag, shared=False):
    """The value of a frame without its header; `decode_other([tag, *contents])` decodes the tags unknown here."""
    try:
        return _Reader(blob, decode_other, shared).read(json.loads(text), 0)
    except MessageError:
        raise
    except Exception as error:  # a forged message can cause anything
        raise MessageError(f"this is not a message ({type(error).__name__})") from None


def read_frame(file):
    """The two parts of the next frame of a binary file; raises EOFError at its end."""
    sizes = HEADER.unpack(_exactly(file, HEADER.size))
    if sum(sizes) > MAX_FRAME_BYTES:
        raise MessageError(f"a message of {sum(sizes)} bytes is too long")
    return [_exactly(file, size) for size in sizes]


def _exactly(file, size):
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


class _Writer:
    """Writes one value and counts its bytes and items."""

    def __init__(self, encode_other, shared):
        self.encode_other, self.shared, self.written = encode_other, shared, {}
        self.blobs, self.end, self.size, self.items = [], 0, 0, 0

    def add(self, size):
        self.size += size
        if self.size > MAX_FRAME_BYTES:
            raise UnsendableError(f"an answer of more than {MAX_FRAME_BYTES >> 20} MB is too large to be graded")

    def blob(self, data):
        self.add(len(data))
        self.blobs.append(data)
        self.end += len(data)
        return [self.end - len(data), len(data)]

    def all(self, values, depth):
        return [self.write(value, depth + 1) for value in values]

    def write(self, value, depth):
        self.items += 1
        if self.items > MAX_ITEMS:
            raise UnsendableError(f"an answer of more than {MAX_ITEMS} entries is too large to be graded")
        if depth > MAX_DEPTH:
            raise UnsendableError("an answer is nested too deeply to be graded")
        if id(value) in self.written:
            return ["same", self.written[id(value)][0]]
        write = next((write for kinds, write in _WRITERS if isinstance(value, kinds)), _Writer.other)
        node = write(self, value, depth)
        if self.shared and type(node) is list and node[0] in SHARED_TAGS:
            self.written[id(value)] = len(self.written), value  # a reference keeps the id from being used again
        return node

    def other(self, value, depth):
        for encode in (_encode_library, self.encode_other):
            if (found := encode(value)) is not None:
                return [found[0], *self.all(found[1:], depth)]
        if hasattr(type(value), "__array__"):
            array = np.asarray(value)
            if type(array) is np.ndarray:
                return self.array(array, depth)
        if hasattr(type(value), "__float__"):  # Decimal, and the numbers of other packages
            return float.__float__(float(value))
        raise UnsendableError(f"an answer of type {type(value).__name__} cannot be graded")

    def text(self, value, depth):
        value = str.__str__(value)
        self.add(len(value))
        return value

    def integer(self, value, depth):
        value = int.__int__(value)
        return value if value.bit_length() < 64 else ["int", hex(value)]

    def mapping(self, value, depth):
        return ["dict", [self.all(pair, depth + 1) for pair in dict(value).items()]]

    def iterator(self, value, depth):
        items = []
        for item in value:
            items.append(self.write(item, depth + 1))
        return ["iterator", items]

    def array(self, value, depth):
        value = np.asarray(value)
        if value.dtype.kind in SENDABLE_KINDS:
            self.add(value.nbytes)
            self.size -= value.nbytes  # `blob` counts these bytes again
            return ["array", value.dtype.str, list(value.shape), *self.blob(value.tobytes())]
        if value.dtype.kind == "O":
            return ["objects", list(value.shape), self.all(value.ravel().tolist(), depth)]
        raise UnsendableError(f"an array of {value.dtype} cannot be graded")


def _tagged(tag):
    return lambda writer, value, depth: [tag, writer.all(value, depth)]


_WRITERS = [
    ((type(None), bool), lambda writer, value, depth: value),
    (np.generic, lambda writer, value, depth: ["scalar", *writer.array(value, depth)]),  # some are floats as well
    (float, lambda writer, value, depth: float.__float__(value)),
    (int, _Writer.integer),
    (str, _Writer.text),
    (np.ndarray, _Writer.array),
    (list, _tagged("list")),
    (tuple, _tagged("tuple")),
    (dict, _Writer.mapping),
    (complex, lambda writer, value, depth: ["complex", complex(value).real, complex(value).imag]),
    ((bytes, bytearray), lambda writer, value, depth: ["bytes", *writer.blob(bytes(value))]),
    (set, _tagged("set")),
    (frozenset, _tagged("frozenset")),
    (range, lambda writer, value, depth: ["range", *writer.all([value.start, value.stop, value.step], depth)]),
    (slice, lambda writer, value, depth: ["slice", *writer.all([value.start, value.stop, value.step], depth)]),
    (Fraction, lambda writer, value, depth: ["fraction", *writer.all([value.numerator, value.denominator], depth)]),
    ((deque, KeysView, ValuesView), _tagged("list")),
    (Mapping, _Writer.mapping),
    (Set, _tagged("set")),
    (Iterator, _Writer.iterator),
]


class _Reader:
    """Reads one value and trusts nothing in it."""

    def __init__(self, blob, decode_other, shared):
        self.blob, self.decode_other, self.shared = memoryview(blob), decode_other, [] if shared else None

    def all(self, values, depth):
        return [self.read(value, depth + 1) for value in values]

    def read(self, node, depth):
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if depth > MAX_DEPTH + 5 or not isinstance(node, list):
            raise MessageError("this is not a message")
        tag, *rest = node
        value = self.readers[tag](self, *rest, depth) if tag in self.readers else self.other(tag, rest, depth)
        if self.shared is not None and tag in SHARED_TAGS:
            self.shared.append(value)
        return value

    def other(self, tag, rest, depth):
        rest = self.all(rest, depth)
        return _decode_library(tag, *rest) if tag in ("kernel", "function") else self.decode_other([tag, *rest])

    def bytes(self, start, size, depth=0):
        if not (type(start) is type(size) is int and 0 <= start <= start + size <= len(self.blob)):
            raise MessageError("this is not a message")
        return bytes(self.blob[start : start + size])

    def array(self, dtype, shape, start, size, depth):
        if not DTYPE.fullmatch(dtype) or not all(type(n) is int and n >= 0 for n in shape):
            raise MessageError("this is not a message")
        data = self.bytes(start, size)
        array = np.frombuffer(bytearray(data), np.uint8 if dtype[1] == "b" else dtype)
        return (array != 0 if dtype[1] == "b" else array).reshape(shape)  # a forged byte may be neither 0 nor 1

    def objects(self, shape, values, depth):
        array = np.empty(len(values), dtype=object)
        for place, value in enumerate(self.all(values, depth)):
            array[place] = value
        return array.reshape(shape)

    readers = {
        "same": lambda reader, number, depth: reader.shared[number],
        "int": lambda reader, text, depth: int(text, 16),
        "complex": lambda reader, real, imaginary, depth: complex(float(real), float(imaginary)),
        "bytes": bytes,
        "array": array,
        "scalar": lambda reader, tag, *rest: reader.readers[tag](reader, *rest)[()],
        "objects": objects,
        "list": lambda reader, items, depth: reader.all(items, depth),
        "tuple": lambda reader, items, depth: tuple(reader.all(items, depth)),
        "set": lambda reader, items, depth: set(reader.all(items, depth)),
        "frozenset": lambda reader, items, depth: frozenset(reader.all(items, depth)),
        "iterator": lambda reader, items, depth: iter(reader.all(items, depth)),
        "dict": lambda reader, pairs, depth: {k: v for k, v in (reader.all(pair, depth + 1) for pair in pairs)},
        "range": lambda reader, *rest: range(*reader.all(rest[:3], rest[3])),
        "slice": lambda reader, *rest: slice(*reader.all(rest[:3], rest[3])),
        "fraction": lambda reader, top, bottom, depth: Fraction(*reader.all([top, bottom], depth)),
    }


def _encode_library(value):
    """The tag and contents of a library kernel (class, parameters, fitted attributes) or of a function of its space."""
    from kernelbook import kernels
    from kernelbook.rkhs.functions import RKHSFunction

    if type(value) is RKHSFunction:
        return ["function", value.kernel, value.points, value.coefficients]
    if isinstance(value, kernels.FunctionKernel):  # the answer would compute its values
        raise UnsendableError("a kernel that is a function of the answer's own cannot be graded")
    name = type(value).__name__
    if isinstance(value, kernels.Kernel) and getattr(kernels, name, None) is type(value):
        parameters = value.get_params(deep=False)
        found = {key: value for key, value in vars(value).items() if _is_fitted(key) and key not in parameters}
        return ["kernel", name, parameters, found]
    return None


def _is_fitted(key):
    return key == "_rule" or (key.endswith("_") and not key.startswith("_"))


def _decode_library(tag, *contents):
    from kernelbook import kernels
    from kernelbook.rkhs.functions import RKHSFunction

    if tag == "function":
        if not isinstance(contents[0], kernels.Kernel):
            raise MessageError("this is not a function of a kernel of the library")
        return RKHSFunction(*contents)
    name, parameters, found = contents
    kind = getattr(kernels, name)
    is_answers_own = kind is kernels.FunctionKernel  # a function of the answer would compute its values
    if name not in kernels.__all__ or not issubclass(kind, kernels.Kernel) or is_answers_own:
        raise MessageError(f"there is no kernel {name!r:.40}")
    kernel = kind(**parameters)
    for key, value in found.items():
        if not _is_fitted(key) or hasattr(kind, key) or key in parameters:
            raise MessageError(f"a {name} has no {key!r:.40}")
        setattr(kernel, key, value)
    return kernel
