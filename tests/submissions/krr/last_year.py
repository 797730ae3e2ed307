"""Numbers copied from the notebook of 2025."""

LOSES = {"errors": 1, "verdict": 1, "choose": 2}

polynomial_errors = [0.1663, 0.1594, 0.1433, 0.1129]
kernel_errors = [0.15316, 0.11329, 0.01164, 0.01742]
ratio = 9.699
closer_than_noise = "kernel"
gamma = 0.1
reason = 0.2260
