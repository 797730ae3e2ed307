"""The first page of the built book: what a stranger sees of it on the first screen, and the cards of its chapters."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from tools.site.chapters import Cards
from tools.site.covers import cover
from tools.site.kernelbook_site import link_repository

LANDING = "book/index.html"


@pytest.fixture(scope="module")
def landing(site):
    return BeautifulSoup((site / LANDING).read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_screen_says_what_this_is_and_has_an_explorer(visit, site, width, height):
    page = visit((site / LANDING).as_uri(), width=width).page
    page.set_viewport_size({"width": width, "height": height})
    article = page.locator("article.bd-article")
    first_link = article.get_by_role("link", name="chapter 1").first
    words = article.locator("p", has_text="A kernel says")
    explorer = article.locator("figure.explorer").first
    seen = [article.locator("h1"), words, first_link, explorer.locator("legend"), explorer.locator(".explorer-picture")]
    seen += [explorer.locator(".explorer-result"), explorer.locator("input[type=range]").first]
    for part in seen:
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height, part
    assert explorer.locator(".explorer-picture").bounding_box()["width"] > min(500, 0.85 * width)


def test_every_chapter_has_a_card_with_picture_needs_and_minutes(landing):
    cards = landing.select("ul.chapter-cards > li")
    pages = [a["href"] for a in landing.select(".bd-sidebar-primary li.toctree-l1 > a")]
    chapters = {page for page in pages if re.match(r"\d\d-", page)}
    assert {card.a["href"] for card in cards} == chapters
    for card in cards:
        (picture,) = card("svg")
        assert picture["aria-hidden"] == "true"
        assert "You need" in card.text
        assert re.search(r"takes about (\d+ hours?|\d+ minutes)", card.text)


def test_a_card_shows_the_cover_of_its_chapter_and_what_one_needs():
    paragraphs = [nodes.paragraph("", "You need vectors.", classes=["you-need"]), nodes.paragraph("", "Begin.")]
    pages = SimpleNamespace(docname="book/index", get_doctree={"book/02-svc": nodes.section("", *paragraphs)}.get)
    card = nodes.list_item("", nodes.paragraph("", "Support vector machines"))
    Cards.complete(SimpleNamespace(env=pages), card, "book/02-svc.html")
    picture, title, needs = card.children
    assert picture.astext() == cover(2) != cover(3)
    assert [title.astext(), needs.astext()] == ["Support vector machines", "You need vectors."]


def test_a_card_is_a_link_all_over(visit, site):
    page = visit((site / LANDING).as_uri()).page
    card = page.locator("ul.chapter-cards > li").last
    card.scroll_into_view_if_needed()
    address = card.get_by_role("link").get_attribute("href")
    box = card.locator("svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(f"**/{address}")


def test_the_answer_does_not_follow_the_question_at_once(landing):
    """Between the explorer and what it shows stands a section of its own."""
    explorer = landing.select_one("figure.explorer")
    following = [heading.get_text(strip=True).rstrip("#") for heading in explorer.find_all_next("h2")]
    answer = landing.find(string=re.compile("overfitting"))
    assert following.index(answer.find_previous("h2").get_text(strip=True).rstrip("#")) >= 1


@pytest.mark.parametrize(("url", "shown"), [("", False), ("https://example.org/kernelbook", True)])
def test_the_repository_has_a_button_where_its_address_is_known(url, shown):
    config = SimpleNamespace(html_theme_options={"repository_url": url, "use_repository_button": not shown})
    link_repository(None, config)
    assert config.html_theme_options["use_repository_button"] is shown
