"""What the kernels that nbval starts inherit."""

import os

# nbval compares everything that a cell writes, so they are not to say that they compile.
os.environ["KERNELBOOK_QUIET"] = "1"

# Several processes with several threads of linear algebra each get in each other's way.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
