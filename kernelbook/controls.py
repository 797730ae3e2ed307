"""What sliders hold and how the page calls it: the values, their names, Greek letters, powers of ten."""

import reprlib

import numpy as np

UNORDERED = (str, bytes, dict, set, frozenset)  # Python would go through these too, and not as anybody meant
LATIN = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi"]
LATIN += ["pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"]
GREEK = dict(zip(LATIN, "αβγδεζηθκλμνξπρστφχψω", strict=True))
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def options_of(name, options):
    """The values as a list that live and static sliders take, or ValueError."""
    if isinstance(options, UNORDERED) or not np.iterable(options):
        raise ValueError(f"{name} must be a list of values in the slider's order, got {_brief(options)}.")
    options = list(options)
    if not options:
        raise ValueError(f"{name} must hold at least one value, got an empty list.")
    seen = set()
    for value in options:
        if not _fits_a_slider(value):
            raise ValueError(
                f"{name} must hold numbers or names, got {_brief(value)}: give it a name, and look it up in draw."
            )
        if value in seen:
            raise ValueError(f"{name} must hold different values, but {_brief(value)} equals one before it.")
        seen.add(value)
    return options


def _fits_a_slider(value):
    """Whether it can be found again among others; None is what a live slider has where nothing is selected."""
    try:
        hash(value)
        return value is not None and bool(value == value)  # a NaN is not
    except TypeError:
        return False


def _brief(value):
    shape = getattr(value, "shape", ())
    return f"an array of shape {shape}" if shape else reprlib.repr(value)


def label_of(name):
    """A parameter's name as a slider's label: ridge_lambda is "ridge λ"."""
    return " ".join(GREEK.get(word, word) for word in name.split("_"))


def plain(value):
    """A value as it is typed: 1e-07, linear."""
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def text_of(value):
    """A value as the text writes it: 0.5, −1, 1000, 10⁻⁷, 3·10⁵, linear."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return str(value)
    mantissa, _, exponent = f"{value:.5e}".partition("e")
    if value == 0 or not exponent or -3 < int(exponent) < 4:
        return plain(value).replace("-", "−")
    power = "10" + str(int(exponent)).translate(RAISED)
    factor = plain(float(mantissa)).replace("-", "−")
    return {"1": power, "−1": f"−{power}"}.get(factor, f"{factor}·{power}")
