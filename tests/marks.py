"""What a run of the tests is asked to do, and what it says where something is not installed."""

import os

import pytest

CI, THOROUGH, NIGHTLY = (os.environ.get(name, "0") not in ("", "0") for name in ("CI", "THOROUGH", "NIGHTLY"))
nightly = pytest.mark.skipif(not NIGHTLY, reason="takes very long: NIGHTLY=1")
thorough = pytest.mark.skipif(not THOROUGH, reason="takes long: THOROUGH=1")


def missing(reason, required):
    if required:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
