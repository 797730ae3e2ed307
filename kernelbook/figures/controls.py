"""The values of sliders and how the page writes them: names of values, Greek letters, powers of ten."""

import re
import reprlib
from numbers import Number

import numpy as np

UNORDERED = (str, bytes, dict, set, frozenset)  # iterable, and yet not a list of values in the slider's order
LATIN = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi"]
LATIN += ["pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"]
GREEK = dict(zip(LATIN, "αβγδεζηθκλμνξπρστφχψω", strict=True))
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def checked_options(name, options):
    """The values of a slider as a list; ValueError if a live or a static slider could not hold them."""
    if isinstance(options, UNORDERED) or not np.iterable(options) or getattr(options, "ndim", 1) != 1:
        raise ValueError(f"{name} must be a list of values in the slider's order, got {_brief(options)}.")
    options = list(options)
    if not options:
        raise ValueError(f"{name} must hold at least one value, got an empty list.")
    taken = set()
    for value in options:
        if not _fits_a_slider(value):
            raise ValueError(
                f"{name} must hold numbers or names, got {_brief(value)}: give it a name, and look it up in draw."
            )
        identities = {value, plain(value), text_of(value)}  # for the slider, the page's address and the reader
        if identities & taken:
            raise ValueError(
                f"{name} must hold different values, but {_brief(value)} equals one before it, or is written like one."
            )
        taken |= identities
    return options


def are_names(options):
    """Whether the values are names, which have no order and get a button each."""
    return all(isinstance(value, str) for value in options)


def _fits_a_slider(value):
    """Whether the value is a number, a name, or a tuple of them, so that it can be looked up and read."""
    if isinstance(value, tuple):
        return all(_fits_a_slider(part) for part in value)
    return isinstance(value, str | Number | np.bool_) and bool(value == value)  # False for a NaN


def _brief(value):
    shape = getattr(value, "shape", ())
    return f"an array of shape {shape}" if shape else reprlib.repr(value)


def label_of(name):
    """A parameter's name as the label of its slider: ridge_lambda is "ridge λ", lambda_ is "λ"."""
    return " ".join(GREEK.get(word, word) for word in name.split("_") if word)


def plain(value):
    """A value as it is typed: 1e-07, linear."""
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def text_of(value):
    """A value as the text writes it: 0.5, −1, 1000, 10⁻⁷, 3·10⁵, linear. An integer keeps all its digits."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return str(value)
    short = f"{value:.5e}"
    mantissa, _, exponent = short.partition("e")
    is_long = isinstance(value, int | np.integer) and int(float(short)) != value
    if value == 0 or not exponent or -3 < int(exponent) < 4 or is_long:
        return plain(value).replace("-", "−")
    power = "10" + str(int(exponent)).translate(SUPERSCRIPTS)
    factor = plain(float(mantissa)).replace("-", "−")
    return {"1": power, "−1": f"−{power}"}.get(factor, f"{factor}·{power}")


def with_signs(text):
    """A text in which numbers are written as on a slider: −0.5 for -0.5, 4·10⁻⁷ for 4e-07."""
    text = re.sub(r"(?<![\w.])\d+(\.\d+)?e[+-]\d+(?!\w)", lambda number: text_of(float(number[0])), text)
    return re.sub(r"(?<!\w)-(?=\d)", "−", text)
