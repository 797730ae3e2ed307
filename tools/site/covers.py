"""Draw a cover for each chapter, a picture of its method at work, computed by the library."""

import re
from io import StringIO

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from kernelbook import RBF, SVC, SVR, KernelPCA, KernelRidge, Laplacian, Periodic, plotting
from kernelbook.plotting import palette
from kernelbook.plotting.pictures import cleaned, named_apart

SIZE = 3.2, 1.5  # inches
DOTS = {"linestyle": "none", "markeredgecolor": palette.PANEL, "markeredgewidth": 0.6}


def bells(ax):
    """Chapter 1: bells with weights, and their sum."""
    x, at = np.linspace(0, 10, 90), np.array([1.2, 2.6, 3.9, 5.3, 6.8, 8.4])
    weighted = np.array([1.0, 0.6, -0.9, 1.3, 0.7, -0.5]) * RBF(0.8)(x[:, None], at[:, None])
    for i, bell in enumerate(weighted.T):
        ax.fill_between(x, bell, color=palette.REGIONS[i % 3], linewidth=0)
    ax.plot(x, weighted, color=palette.GREY, linewidth=0.8)
    ax.plot(x, weighted.sum(axis=1), color=palette.INK, linewidth=2.4)
    ax.set(xlim=(0, 10), ylim=(-1.3, 1.9))


def border(ax):
    """Chapter 2: the widest border between two classes, and its margins."""
    X, moon = make_moons(60, noise=0.12, random_state=0)
    grid = np.stack(np.meshgrid(np.linspace(-1.9, 2.9, 97), np.linspace(-0.9, 1.35, 46)), axis=-1)
    f = SVC(RBF(2.0), C=30).fit(X, moon).decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    plane = grid[..., 0], grid[..., 1], f
    ax.contourf(*plane, levels=[-99, 0, 99], colors=palette.REGIONS[:2])
    ax.contour(*plane, levels=[-1, 0, 1], colors=palette.INK, linewidths=[0.8, 2, 0.8], linestyles=["--", "-", "--"])
    for c, colour, mark in ((0, palette.CLASSES[0], "s"), (1, palette.CLASSES[1], "o")):
        ax.plot(*X[moon == c].T, mark, color=colour, markersize=4.5, **DOTS)


def tube(ax):
    """Chapter 3: a curve in its tube, and the readings that hold it."""
    rng = np.random.default_rng(3)
    x, new = np.sort(rng.uniform(0, 10, 60)), np.linspace(0, 10, 90)
    y = np.sin(x) + 0.25 * rng.normal(size=60)
    y[::11] += rng.choice([-0.9, 0.9], size=6)
    model = SVR(RBF(0.4), C=3, epsilon=0.35).fit(x[:, None], y)
    f = model.predict(new[:, None])
    ax.fill_between(new, f - 0.35, f + 0.35, color=palette.BAND, linewidth=0)
    ax.plot(new, f, color=palette.INK, linewidth=2.2)
    held = np.isin(np.arange(60), model.support_)
    ax.plot(x[~held], y[~held], "o", color=palette.GREY, markersize=4, **DOTS)
    ax.plot(x[held], y[held], "o", color=palette.CLASSES[0], markersize=5.5, **DOTS)
    ax.set(xlim=(-0.1, 10.1), ylim=(-2.1, 2.1))


def ridges(ax):
    """Chapter 4: fits to the same points, from next to no ridge to a strong one."""
    rng = np.random.default_rng(1)
    x, new = np.sort(rng.uniform(0, 10, 24)), np.linspace(0, 10, 150)
    y = np.sin(x) + 0.4 * np.sin(3 * x) + 0.25 * rng.normal(size=24)
    for ridge in np.geomspace(1e-5, 30, 11):
        f = KernelRidge(alpha=ridge, kernel=RBF(1.0)).fit(x[:, None], y).predict(new[:, None])
        ax.plot(new, f, color=palette.CLASSES[1], linewidth=0.7, alpha=0.6)
    f = KernelRidge(alpha=0.1, kernel=RBF(1.0)).fit(x[:, None], y).predict(new[:, None])
    ax.plot(new, f, color=palette.INK, linewidth=2.4)
    ax.plot(x, y, "o", color=palette.CLASSES[0], markersize=5, **DOTS)
    ax.set(xlim=(-0.1, 10.1), ylim=(-2.2, 2.2))


def components(ax):
    """Chapter 5: level lines of two components of three heaps."""
    rng = np.random.default_rng(2)
    X = np.repeat([[-2.2, -0.3], [0.1, 0.6], [2.2, -0.4]], 25, axis=0) + 0.33 * rng.normal(size=(75, 2))
    grid = np.stack(np.meshgrid(np.linspace(-3.6, 3.6, 97), np.linspace(-1.65, 1.7, 46)), axis=-1)
    scores = KernelPCA(2, kernel=RBF(0.6)).fit(X).transform(grid.reshape(-1, 2)).T.reshape(2, *grid.shape[:2])
    for score, colour in zip(scores, (palette.CLASSES[1], palette.CLASSES[2]), strict=True):
        levels = np.linspace(score.min(), score.max(), 9)[1:-1]
        ax.contour(grid[..., 0], grid[..., 1], score, levels=levels, colors=colour, linewidths=1.1, linestyles="-")
    ax.plot(*X.T, "o", color=palette.INK, markersize=3.5, **DOTS)


def draws(ax):
    """Chapter 6: the same random numbers, through three kernels."""
    x, rng = np.linspace(0, 10, 240)[:, None], np.random.default_rng(5)
    z = rng.normal(size=240)
    for i, kernel in enumerate((Laplacian(0.4), RBF(0.5), Periodic(2.5, 1.0) * RBF(0.02))):
        mu, V = np.linalg.eigh(kernel(x))
        f = V @ (np.sqrt(np.clip(mu, 0, None)) * (V.T @ z))
        ax.plot(x[:, 0], 0.7 * f / np.abs(f).max() + 1.6 * (1 - i), color=palette.CLASSES[i], linewidth=1.8)
    ax.set(xlim=(0, 10), ylim=(-2.5, 2.5))


COVERS = {1: bells, 2: border, 3: tube, 4: ridges, 5: components, 6: draws}


def cover(chapter):
    """The cover of a chapter by its number, as an SVG that says nothing to a screen reader."""
    with plt.rc_context():
        plotting.use_style()
        figure = plt.figure(figsize=SIZE, layout="none")
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        COVERS[chapter](ax)
        figure.savefig(file := StringIO(), format="svg", metadata={"Date": None})
        plt.close(figure)
    svg = named_apart(cleaned(file.getvalue()), f"cover-{chapter}")
    return re.sub(r'<svg(.*?) width="[^"]*" height="[^"]*"', r'<svg class="cover" aria-hidden="true"\1', svg, count=1)
