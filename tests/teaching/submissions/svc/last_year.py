"""Numbers copied from the notebook of 2025."""

LOSES = {"chosen": 3}


def chosen_inside(X, y):
    return 0.17, [6, 6, 4, 6, 5]
