"""An experiment repeated over seeds, and what is printed of it."""

import numpy as np
import pytest

from kernelbook.experiments import replicate


def experiment(seed):
    return {"difference": seed - 1.5, "even": seed % 2 == 0}


def test_each_number_is_an_array_over_seeds():
    found = replicate(experiment, 4)
    np.testing.assert_array_equal(found["difference"], [-1.5, -0.5, 0.5, 1.5])
    np.testing.assert_array_equal(found["even"], [True, False, True, False])
    assert found["even"].dtype == bool
    np.testing.assert_array_equal(replicate(experiment, [7, 5])["difference"], [5.5, 3.5])
    assert len(replicate(experiment)["even"]) == 30


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([1.0, 2.0, 3.0], "x  2.00 ± 0.58 (1.0 to 3.0)"),
        ([-1.0, 4.0, 3.0], "x  2.0 ± 1.5 (-1 to 4; 1 opposite)"),
        ([-1e-6, -3e-6, 0.0], "x  -0.00000133 ± 0.00000088 (-0.0000030 to 0.0000000)"),
        ([1e6, 3e6, 5e6], "x  3000000 ± 1154701 (1000000 to 5000000)"),
        ([0.5, 0.5], "x  0.500 ± 0.000 (0.50 to 0.50)"),
        ([True, False, True], "x  in 2 of 3"),
        ([np.nan, 1.0, np.inf], "x  not finite in 2 of 3"),
        ([1, 2, 4], "x  2.33 ± 0.88 (1.0 to 4.0)"),
    ],
)
def test_what_is_printed(values, line):
    assert str(replicate(lambda seed: {"x": values[seed]}, len(values))) == line


def test_names_stand_in_a_column():
    printed = str(replicate(lambda seed: {"a": 1.0 + seed, "longer": 1.0 + seed}, 3))
    assert printed == "a       2.00 ± 0.58 (1.0 to 3.0)\nlonger  2.00 ± 0.58 (1.0 to 3.0)"


@pytest.mark.parametrize("seeds", [-3, 0, 1, [4]])
def test_one_seed_has_no_standard_error(seeds):
    with pytest.raises(ValueError, match="seeds must be two at least, for a standard error; got"):
        replicate(experiment, seeds)


def test_keys_that_change_are_named():
    with pytest.raises(ValueError, match=r"seed 1 gave \['b'\]; the first seed gave \['a'\]"):
        replicate(lambda seed: {"b" if seed else "a": 1.0}, 3)
