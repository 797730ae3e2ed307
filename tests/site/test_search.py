"""The search: what it finds, how it shows it, what it loads, and the hits under the field while a reader types."""

import json
import re
from itertools import chain
from urllib.parse import urlencode

import pytest

from tests.site.serving import body_of, serving
from tests.site.test_pages import accessibility_violations
from tools.site.formula_lines import formula_line
from tools.site.search_index import stems, words

ANSWERED = {  # what a reader asks, and the first hit
    "how to choose gamma": "book/02-svc-choosing.html#search-by-cross-validation",
    "what is a support vector": "book/glossary.html#term-support-vector",
    "precomputed kernel matrix": "book/glossary.html#term-precomputed-kernel",
    "leave one out formula": "book/04-krr.html#thm-loo",
    "missing values": "book/glossary.html#term-missing-values",
    "γ": "book/glossary.html#term-width",
    "why scale features": "book/04-krr-practice.html#what-goes-wrong-and-how-to-see-it",
    "string kernel": "book/glossary.html#term-string-kernel",
    "representer theorem": "book/01-rkhs.html#thm-representer",
    "SVC C too large": "book/glossary.html#term-C",
    "lambda": "book/glossary.html#term-ridge",
    "KernelRidgeCV": "book/reference-estimators.html#kernelbook.KernelRidgeCV",
}
ASKED = {  # what readers of the field type, and where one of the first three hits leads
    "overfitting": "book/glossary.html#term-overfitting",
    "soft margin": "book/02-svc.html#when-no-line-will-do",
    "bandwidth": "book/notation.html#one-width-two-names",
    "kernel trick": "book/01-rkhs.html#the-same-solution-one-number-per-point",
    "kernel PCA": "book/glossary.html#term-kernel-principal-component-analysis",
    "SVM": "book/glossary.html#term-support-vector-classification",
    "cross-validation": "book/02-svc-choosing.html#search-by-cross-validation",
    "Mercer": "book/01-rkhs-mercer.html#thm-mercer",
    "probabilities": "book/02-svc-machines.html#does-f-know-a-probability",
    "missing values": "book/06-kernel-design-models.html#gaps-in-a-table",
    "class imbalance": "book/glossary.html#term-class-imbalance",
    "outlier detection": "book/02-svc-machines.html#one-class-alone",
    "Nystrom": "book/glossary.html#term-Nystrom-method",
    "convergence warning": "book/own-data.html#what-warnings-say",
    "quantiles": "book/03-svr-statistics.html#more-than-one-value-quantiles",
    "regularization parameter": "book/glossary.html#term-ridge",
    "overfiting": "book/glossary.html#term-overfitting",  # misspelled
    "Guassian kernel": "book/glossary.html#term-RBF-kernel",
    "SVMs": "book/glossary.html#term-support-vector-classification",
    "gaussian processes": "book/glossary.html#term-Gaussian-process",
    "working sets": "book/glossary.html#term-working-set",
    "semi-supervised": "book/glossary.html#term-harmonic-rule",
    "cache_size": "book/glossary.html#term-cache",
    "custom kernel": "book/glossary.html#term-kernel-of-one-s-own",
    "imbalanced": "book/glossary.html#term-class-imbalance",
    "RBF kernel": "book/glossary.html#term-RBF-kernel",
    "Gaussian kernel": "book/glossary.html#term-RBF-kernel",
    "choosing the width": "book/04-krr.html#two-knobs",
    "what is a kernel": "book/01-rkhs.html#def-kernel",
    "feature importance": "book/glossary.html#term-automatic-relevance-determination",
    "LinearSVC": "book/glossary.html#term-support-vector-classification",
    "too many samples": "book/glossary.html#term-Nystrom-method",
}


@pytest.fixture
def ask(visit, site):
    def asked(words, **options):
        opened = visit(f"{(site / 'search.html').as_uri()}?{urlencode({'q': words})}", **options)
        opened.page.wait_for_selector("#search-results > p")
        assert opened.complaints == []
        return opened.page

    return asked


@pytest.fixture(scope="module")
def find(browser, site):
    """The addresses of the hits, the best first, as the scripts find them."""
    page = browser.new_page()
    page.goto((site / "search.html").as_uri())
    yield lambda words: page.evaluate("async asked => (await Search.find(asked)).map(hit => hit.url)", words)
    page.close()


@pytest.mark.parametrize("words", ANSWERED)
def test_the_first_hit_answers_the_question(find, words):
    assert find(words)[0] == ANSWERED[words]


@pytest.mark.parametrize("words", ASKED)
def test_the_words_of_the_field_are_found_in_a_folder(find, words):
    assert ASKED[words] in find(words)[:3]


def of_library(url):
    return url.startswith(("book/reference", "book/kernels"))


@pytest.mark.parametrize("words", ["gamma", "decision function", "intercept"])
def test_the_reference_of_the_library_comes_after_the_prose(find, words):
    kinds = [of_library(url) for url in find(words)]
    assert kinds[:5] == [False] * 5
    assert True in kinds
    if len(words.split()) == 1:  # of several words, some sections hold but one, and come after all that hold both
        assert kinds == sorted(kinds)


def test_words_that_tell_nothing_are_dropped_and_letters_have_names(find):
    assert find("how do I choose the gamma?") == find("choose γ") != []
    assert find("the") == []


def test_excerpts_are_prose_around_the_words(ask):
    page = ask("duality gap")
    said = page.locator(".search-hits p").all_inner_texts()
    assert len(said) >= 5
    assert not [text for text in said if re.search(r"\\[a-z]+|\bimport |\$", text)]
    assert "gap" in {mark.lower() for mark in page.locator(".search-hits mark").all_inner_texts()}
    assert max(map(len, said)) < 400


def part(path):
    """What one of the scripts of the index gives to the search."""
    text = path.read_text("utf-8")
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


@pytest.fixture(scope="module")
def index(site):
    """The index as records, put together from its parts."""
    folder = site / "_static" / "search"
    found = []
    for url, page, sections in part(folder / "sections.js")["pages"]:
        texts = part(folder / "texts" / url.replace(".html", ".js"))
        for (anchor, title, names), text in zip(sections, texts, strict=True):
            address = f"{url}#{anchor}" if anchor else url
            found.append({"url": address, "page": page, "title": title, "names": names, "text": text})
    return found


FORMULAS = {
    "<msup><mi>n</mi><mn>2</mn></msup>": "n²",
    "<msub><mi>x</mi><mi>i</mi></msub>": "xᵢ",
    "<msub><mi>k</mi><mtext>pair</mtext></msub>": "k_pair",
    "<msup><mi>e</mi><mrow><mo form='prefix'>−</mo><mi>γ</mi></mrow></msup>": "e^(−γ)",
    "<mover><mi>w</mi><mo>ˆ</mo></mover><mo>=</mo><mn>1</mn>": "w\u0302 = 1",
    "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac><mi>d</mi>": "(a + b)/c d",
    "<msqrt><mrow><mi>g</mi><mi>h</mi></mrow></msqrt>": "√(gh)",
    "<mi>exp</mi><mo>\u2061</mo><mo form='prefix'>(</mo><mi>x</mi><mo>)</mo>": "exp(x)",
    "<mo>∑</mo><mi>log</mi><mo>\u2061</mo><mi>x</mi>": "∑log x",
}


@pytest.mark.parametrize("inside", FORMULAS)
def test_a_formula_is_a_line_of_text(inside):
    assert formula_line(f"<math><mrow>{inside}</mrow></math>") == FORMULAS[inside]


def test_formulas_stand_in_excerpts(ask, index):
    (theorem,) = [record["text"] for record in index if record["url"].endswith("#thm-loo")]
    assert "yᵢ − f\u0302₋ᵢ(xᵢ) = (yᵢ − f\u0302(xᵢ))/(1 − Hᵢᵢ)" in theorem
    assert "f\u0302₋ᵢ(xᵢ)" in ask("leave one out formula").locator(".search-hits p").first.inner_text()
    assert sum(" … " in record["text"] for record in index) < len(index) / 20


def test_a_search_without_hits_says_so(ask):
    assert ask("xylophone").locator("#search-results").inner_text().strip() == "For “xylophone”: no sections."


def test_the_first_hit_is_one_tab_away(ask):
    page = ask("duality gap")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.querySelector('.search-hits a')")


def test_what_is_asked_is_text_and_no_page(ask):
    page = ask("<img src=x onerror=document.title='taken'>")
    assert page.locator("#search-results img").count() == 0
    assert page.title() != "taken"


def test_every_hit_leads_to_a_place(site, index):
    assert len(index) > 400
    ids = {}
    for record in index:
        path, _, anchor = record["url"].partition("#")
        if path not in ids:
            ids[path] = set(re.findall(r'\bid="([^"]+)"', (site / path).read_text("utf-8")))
        assert not anchor or anchor in ids[path], record["url"]
    assert len({record["url"] for record in index}) == len(index)


def test_the_index_and_the_page_mean_the_same_by_a_word(site, browser, index):
    page = browser.new_page()
    page.goto((site / "search.html").as_uri())
    texts = [" ".join([record["title"], *record["names"], record["text"]]) for record in index]
    there = page.evaluate("texts => texts.map(text => Search.words(text))", texts)
    assert there == [*map(words, texts)]
    known = sorted({*chain.from_iterable(there)})
    stemmed = "async words => { await Search.load(); return words.map(word => Search.stems(word)); }"
    for word, said in zip(known, page.evaluate(stemmed, known), strict=True):
        for ours, theirs in zip(stems(word), said, strict=True):
            assert ours in (theirs, f"{theirs}i")  # a search also finds what begins with a stem
    page.close()


def test_a_question_loads_what_it_needs(visit, site):
    """On a line of 1.6 Mbit/s 100 kB take half a second."""
    asked = set()
    with serving(site, asked) as address:
        page = visit(f"{address}/search.html?q=how+to+choose+gamma").page
        page.locator(".search-hits a").first.wait_for()
    searching = {name for name in asked if re.search("search|language_data", name)}
    first = [name for name in searching if "/texts/" not in name]
    assert sum(len(body_of(site / name)) for name in first) < 100_000
    assert {name for name in searching if "/words/" in name} == {f"_static/search/words/{letter}.js" for letter in "cg"}
    assert sum(len(body_of(path)) for path in (site / "_static/search").rglob("*.js")) > 300_000


@pytest.fixture
def field(visit, site):
    """A page of the book with its search field open, and what it complains of."""
    seen = visit((site / "book/04-krr.html").as_uri())
    seen.page.keyboard.press("Control+k")
    seen.input = seen.page.locator("#pst-search-dialog input")
    seen.links = seen.page.locator("#pst-search-dialog .search-while-typing a")
    return seen


def test_hits_show_while_one_types(field):
    field.input.press_sequentially("how to choose gamma")
    field.links.nth(5).wait_for()
    assert field.links.count() == 6
    assert field.links.first.get_attribute("href").endswith(ANSWERED["how to choose gamma"])
    assert field.page.get_by_role("status").filter(has_text="5 of ").count() == 1
    assert field.complaints == []
    field.input.fill("")
    field.links.first.wait_for(state="detached")


def test_the_hits_while_typing_are_reached_by_keyboard(field):
    page = field.page
    field.input.fill("gamma")
    field.links.first.wait_for()
    focused = "document.activeElement.textContent"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == field.links.first.text_content()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused).startswith("All ")
    page.keyboard.press("Escape")
    assert field.links.count() == 0
    assert field.input.evaluate("input => input === document.activeElement")
    assert page.locator("#pst-search-dialog[open]").count() == 1
    field.input.fill("γ")
    field.links.first.wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=%CE%B3")
    page.locator("#search-results a").first.wait_for()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_hits_while_typing_stand_in_the_window(visit, site, width, theme):
    seen = visit((site / "book/04-krr.html").as_uri(), width=width, theme=theme)
    seen.page.keyboard.press("Control+k")
    seen.page.locator("#pst-search-dialog input").fill("support vector")
    links = seen.page.locator(".search-while-typing a")
    links.nth(5).wait_for()
    for box in (links.first.bounding_box(), links.last.bounding_box()):
        assert 0 <= box["x"]
        assert box["x"] + box["width"] <= width
        assert box["height"] >= 40
        assert box["y"] + box["height"] <= 900
    assert accessibility_violations(seen.page) == []


def test_the_count_of_hits_has_no_frame(ask):
    page = ask("duality gap")
    count = page.locator("#search-results > p")
    assert count.evaluate("p => p === document.activeElement")
    assert count.evaluate("p => getComputedStyle(p).outlineStyle") == "none"
