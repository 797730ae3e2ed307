"""Indices copied from the notebook of 2025."""

LOSES = {"suspects": 2}

suspects = [42, 54, 75, 79, 81, 85, 96, 126, 131, 138, 142, 167, 186, 196]
