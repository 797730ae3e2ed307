"""The wire format between the grader and the answers: data arrive unchanged, and nothing else is accepted."""

import json
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from kernelbook import RBF, Laplacian, Linear
from kernelbook.kernels import FunctionKernel
from kernelbook.rkhs.functions import RKHSFunction
from tools.teaching import serialization
from tools.teaching.serialization import HEADER, MessageError, UnsendableError, pack, unpack

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)) | st.binary()
plain |= st.complex_numbers() | st.fractions() | npst.arrays(
    npst.integer_dtypes() | npst.floating_dtypes() | npst.boolean_dtypes() | npst.complex_number_dtypes()
    | npst.unicode_string_dtypes(), npst.array_shapes(min_dims=0, min_side=0, max_side=4)
)  # fmt: skip
keys = st.none() | st.booleans() | st.integers() | st.text() | st.fractions()
keys |= st.tuples(st.integers(), st.text())
values = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner) | st.frozensets(keys),
    max_leaves=12,
)


def sent(value, encode_other=lambda value: None, **how):
    frame = pack(value, encode_other)
    assert len(frame) == HEADER.size + sum(HEADER.unpack(frame[: HEADER.size]))
    return read(frame, **how)


def read(frame, **how):
    size = HEADER.unpack(frame[: HEADER.size])[0]
    return unpack(frame[HEADER.size :][:size], frame[HEADER.size + size :], **how)


def same(one, other):
    if isinstance(one, np.ndarray | np.generic):
        kinds = type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
        return kinds and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return type(other) is dict and same(list(one), list(other)) and same([*one.values()], [*other.values()])
    if isinstance(one, frozenset):
        return type(other) is frozenset and one == other
    return type(one) is type(other) and repr(one) == repr(other)  # nan, and minus zero, as they are


@given(values)
def test_data_come_as_they_were(value):
    assert same(value, sent(value))
    assert same(value, read(pack([value, value], shared=True), shared=True)[1])


@pytest.mark.parametrize(
    ("value", "becomes"),
    [
        (Counter("abca"), {"a": 2, "b": 1, "c": 1}),
        (defaultdict(list, {1: [2]}), {1: [2]}),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        ({1: 2}.keys(), [1]),
        ({1: 2}.values(), [2]),
        (deque([1, 2]), [1, 2]),
        (range(1, 9, 3), range(1, 9, 3)),
        (slice(1, None), slice(1, None)),
        ({1, 2}, {1, 2}),
        (bytearray(b"ab"), b"ab"),
        (Decimal("0.5"), 0.5),
        (2**4000, 2**4000),
        (-(2**64), -(2**64)),
        (np.float64(2.5), np.float64(2.5)),
        (np.int8(3), np.int8(3)),
    ],
)
def test_relatives_of_data_come_as_data(value, becomes):
    got = sent(value)
    assert type(got) is type(becomes)
    assert got == becomes


def test_arrays_of_other_kinds_come_as_arrays():
    objects = np.array([[1, "a"], [None, Fraction(1, 2)]], dtype=object)
    np.testing.assert_array_equal(sent(objects), objects)
    np.testing.assert_array_equal(sent(pd.Series([1.0, 2.0])), [1.0, 2.0])
    np.testing.assert_array_equal(sent(np.ma.array([1, 2], mask=[0, 1])), [1, 2])
    got = sent(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    np.testing.assert_array_equal(got, np.arange(6.0).reshape(2, 3))
    got[0, 0] = 7  # it is ours


def test_a_subclass_leaves_its_tricks_at_home():
    class Yes(np.ndarray):
        def __eq__(self, other):
            return True

    class Numeral(str):
        def __eq__(self, other):
            return True

        __hash__ = str.__hash__

    array, text = sent([np.zeros(2).view(Yes), Numeral("a")])
    assert type(array) is np.ndarray
    assert type(text) is str
    assert text != "b"


def test_an_iterator_gives_its_items_once():
    got = sent(map(abs, [-1, 2]))
    assert list(got) == [1, 2]
    assert list(got) == []


def test_kernels_and_functions_of_their_spaces_come_whole():
    k = (2 * RBF("median") + Linear()).fit([[0.0], [2.0], [5.0]])
    got = sent(k)
    assert type(got) is type(k)
    np.testing.assert_array_equal(got([[1.0]], [[3.0]]), k([[1.0]], [[3.0]]))
    f = RKHSFunction(Laplacian(gamma=1), [[0.0], [1.0]], [2.0, -1.0])
    np.testing.assert_array_equal(sent(f)([[0.5]]), f([[0.5]]))
    assert type(sent(f).kernel) is Laplacian


def test_what_has_no_form_goes_through_a_function_of_the_side():
    class Own:
        pass

    own = Own()

    def decode_other(contents):
        assert contents == ["own", 1]
        return own

    assert sent({"a": [own]}, lambda value: ["own", 1], decode_other=decode_other)["a"][0] is own
    for value in (own, len, RBF, RBF(gamma=1).fit, FunctionKernel(len), np.zeros(1, dtype="i,i")):
        with pytest.raises(UnsendableError):
            pack(value)


def test_a_function_of_the_answers_own_is_no_kernel():
    f = RKHSFunction(RBF(gamma=1.0), np.zeros((1, 1)), np.ones(1))
    assert sent(f)(np.zeros((1, 1))) == 1
    forged = '["function", ["own"], ["list", [1.0]], ["list", [1.0]]]'
    with pytest.raises(MessageError, match="not a function of a kernel"):
        unpack(forged.encode(), b"", decode_other=lambda contents: lambda X, Y: 1.0)


def test_what_is_too_large_is_not_sent(monkeypatch):
    monkeypatch.setattr(serialization, "MAX_FRAME_BYTES", 1000)
    monkeypatch.setattr(serialization, "MAX_ITEMS", 100)
    deep, endless = [], []
    for _ in range(100):
        deep = [deep]
    endless.append(endless)
    for value in (np.zeros(200), "a" * 2000, deep, endless, iter(int, 1), list(range(200))):
        with pytest.raises(UnsendableError):
            pack(value)


@pytest.mark.parametrize(
    "message",
    [
        "", "{", "{}", '{"a": 1}', "[]", '["kernel"]', '["nothing", 1]', "[1]", '["list", 5]', '["dict", [[1]]]',
        '["dict", [[["list", []], 1]]]', '["array", "O", [1], 0, 8]', '["array", "<f8", [1], 0, 80]',
        '["array", "<f8", [1], -8, 8]', '["array", "<f8", [-1], 0, 8]', '["array", "<f8", [2], 0, 8]',
        '["array", "V8", [1], 0, 8]', '["objects", [3], [1]]', '["int", "os"]', '["fraction", 1, 0]',
        '["kernel", "as_kernel", ["dict", []], ["dict", []]]', '["kernel", "__doc__", ["dict", []], ["dict", []]]',
        '["kernel", "Kernel", ["dict", []], ["dict", []]]', '["bytes", 0, 9]', "[[1]]", '["scalar", "os"]',
        '["kernel", "RBF", ["dict", [["length_scale", 1]]], ["dict", []]]',
        '["kernel", "FunctionKernel", ["dict", [["function", 1]]], ["dict", []]]',
        '["kernel", "RBF", ["dict", [["gamma", 1.0]]], ["dict", [["_block", 1]]]]',
        '["kernel", "RBF", ["dict", [["gamma", 1.0]]], ["dict", [["__class__", 1]]]]',
        '["function", 1, 2, 3]', "[" * 5000, '["list", [' * 500 + "]]" * 500,
    ],
)  # fmt: skip
def test_a_forged_message_is_refused(message):
    with pytest.raises(MessageError):
        unpack(message.encode(), bytes(8))


def test_what_is_one_thing_stays_one_where_the_grader_says_so(monkeypatch):
    x, y = [1, 2], np.zeros(2)
    a, b, (c, d), e = read(pack([x, y, (x, y), [1, 2]], shared=True), shared=True)
    assert a is c
    assert b is d
    assert a is not e
    for _ in range(50):
        x = [x, x]
    pack(x, shared=True)
    monkeypatch.setattr(serialization, "MAX_ITEMS", 30_000)
    with pytest.raises(UnsendableError, match="more than 30000 entries"):
        pack(x)
    with pytest.raises(MessageError):
        read(pack([y, y], shared=True))


def test_there_is_no_third_truth():
    got = unpack(json.dumps(["array", "|b1", [3], 0, 3]).encode(), b"\0\1\2")
    assert got.view(np.uint8).tolist() == [0, 1, 1]
