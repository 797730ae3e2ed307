"""Leave-one-out without the hat matrix: the errors of the fit at points it has seen."""

import numpy as np

LOSES = {"leave-one-out": 2, "one-system": 1}


def leave_one_out(K, y, ridge):
    return y - K @ np.linalg.solve(K + ridge * np.eye(len(y)), y)
