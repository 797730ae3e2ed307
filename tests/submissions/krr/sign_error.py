"""Leave-one-out errors as prediction minus observation."""

import numpy as np

LOSES = {"leave-one-out": 2}


def leave_one_out(K, y, ridge):
    H = np.linalg.solve(K + ridge * np.eye(len(y)), K)
    return (H @ y - y) / (1 - np.diag(H))
