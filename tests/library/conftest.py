"""Settings that tests of several packages share."""

import pytest


@pytest.fixture
def as_compiled(monkeypatch):
    """SMO takes as many steps as where its loops are compiled, for tests that count them."""
    from kernelbook.qp import descent

    monkeypatch.setattr(descent, "PAIR_STEPS_PER_VARIABLE", 10)
