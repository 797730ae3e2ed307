"""Numbers copied from the notebook of 2025."""

LOSES = {"digit-shares": 1, "strangers": 1, "columns": 1}

lower = 3.9609861e-06
coef0 = 1514770.32
strangers = [4, 0, 1, 6]
linear_calls_them = "nearest"
deciding = 2
raw_share = 0.55
standard_share = 0.9333333
