"""Attributes come back after an error or an interruption, and stay after success."""

from types import SimpleNamespace

import pytest

from kernelbook.runtime.rollback import restored_on_error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_restores_the_attributes_of_all_objects(error):
    changed, removed, added = SimpleNamespace(a=1), SimpleNamespace(a=1, b=2), SimpleNamespace()

    def work():
        with restored_on_error(changed, removed, added):
            changed.a, added.c = 2, 3
            del removed.b
            raise error

    with pytest.raises(error):
        work()
    assert [vars(one) for one in (changed, removed, added)] == [{"a": 1}, {"a": 1, "b": 2}, {}]


def test_success_keeps_the_changes():
    changed = SimpleNamespace(a=1)
    with restored_on_error(changed):
        changed.a = 2
    assert changed.a == 2
