"""Tables in what cells print: nothing is lost, what is no table stays text, and drawings say what the numbers say."""

import json
import re
from collections import Counter
from html import unescape

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from tests.site.pages import SITE, site_pages
from tools.bookbuild.notebooks import find
from tools.site.printed_tables import MARGIN, WIDTH, PrintedTables, table
from tools.site.printed_tables import shown as as_prose
from tools.site.replications import Drawings
from tools.site.text_tables import parts_of

BOOK = SITE.parents[1] / "book"


def heads_and_rows(text):
    """The heads and the rows of the only table in a text."""
    (columns,) = (part for part in parts_of(text) if not isinstance(part, str))
    return [column.head for column in columns], [*zip(*(column.cells for column in columns), strict=True)]


def soup_of(text):
    (columns,) = (part for part in parts_of(text) if not isinstance(part, str))
    return BeautifulSoup(table(columns), "html.parser")


SENTENCES = """\
C =    0.1: largest α  0.10, error 0.383
C =      1: largest α  1.00, error 0.199
C =     10: largest α 10.00, error 0.209"""
KERNELS = """kernel           with offset       without
L⁺               0.680 ± 0.192    0.931 ± 0.050
heat, β = 0.5    0.594 ± 0.146    0.893 ± 0.088
exp(2S)          0.606 ± 0.127    0.528 ± 0.095"""


@pytest.mark.parametrize(
    ("text", "heads", "first"),
    [
        (SENTENCES, ["C", "largest α", "error"], ("0.1", "0.10", "0.383")),
        (KERNELS, ["kernel", "with offset", "without"], ("L⁺", "0.680 ± 0.192", "0.931 ± 0.050")),
        ("""\
a, b     errors 0, off by 0.1
c        errors 2, off by 0.3
long, d  errors 1, off by 0.2""",
         ["", "errors", "off by"], ("a, b", "0", "0.1")),
        ("""\
a, 1 df   0.1 ± 0.2, worst 3
b         0.1 ± 0.2, worst 3
a name of 1 df 0.1 ± 0.2, worst 3""",
         ["", "", "worst"], ("a, 1 df", "0.1 ± 0.2", "3")),
        ("""\
γ = 1: bend 1.0 times the sine's, off by 1
γ = 2: bend 1.4 times the sine's, off by 1
γ = 3: bend 1.9 times the sine's, off by 1""", ["γ", "bend … times the sine's", "off by"], ("1", "1.0", "1")),
        ("""\
K₁ + K₂  PSD in 200 of 200
K₁ − K₂  PSD in   0 of 200
|K₁ − 1| PSD in   9 of 200""",
         ["", "PSD in"], ("K₁ + K₂", "200 of 200")),
        ("""\
x = 1: bad [0.9 1.8], good 1
x = 2: bad [0.7 1. ], good 2
x = 3: bad [0.  0.1], good 3""",
         ["x", "bad", "bad", "good"], ("1", "0.9", "1.8", "1")),
        ("""\
β = 1: c = 5.1 (8 - 2^(β + 1) = 5.1)
β = 2: c = 4.0 (8 - 2^(β + 1) = 4.0)
β = 3: c = 0.0 (8 - 2^(β + 1) = 0.0)""",
         ["β", "c", "8 - 2^(β + 1)"], ("1", "5.1", "5.1")),
        ("""\
law      best ε V there  n=400
uniform   1.700   0.056   0.48
normal    0.612   1.235   1.20
laplace   0.000   0.500   0.53""",
         ["law", "best ε", "V there", "n=400"], ("uniform", "1.700", "0.056", "0.48")),
        ("""\
width       one    two
γ = 0.05  0.946  0.890
γ = 0.1   0.960  0.908
γ = 0.2   0.969  0.914""",
         ["width", "one", "two"], ("γ = 0.05", "0.946", "0.890")),
        ("""\
parts       16    32    64   128
linear:    9.1   7.6   7.3   7.3
square:    9.7   6.0   3.4   1.8
cube:      9.7   6.0   3.4   1.8""",
         ["parts", "16", "32", "64", "128"], ("linear", "9.1", "7.6", "7.3", "7.3")),
        ("""\
   Power Origin           Name
0  130.0    USA  chevelle malibu
1  165.0    USA  buick skylark 320
2    NaN     EU  fiat""",
         ["", "Power", "Origin", "Name"], ("0", "130.0", "USA", "chevelle malibu")),
        ("""\
truth  noise   own
bumps   0.01  1.04
bumps    0.1  1.10
tent    0.01  1.37
tent     0.1  1.37""",
         ["truth", "noise", "own"], ("bumps", "0.01", "1.04")),
        ("""\
C     exact  stable
0.03   1.00  no
0.10   0.20  no
0.32   0.20  yes""",
         ["C", "exact", "stable"], ("0.03", "1.00", "no")),
        ("""\
             measured  land
the best map     27 m  71 m
without ridge     0 m 211 m
no map at all   170 m 174 m""",
         ["", "measured", "land"], ("the best map", "27 m", "71 m")),
    ],
)
def test_words_become_heads_and_numbers_become_columns(text, heads, first):
    found, rows = heads_and_rows(text)
    assert (found, rows[0]) == (heads, first)
    assert len(rows) >= 3


@pytest.mark.parametrize(
    "text",
    [
        """\
[[1.  0.5 1. ]
 [0.5 1.  0.5]
 [1.  0.5 1. ]]""",
        """\
-1 atgtggtggggtctgactga
+1 tgccccgtatgcggccgggc
-1 tctgtattacgaggttccct""",
        """\
stopped early: it is not solved: after 300 steps
it is violated by 22.6, more than 0.001.
no kernel: not PSD""",
        "C = 1: error 0.3\nC = 2: error 0.4",  # two rows
        """\
R = 10: square 99, rectangle -99
equals 4: True
a new string: [0.3 0.4]
law 5, 7 of them""",
        """\
γ      0.02  0.05   0.1   0.2
ratio  1.88  0.83  0.50  0.37
error 0.055 0.049 0.036 0.029""",  # rows are columns
        """\
names of 1 car
the names of 3 cars
some other names of 4 cars""",  # no place shows where names end
        """\
a 1   2   3
b     2   3   4
c 1   2   3
d     2   3   4""",  # numbers that do not stand below each other
        """\
path to the power 0.6: PSD True
path to the power 0.4: PSD False, -7.2e-02
1 + 0.1ij to the power 1: PSD True""",
    ],
)
def test_what_is_no_table_stays_text(text):
    assert parts_of(text) == [text]


def test_a_sentence_above_a_table_is_no_line_of_heads():
    text = "mean of the scores\n  right: [2.6 1. ]\n  centred: [0.3 0.1]\n  by its own: [0.  0. ]"
    assert parts_of(text)[0] == "mean of the scores"


def test_lines_around_a_table_stay_where_they_are():
    parts = parts_of(f"alignment 0.941\n{SENTENCES}\n√2 = 1.414\nend\n{SENTENCES}\n")
    assert [part if isinstance(part, str) else len(part) for part in parts] == [
        "alignment 0.941",
        3,
        "√2 = 1.414\nend",
        3,
    ]


def test_a_sentence_below_a_table_is_no_row():
    text = """\
   Weight  Power
a    130.0     79
b    165.0     NaN
c     79.0     46
398 cars, gaps: 6, all in Power: 6"""
    assert [part if isinstance(part, str) else len(part) for part in parts_of(text)] == [
        3,
        "398 cars, gaps: 6, all in Power: 6",
    ]


def printed_of_book():
    """By notebook and cell, the texts that the book's cells print."""
    found = {}
    for path in find(BOOK):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                if "text" in output:
                    found[path.stem, cell["id"]] = found.get((path.stem, cell["id"]), "") + "".join(output["text"])
    return found


PRINTED = printed_of_book()


def words(text):
    """Words and numbers of a text; of punctuation, minus, ± and … alone."""
    return re.findall(r"[\w.'₀-₉⁻]+|[-+−±…]", text.replace("−", "-"))


def test_nothing_of_the_book_is_lost_in_a_table():
    """All words and numbers of a row are in its cells or in the heads above them, numbers in their order."""
    tables = 0
    for key, text in PRINTED.items():
        lines = [unescape(as_prose(line)) for line in text.split("\n") if line.strip()]  # 4·10⁻⁷ for 4e-07
        for part in parts_of(text):
            if isinstance(part, str):
                lines = lines[len(part.split("\n")) :] if part.strip() else lines
                continue
            tables += 1
            soup = BeautifulSoup(table(part), "html.parser")
            heads = [head.text for head in soup.select("thead th")]
            shown = [[cell.text for cell in row.find_all(["th", "td"])] for row in soup.select("tbody tr")]
            if len(lines) and not matches(heads, shown[0], lines[0]):  # a line of heads
                assert Counter(words(lines[0])) <= Counter(words(" ".join(heads))) + Counter("=,"), (key, lines[0])
                lines = lines[1:]
            for cells, line in zip(shown, lines, strict=False):
                assert matches(heads, cells, line), (key, line, cells)
            lines = lines[len(shown) :]
    assert tables > 80


def matches(heads, cells, line):
    """Whether cells and heads have each word of a line, the cells in its order."""
    given, rest = words(line), Counter(words(line))
    place = 0
    for word in (word for cell in cells for word in words(cell)):
        if word not in given[place:]:
            return False
        place = given.index(word, place) + 1
        rest[word] -= 1
    return +rest <= Counter(words(" ".join(heads)))


def test_the_tables_of_the_book():
    """Most of what is longer than four lines; a few by what they hold."""
    long = {key: parts_of(text) for key, text in PRINTED.items() if len(text.rstrip("\n").split("\n")) > 4}
    assert sum(any(not isinstance(part, str) for part in parts) for parts in long.values()) >= 55
    rows = {key: heads_and_rows(PRINTED[key]) for key in [("02-svc", "0e532a1c"), ("index", "best")]}
    assert rows["02-svc", "0e532a1c"][0] == ["", "errors", "least distance"]
    assert rows["index", "best"][0] == ["", "measured", "land", "median"]
    (title, rest) = [part for part in long["06-kernel-design-learning", "c011"]]
    assert [column.head for column in title] == ["", "mean", "sd", "rank", "HKH", "align", "near", "SVM", "C = 1"]
    assert rest == "(accuracies: ± 0.014 over the draws, or less)"


def test_an_output_keeps_what_is_no_table_and_experiments_keep_their_drawings():
    experiment = "ridge  0.10 ± 0.12 (-0.1 to 0.3; 1 opposite)\ntube   0.50 ± 0.12 (0.1 to 0.9)"
    document = new_document("page")
    text = f"before\n{experiment}\nbetween\n{SENTENCES}"
    document += nodes.literal_block(text, text, classes=["output", "stream"])
    document += nodes.literal_block(SENTENCES, SENTENCES)  # code is no output
    for transform in sorted((PrintedTables, Drawings), key=lambda transform: transform.default_priority):
        transform(document).apply()
    kinds = [re.search("replication|printed-table", node.astext()) for node in document]
    assert [kind and kind[0] for kind in kinds] == [None, "replication", None, "printed-table", None]
    assert [node.astext() for node in document.children[::2]] == ["before", "between", SENTENCES]


def places(soup, column):
    """For each row, the places of the dots in a column's drawing, as shares of the scale."""
    rows = [row.find_all(["th", "td"])[column] for row in soup.select("tbody tr")]
    return [[(float(dot["cx"]) - MARGIN) / (WIDTH - 2 * MARGIN) for dot in cell("circle")] for cell in rows]


def test_a_dot_stands_where_its_number_is_in_the_column():
    soup = soup_of("""\
C = 1: error 0.2, gap -1, size 1e+00
C = 2: error 0.3, gap 3, size 1e+01
C = 3: error 0.6, gap 1, size 1e+04""")
    assert places(soup, 0) == [[], [], []]  # it sets the rows apart
    for column, expected in [(1, [0, 0.25, 1]), (2, [0, 1, 0.5]), (3, [0, 0.25, 1])]:
        assert places(soup, column) == [[pytest.approx(share, abs=1e-2)] for share in expected]
    assert [len(row.select(".zero")) for row in soup.select("tbody tr")] == [1, 1, 1]  # gap alone has both signs


def test_spreads_shares_and_ranges_are_drawn_as_what_they_are():
    soup = soup_of("""\
a  0.5 ± 0.1, won 2 of 8, λ 2 … 3
b  0.6 ± 0.3, won 8 of 8, λ 4 … 2
c  0.7 ± 0.2, won 4 of 8, λ 2 … 3""")
    assert places(soup, 1)[0] == [pytest.approx((0.5 - 0.3) / 0.6, abs=1e-2)]
    assert places(soup, 2) == [[pytest.approx(share, abs=1e-2)] for share in (0.25, 1, 0.5)]
    assert places(soup, 3)[1] == [pytest.approx(1, abs=1e-2), pytest.approx(0, abs=1e-2)]
    assert len(soup.select(".whisker")) == 6


def test_columns_of_one_quantity_share_a_scale():
    soup = soup_of("""\
size    10%   40%  other
a      0.10  0.40   0.50
b      0.20  0.30   0.90
c      0.30  0.20   0.70""")
    assert [places(soup, 1)[0], places(soup, 2)[0]] == [[pytest.approx(0, abs=1e-2)], [pytest.approx(1, abs=1e-2)]]
    assert places(soup, 3)[0] == [pytest.approx(0, abs=1e-2)]


def test_settings_and_constants_have_no_drawing():
    soup = soup_of("""\
d = 1, D = 50: mean 0.5, sd 7
d = 1, D = 80: mean 0.4, sd 7
d = 2, D = 50: mean 0.6, sd 7
d = 2, D = 80: mean 0.1, sd 7""")
    assert [bool(places(soup, column)[0]) for column in range(4)] == [False, False, True, False]


def test_heads_and_names_are_heads():
    soup = soup_of(KERNELS)
    assert [head["scope"] for head in soup("th")] == ["col"] * 3 + ["row"] * 3
    assert soup.div["aria-label"] == "Table: kernel, with offset, without"
    assert soup.select("td.words") == []
    vectors = soup_of("""\
x = 1: bad [0.9 1.8], good 1
x = 2: bad [0.7 1. ], good 2
x = 3: bad [0.  0.1], good 3""")
    assert [head.get("colspan") for head in vectors.select("thead th")] == [None, "2", None]


def test_no_page_shows_a_table_as_text(site):
    tables = 0
    for name in site_pages():
        soup = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
        tables += len(soup.select(".printed-table"))
        for output in soup.select("div.output.stream pre"):
            assert all(isinstance(part, str) for part in parts_of(output.text)), name
    assert tables > 80
