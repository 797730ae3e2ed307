"""The compiled loops of kernels."""

import os
import subprocess
import sys

CODE = """
from kernelbook.kernels import GlobalAlignment, Subsequence
print((1e6 * Subsequence(3)(["abcabca", "", "bcaab", "ccba"])).round(3).tolist())
series = [[0.0, 1.0, 40.0], [0.5], [9.0, 1.0], [0.1] * 300]
print((1e6 * GlobalAlignment(1)(series[:3])).round(3).tolist())
for gamma in 0, 0.01, 30:
    print((1e6 * GlobalAlignment(gamma).normalized()(series)).round(3).tolist())
"""


def test_loops_give_the_same_uncompiled():
    outputs = []
    for disable in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
        done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 5
