"""Right answers in other forms: lists, columns, single precision, other derivations."""

import numpy as np

LOSES = {}

club = [9 if i == team.index(max(team, key=team.count)) or team.count(team[i]) == 1 else i for i in range(5)]
c = np.linalg.eigh(0.0 + (np.equal.outer(team, team) | np.equal.outer(club, club)))[1][:, [0]]
ramps = np.float32(np.linalg.solve(np.minimum.outer(places, places), tops))[:, None]


def factors(s):
    return np.float32([[s * s], [s**-1], [s**-2]])


def missing(a, b):  # the roots of the determinant
    return np.sort(np.roots([-1, 2 * a * b, 1 - a**2 - b**2]).real).tolist()


def largest_mean(K):  # the length of the mean of features
    values, vectors = np.linalg.eigh(np.asarray(K))
    return [np.linalg.norm(np.sqrt(np.maximum(values, 0)) * vectors.mean(axis=0))]


def passes(p, r):
    ridge = (1 - p) / p  # with the first eigenvalue as the unit
    return np.array([[r / (r + ridge)]])


def to_mean(k, x, S):  # a quadratic form in all points
    a = np.append(1.0, np.full(len(S), -1 / len(S)))
    both = np.vstack([x, S])
    return [a @ k(both, both) @ a]
