"""Figures whose values and points a reader moves."""

import kernelbook.plotting  # noqa: F401  first, since it says which packages are missing
from kernelbook.figures.bells import Bells
from kernelbook.figures.classifier import Classifier
from kernelbook.figures.clusters import Clusters
from kernelbook.figures.components import Components
from kernelbook.figures.curve import Band, Curve
from kernelbook.figures.draggable import Draggable, drag
from kernelbook.figures.one_class import OneClass
from kernelbook.figures.smo import SMO
from kernelbook.figures.tube import Tube

__all__ = [
    "SMO",
    "Band",
    "Bells",
    "Classifier",
    "Clusters",
    "Components",
    "Curve",
    "Draggable",
    "OneClass",
    "Tube",
    "drag",
]
