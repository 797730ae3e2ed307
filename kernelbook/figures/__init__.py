"""How the book draws, and figures whose values and points a reader moves."""

from kernelbook.figures.draggable import Draggable, drag
from kernelbook.figures.programs import Bells, Classifier

__all__ = ["Bells", "Classifier", "Draggable", "drag"]
