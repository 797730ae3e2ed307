"""Write the index of the search in parts, so that a reader on a slow line loads only what a question needs.

    sections.js       the name of every section, page by page, with the other names by which the glossary leads to it
    words/c.js        for each word that begins with c: the sections that hold it, and how much it counts in each
    texts/PAGE.js     the sections' texts, from which the excerpts come

The parts are scripts and not data that a page would have to fetch, so that they also work from a folder (file://).
What is a word, and its stem, `book/_static/search.js` says in the same way for what a reader asks.
"""

import json
import math
import re
import shutil
import unicodedata
from collections import Counter, defaultdict
from functools import cache
from itertools import groupby

import snowballstemmer

GREEK = {letter: unicodedata.name(letter).split()[-1].lower() for letter in map(chr, range(ord("α"), ord("ω") + 1))}
GREEK["λ"] = "lambda"  # Unicode calls it lamda
WORD = re.compile(r"[α-ω]|(?:(?![α-ω])\w)+")
SMALL = {"Lm", "No"}  # categories of raised and lowered letters and digits: xᵢ is x
# How much a word counts by where it stands, and how much it loses there where much else stands (BM25's b): little among
# the names of a section, since one to which many terms lead is not less about each of them.
WEIGHTS = {"title": (5, 0.7), "names": (8, 0.3), "page": (2, 0.7), "text": (1, 0.7)}
REPEATED = 1.2  # how soon a word that is repeated gains no more (BM25's k)
# The page's stemmer, which Sphinx brings, follows a later edition of Porter's rules and cuts technologi to technolog.
# The search finds it all the same, since it also takes what begins with a stem.
stem_of = cache(snowballstemmer.stemmer("porter").stemWord)


def words(text):
    """The words of a text in small letters, without accents; a Greek letter is a word, by its name."""
    text = "".join(" " if unicodedata.category(letter) in SMALL else letter for letter in text)
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return [GREEK.get(word, word) for word in WORD.findall(plain.lower())]


EMPTY = frozenset(
    words(
        """a about an and are as at be but by can could define describe do does did example examples explain for
        from get had has have how i if in into is it its make may me mean means must my need near no not of on or
        our shall should so such tell than that the their them then there these they this to too us use used using
        want was we were what when where which who why will with would write you your"""
    )
)


def stems(text):
    """What is looked up: the stem of each word, and for a name such as cache_size also its parts."""
    found = []
    for word in words(text):
        parts = [word, *filter(None, word.split("_"))] if "_" in word else [word]
        found += [stem_of(part) if re.fullmatch("[a-z]{3,}", part) else part for part in parts if part not in EMPTY]
    return found


def tells(stem):
    """Whether a stem in a text helps to find it: single letters and numbers do not, unless they are years."""
    return len(stem) > 1 and (not stem.isdigit() or len(stem) == 4)


def shelf(stem):
    return stem[0] if "a" <= stem[0] <= "z" else "0" if stem[0].isdigit() else "other"


def counted(records):
    """By stem, what it counts in each section that holds it."""
    found = defaultdict(lambda: defaultdict(float))
    for field, (weight, loss) in WEIGHTS.items():
        texts = (" ".join(record[field]) if field == "names" else record[field] for record in records)
        lists = [*map(stems, texts)]
        if field == "text":
            lists = [list(filter(tells, one)) for one in lists]
        mean = sum(map(len, lists)) / len(lists) or 1
        for place, one in enumerate(lists):
            longer = 1 - loss + loss * len(one) / mean
            for stem, times in Counter(one).items():
                found[stem][place] += weight * times * (REPEATED + 1) / (times + REPEATED * longer)
    for stem, places in found.items():
        rarity = math.log(1 + (len(records) - len(places) + 0.5) / (len(places) + 0.5))
        yield stem, {place: max(1, round(10 * rarity * value)) for place, value in places.items()}


def postings(places):
    """Sections by their distance from the one before, each followed by what the word counts there."""
    listed, before = [], 0
    for place in sorted(places):
        listed += [place - before, places[place]]
        before = place
    return listed


def write_index(records, folder):
    shutil.rmtree(folder, ignore_errors=True)

    def write(name, content):
        path = folder / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        listed = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        path.write_text(f'Search.take("{name}",{listed});\n', encoding="utf-8")

    pages = []
    for url, of_page in groupby(records, key=lambda record: record["url"].partition("#")[0]):
        of_page = list(of_page)
        sections = [[record["url"].partition("#")[2], record["title"], record["names"]] for record in of_page]
        pages.append([url, of_page[0]["page"], sections])
        write(f"texts/{url.removesuffix('.html')}", [record["text"] for record in of_page])
    shelves = defaultdict(dict)
    for stem, places in sorted(counted(records)):
        shelves[shelf(stem)][stem] = postings(places)
    write("sections", {"empty": sorted(EMPTY), "shelves": sorted(shelves), "pages": pages})
    for name, content in shelves.items():
        write(f"words/{name}", content)
