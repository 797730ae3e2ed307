"""How the tests are run: by how many threads, without which packages, and in whose style figures are drawn."""

import os
import sys

import pytest

# Processes with several threads of linear algebra each get in each other's way; the kernels they start inherit this.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# WITHOUT="numba cvxopt psutil threads" pytest …: the library finds none of these, as in a browser.
WITHOUT = os.environ.get("WITHOUT", "").split()
if WITHOUT:
    sys.modules |= (absent := dict.fromkeys({*WITHOUT} - {"threads"}))  # so that importing them fails
    from kernelbook.runtime import available

    for name in absent:
        del sys.modules[name]
    available.THREADS &= "threads" not in WITHOUT


@pytest.fixture
def own_style():
    """The book's style, while a test draws; its figures are closed afterwards."""
    from matplotlib import pyplot as plt

    from kernelbook import plotting

    with plt.rc_context():
        plotting.use_style()
        yield
    plt.close("all")
