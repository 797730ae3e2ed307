"""Drawings beside the numbers of an experiment: they say what was printed, and nothing that was printed is lost."""

import re

import numpy as np
import pytest
from bs4 import BeautifulSoup

from kernelbook.experiments import Replication
from tests.site.pages import site_pages
from tools.site.replications import HEIGHT, MARGIN, WIDTH, groups, parts_of, table


def printed(numbers):
    return str(Replication({name: np.array(values) for name, values in numbers.items()}))


TEXT = printed(
    {
        "ridge − tube": [-0.1, 0.3, 0.1],
        "degrees": [40.0, 60.0, 50.0],
        "other − tube": [0.2, 0.1, 0.0],
        "wins": [True, False, True],
    }
)


def drawn(text):
    (rows,) = parts_of(text)
    return BeautifulSoup(table(rows), "html.parser")


def test_each_number_has_its_words_and_its_drawing():
    soup = drawn(TEXT)
    heads = [head.text for head in soup("th", scope="row")]
    assert heads == ["ridge − tube", "other − tube", "degrees", "wins"]  # what shares a scale stands together
    words = {row.th.text: [cell.text for cell in row("td")[1:]] for row in soup.tbody("tr") if row.th}
    assert words["ridge − tube"] == ["0.10 ± 0.12", "−0.1 to 0.3, 1 the other way"]
    assert words["degrees"] == ["50.0 ± 5.8", "40 to 60"]
    assert words["wins"] == ["in 2 of 3", ""]
    assert len(soup("svg")) == 4


def test_places_in_a_drawing_are_those_of_the_numbers():
    soup = drawn(TEXT)
    rows = {row.th.text: row.svg for row in soup.tbody("tr") if row.th}

    def place(value, low, high):
        return MARGIN + (WIDTH - 2 * MARGIN) * (value - low) / (high - low)

    def ends(svg, kind):
        return [float(number) for number in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", svg.select_one(kind)["d"])[0]]

    for name, low, high, mean in (("ridge − tube", -0.1, 0.3, 0.1), ("other − tube", 0.0, 0.2, 0.1)):
        svg = rows[name]
        assert float(svg.circle["cx"]) == pytest.approx(place(mean, -0.1, 0.3), abs=0.1)
        assert ends(svg, ".range") == pytest.approx([place(low, -0.1, 0.3), place(high, -0.1, 0.3)], abs=0.1)
        assert svg.select_one(".zero")["d"] == f"M{place(0, -0.1, 0.3):.1f} 0V{HEIGHT}"
    assert float(rows["degrees"].circle["cx"]) == pytest.approx(place(50, 0, 60), abs=0.1)
    whole, true = rows["wins"]("rect")
    assert float(true["width"]) / float(whole["width"]) == pytest.approx(2 / 3, abs=1e-3)


def test_a_level_and_a_difference_from_it_share_no_scale():
    soup = drawn(printed({"tube": [0.2, 0.1, 0.3], "ridge − tube": [0.2, 0.1, 0.3]}))
    assert len(soup.select("tr.ends")) == 2


def test_numbers_of_other_sizes_have_scales_of_their_own():
    (rows,) = parts_of(printed({"a": [1.0, 2.0], "b": [10.0, 15.0], "c": [300.0, 500.0]}))
    found = {tuple(row.name for row in group): scale for group, scale in groups(rows)}
    assert found == {("a", "b"): (0, 15), ("c",): (0, 500)}


@pytest.mark.parametrize(
    "text", ["error 0.3", printed({"alone": [1.0, 2.0]}), "ridge  0.1 ± 0.2  0.3 ± 0.1\ntube  1 ± 2  3"]
)
def test_other_outputs_stay_text(text):
    assert parts_of(text) == [text]


def test_lines_around_the_numbers_stay_text():
    assert [part if isinstance(part, str) else len(part) for part in parts_of(f"before\n{TEXT}\nafter\nend\n")] == [
        "before",
        4,
        "after\nend",
    ]


def test_all_that_pages_print_of_experiments_is_drawn(site):
    """Of two lines or more that follow each other, none is left as text."""
    tables = 0
    for name in site_pages():
        soup = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
        tables += len(soup.select("table.replication"))
        for output in soup.select("div.output pre"):
            assert all(isinstance(part, str) for part in parts_of(output.text)), name
    assert tables > 100
