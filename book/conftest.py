"""What the kernels that nbval starts inherit."""

import os

# nbval compares everything that a cell writes, so they are not to say that they compile.
os.environ["KERNELBOOK_QUIET"] = "1"

# Several processes with several threads each get in each other's way.
if "PYTEST_XDIST_WORKER" in os.environ:
    for library in ("OMP", "OPENBLAS"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
