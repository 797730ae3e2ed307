"""Repeat an experiment on many seeds, and see what happens on average and how often it happens the other way."""

from numbers import Integral

import numpy as np

__all__ = ["replicate"]


class Replication(dict):
    """What an experiment gave: for each of its numbers, by name, an array with one value for each seed.

    Printed, it has a line for each number: the mean ± its standard error (the standard deviation of the values divided
    by the square root of their number), then in brackets the least and the largest value, and how many values have the
    opposite sign, if any. For what is true or false the line says in how many seeds it is true.
    """

    def __str__(self):
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:{width}}  {summary(values)}" for name, values in self.items())


def replicate(experiment, seeds=30):
    """Run an experiment once for each seed and gather its numbers.

    Parameters
    ----------
    experiment : callable
        Takes a seed, draws all that is random from it, and returns a dictionary with the same keys for every seed. Its
        values are numbers, or bools for what may be true or false.
    seeds : int or sequence of ints, default 30
        A number n stands for 0, …, n − 1.

    Returns
    -------
    Replication : dict from each key to an array of shape (number of seeds,)

    Raises
    ------
    ValueError
        If there are fewer than two seeds, or an experiment returns other keys for one seed than for the first.

    >>> def tosses(seed):
    ...     heads = np.random.default_rng(seed).integers(2, size=100).mean()
    ...     return {"heads - tails": 2 * heads - 1, "more heads": heads > 0.5}
    >>> found = replicate(tosses)
    >>> found["heads - tails"].shape
    (30,)
    >>> print(found)
    heads - tails  0.030 ± 0.018 (-0.20 to 0.18; 12 opposite)
    more heads     in 16 of 30
    """
    seeds = range(seeds) if isinstance(seeds, Integral) else list(seeds)
    if len(seeds) < 2:
        raise ValueError(f"seeds must be two at least, for a standard error; got {seeds!r}.")
    found = []
    for seed in seeds:
        found.append(dict(experiment(seed)))
        if found[-1].keys() != found[0].keys():
            raise ValueError(f"experiment: seed {seed} gave {[*found[-1]]}; the first seed gave {[*found[0]]}.")
    return Replication({name: np.array([one[name] for one in found]) for name in found[0]})


def summary(values):
    """The values of a number in one line, as Replication prints it."""
    count = len(values)
    if values.dtype == bool:
        return f"in {values.sum()} of {count}"
    if not np.isfinite(values).all():
        return f"not finite in {np.sum(~np.isfinite(values))} of {count}"
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(count)
    digits = max(0, 1 - int(np.floor(np.log10(error)))) if error else 3
    low, high = (f"{value:.{max(digits - 1, 0)}f}" for value in (values.min(), values.max()))
    opposite = int(np.sum(values * mean < 0))
    return f"{mean:.{digits}f} ± {error:.{digits}f} ({low} to {high}{f'; {opposite} opposite' if opposite else ''})"
