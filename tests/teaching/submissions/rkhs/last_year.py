"""Numbers copied from the notebook of 2025."""

LOSES = {"labels": 2, "zero": 1, "digit-shares": 1, "columns": 1}

dimension = 11
separated = 40
enough = 36
plain = 424.530561
free = 57.9687592
excess = 21.7231664
lower = 3.96098608e-06
coef0 = 1514770.32
deciding = 2
raw_share = 0.55
standard_share = 0.933333333
