"""Find the tables in what a cell printed: columns of text, and sentences that differ in nothing but their numbers.

Lines are the rows of a table if all end in the same words around their numbers; what stands before is the row's name.
The words become the heads of the columns. Where there are none, the line above has the heads. Lines of words are rows
too if gaps of two spaces part them in columns. What is in doubt stays text.
"""

import re
from typing import NamedTuple

FEWEST_ROWS = 3
NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:e[+-]?\d+)?"
NUMERIC = re.compile(rf"{NUMBER}|NaN|\.")  # all that a column of numbers holds
VALUE = re.compile(
    rf"\[ *{NUMBER}(?: +{NUMBER})* *\]|\({NUMBER}(?:, *{NUMBER})+\)"  # a vector
    rf"|(?<![\w.^/]){NUMBER}(?:%| k?m(?=[\s,;]|$)|(?!\.?\w|[\^/]))"
    r"|(?<!\S)\.(?!\S)"  # a zero in a table of counts
    r"|\bNaN\b|(?P<word>\b(?:True|False|yes|no|right|wrong)(?= *[,;]| *$| {2}))"
)
JOINED = {"±", "of", "…", "and", "+", "="}  # between two numbers, they make one cell of them
BREAK = re.compile(r"[:;,](?:\s|$)|\(")  # between the words after one number and those before the next


class Cell(NamedTuple):
    """A piece of a line and its place; `key` is common to values of one kind, and is the text of a word."""

    text: str
    start: int
    end: int
    key: str


class Line(NamedTuple):
    text: str
    cells: list[Cell]


class Raw(NamedTuple):
    """A column as it was printed: the words before and after its values, and a cell for each row."""

    before: str
    after: str
    cells: list[Cell]
    is_name: bool = False

    @property
    def place(self):
        return min(cell.start for cell in self.cells), max(cell.end for cell in self.cells)


class Column(NamedTuple):
    """A head and a text for each row. A head may be empty; one that `goes_on` is that of the column at its left."""

    head: str
    cells: list[str]
    is_name: bool = False
    goes_on: bool = False


def parts_of(text):
    """The text in parts: tables, which are tuples of columns, and the text between them."""
    parts = [text.rstrip("\n").split("\n")]
    for rows_of in (sentences, gapped_columns):
        parts = [new for part in parts for new in (split(part, rows_of) if isinstance(part, list) else [part])]
    return ["\n".join(part) if isinstance(part, list) else part for part in parts]


def split(lines, rows_of):
    """Tables, and the lists of lines between them."""
    parts, rest, place = [], [], 0
    while place < len(lines):
        count, columns = rows_of(lines[place:])
        if columns and len(columns[0].cells) >= FEWEST_ROWS:
            headed = with_heads(columns, rest[-1]) if rest else None
            parts += [rest[:-1] if headed else rest, tuple(headed or finished(columns))]
            rest = []
            place += count
        else:
            rest.append(lines[place])
            place += 1
    return [part for part in [*parts, rest] if part]


# Sentences of one form


def sentences(lines):
    """How many lines from the first on end in one form, and their columns."""
    rows, end = [], None
    for line in map(parsed, lines):
        if not line.cells or is_of_matrix(line.text):
            break
        if rows:
            common = common_end(line, rows[0]) if end is None else min(end, common_end(line, rows[0]))
            if not any(is_value(cell) for cell in line.cells[len(line.cells) - common :]):
                break
            if not fits(line, rows, common, end) or not aligned([*rows, line], common):
                break
            end = common
        rows.append(line)
    if len(rows) < FEWEST_ROWS:
        return 0, []
    return len(rows), with_counted_heads(name_columns(rows, end), value_columns(rows, end))


def is_of_matrix(line):
    return line.lstrip().startswith("[")


def parsed(line):
    """A line's words and values."""
    cells, place = [], 0
    for match in [*VALUE.finditer(line), None]:
        words = re.finditer(r"\S+", line[place : match.start() if match else None])
        cells += [Cell(word[0], place + word.start(), place + word.end(), word[0]) for word in words]
        if match:
            kind = "word" if match["word"] else len(entries(match[0]))
            cells.append(Cell(match[0], *match.span(), f"value {kind}"))
            place = match.end()
    return Line(line, cells)


def entries(value):
    """The entries of a vector; none of a number."""
    return re.split(r",? +", value.strip("[]() ")) if value[0] in "[(" else []


def is_value(cell):
    return cell.key.startswith("value ")


def common_end(one, other):
    """How many cells two lines have in common at their ends."""
    pairs = zip(reversed(one.cells), reversed(other.cells), strict=False)
    different = (count for count, (left, right) in enumerate(pairs) if left.key != right.key)
    return next(different, min(len(one.cells), len(other.cells)))


def fits(line, rows, common, end):
    """Whether a line and the rows above it, which end in a form of `end` cells, may share one of `common` cells.

    One must see where it begins: with the line, after a colon or a gap, or at one place in all rows. A later row may
    have a name that is too long for its column. It may shorten the form by words, and if one place shows where the
    form begins, by values that belong to the names.
    """
    rows = [*rows, line]
    if len({len(row.cells) > common for row in rows}) > 1:
        return False
    begins = [row.cells[-common] for row in rows]
    if len({cell.start for cell in begins}) == 1 or (end and len({cell.end for cell in begins}) == 1):
        return True
    if common == end >= 3 and begins[-1].start > begins[0].start:
        return True
    lost = rows[0].cells[-end:-common] if end else []
    seen = (re.search(r"^ *$|: *$| {2}$", row.text[: cell.start]) for row, cell in zip(rows, begins, strict=True))
    return all(seen) and not any(map(is_value, lost))


def aligned(rows, end):
    """Whether values with nothing but space between them stand below each other."""
    tails = [row.cells[-end:] for row in rows]
    follows = [k for k in range(1, end) if is_value(tails[0][k - 1]) and is_value(tails[0][k])]
    places = {place for k in follows for place in (k - 1, k)}
    return all(max(tail[k].start for tail in tails) < min(tail[k].end for tail in tails) for k in places)


def name_columns(rows, end):
    """What stands before the form: as many columns as gaps part in all rows, or one."""
    names = [row.text[: row.cells[-end].start].rstrip() for row in rows]
    if not any(names):
        return []
    parted = [pieces(name) for name in names]
    if len({len(parts) for parts in parted}) > 1:
        parted = [[Cell(" ".join(name.split()), 0, len(name), "")] for name in names]
    return plain_columns(parted)


def value_columns(rows, end):
    places = [k for k, cell in enumerate(rows[0].cells[-end:]) if is_value(cell)]
    columns = [[row.cells[-end:][k] for row in rows] for k in places]
    texts = texts_between(rows[0], rows[0].cells[-end].start, [column[0] for column in columns])
    texts, columns = without_constants(texts, columns)
    found = [Raw(texts[0].strip(), "", columns[0])]
    for text, cells in zip(texts[1:], columns[1:], strict=False):
        if text.strip() in JOINED:
            pairs = zip(rows, found[-1].cells, cells, strict=True)
            found[-1] = found[-1]._replace(cells=[joined(row, left, right) for row, left, right in pairs])
        else:
            cut = BREAK.search(text)
            after, before = (text[: cut.start()], text[cut.end() :]) if cut else ("", text)
            found[-1] = found[-1]._replace(after=after.strip())
            found.append(Raw(before.strip(), "", cells))
    found[-1] = found[-1]._replace(after=texts[-1].strip())
    return found


def without_constants(texts, columns):
    """The columns that vary, and the texts around them: a number that is part of a formula is one of the words."""
    for k in reversed(range(len(columns))):
        same = len({cell.text for cell in columns[k]}) == 1
        operated = re.match(r" [-+/] |\)", texts[k + 1]) or re.search(r"[-+/<≤] $|\($", texts[k])
        if same and operated and columns[k][0].text.isdigit() and len(columns) > 1:
            texts = [*texts[:k], texts[k] + columns[k][0].text + texts[k + 1], *texts[k + 2 :]]
            columns = columns[:k] + columns[k + 1 :]
    return texts, columns


def joined(row, left, right):
    return Cell(" ".join(row.text[left.start : right.end].split()), left.start, right.end, "")


def texts_between(line, start, values):
    edges = [start, *(edge for cell in values for edge in (cell.start, cell.end)), len(line.text)]
    return [line.text[left:right] for left, right in zip(edges[::2], edges[1::2], strict=True)]


def with_counted_heads(names, values):
    """Take the first row as heads if it counts upwards, as 16, 32, 64 do, and no other row does."""
    columns = names + values
    if len(values) < 4 or any(column.before or column.after for column in values):
        return columns
    rows = [[cell.text for cell in row] for row in zip(*(column.cells for column in values), strict=True)]
    if [counts(row) for row in rows] != [True] + [False] * (len(rows) - 1):
        return columns
    return [column._replace(before=column.cells[0].text, cells=column.cells[1:]) for column in columns]


def counts(texts):
    numbers = [float(text) for text in texts if re.fullmatch(r"\d+(\.\d+)?", text)]
    return len(numbers) == len(texts) and numbers == sorted({*numbers})


# Columns of words


def pieces(line):
    """The parts of a line between gaps of two spaces."""
    return [Cell(part[0], *part.span(), "") for part in re.finditer(r"\S+(?: \S+)*", line)]


def plain_columns(rows):
    """Columns without words of their own. All that do not hold numbers are names."""
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    return [Raw("", "", cells, not all(NUMERIC.fullmatch(cell.text) for cell in cells[1:])) for cells in columns]


def gapped_columns(lines):
    """How many lines from the first on have columns parted by gaps, and these columns."""
    rows = []
    for line in lines:
        row = pieces(line)
        if len(row) < 2 or is_of_matrix(line) or (rows and len(row) != len(rows[0])):
            break
        columns = [[*above, cell] for above, cell in zip(zip(*rows, strict=True), row, strict=True)] if rows else []
        if any(max(cell.start for cell in cells) >= min(cell.end for cell in cells) for cells in columns):
            break
        rows.append(row)
    columns = plain_columns(rows)
    if all(column.is_name for column in columns):
        return 0, []
    if any(not (column.is_name or NUMERIC.fullmatch(column.cells[0].text)) for column in columns):
        columns = [column._replace(before=column.cells[0].text, cells=column.cells[1:]) for column in columns]
    return len(rows), columns


# Heads


def finished(columns):
    """Columns whose own words are their heads."""
    return [new for column in columns for new in finished_column(column)]


def finished_column(column):
    before, after = re.sub("(?<=.) *[=:]$", "", column.before.strip(" (")), column.after.strip(" )")
    texts = [cell.text.rstrip(":") if column.is_name else cell.text for cell in column.cells]
    if after and not after[0].isalpha():  # 0.569 + 0.133 + …
        texts, after = [f"{text} {after}" for text in texts], ""
    head = f"{before} … {after}" if before and after else before or after
    vectors = [] if column.is_name else [*map(entries, texts)]
    if len({*map(len, vectors)}) != 1 or not vectors[0]:
        return [Column(head, texts, column.is_name)]
    return [Column(head, list(cells), False, k > 0) for k, cells in enumerate(zip(*vectors, strict=True))]


def with_heads(columns, line):
    """Columns whose heads are in the line above, or None if it does not have a head for each that has no words."""
    values = [column for column in columns if not column.is_name]
    wordless = sum(not (column.before or column.after) for column in values)
    if 2 * wordless <= len(values) or re.search(r"\d\.\d|[:;]", line):
        return None
    names = next(k for k, column in enumerate(columns) if not column.is_name)
    edge = columns[names - 1].place[1] if names else 0
    groups, heads, free = pieces(line), [[] for _ in columns], len(columns) - names
    if len(groups) == len(columns) or (len(groups) == free and groups[0].start >= edge):
        placed = zip(range(len(columns) - len(groups), len(columns)), groups, strict=True)
    elif len(groups) == free + 1 and groups[0].start < edge:
        placed = zip([0, *range(names, len(columns))], groups, strict=True)
    elif len(groups) > 1:
        placed = by_place(columns, groups)
    else:  # a sentence
        return None
    for k, group in placed:
        heads[k].append(group.text)
    if not all(head or column.is_name or k == 0 for k, (head, column) in enumerate(zip(heads, columns, strict=True))):
        return None
    headed = []
    for k, (head, column) in enumerate(zip(heads, columns, strict=True)):
        texts = [" ".join(filter(None, [column.before, cell.text, column.after])) for cell in column.cells]
        texts = [text.rstrip(" :") for text in texts]
        goes_on = bool(heads[0]) and not head and 0 < k < names
        is_name = column.is_name or bool(column.before)
        headed.append(Column(" ".join(head).strip(" =,"), texts, is_name, goes_on))
    return headed


def by_place(columns, groups):
    """Pairs of a column and what stands above it. Words above several columns are parted, unless all are names."""
    for group in groups:
        covered = covered_by(group, columns)
        if len(covered) == 1 or all(columns[k].is_name for k in covered):
            yield covered[0], group
            continue
        for word in re.finditer(r"\S+", group.text):
            cell = Cell(word[0], group.start + word.start(), group.start + word.end(), "")
            yield covered_by(cell, columns)[0], cell


def covered_by(cell, columns):
    """The columns below a cell, or the next that ends at the cell or right of it: numbers end where their heads do."""
    below = [k for k, column in enumerate(columns) if cell.start < column.place[1] and column.place[0] < cell.end]
    right = (k for k, column in enumerate(columns) if column.place[1] >= cell.end)
    return below or [next(right, len(columns) - 1)]
