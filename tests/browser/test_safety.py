"""Text from users is never markup, and the page runs nothing but its own modules."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

import treewright.server

PAGE = Path(treewright.server.__file__).parent / "page"

MARKUP = [
    "<img src=x onerror=window.attacked=1> bites .",
    "<script>window.attacked=1</script> bites .",
    '"><svg onload=window.attacked=1> bites .',
    "</text></svg><iframe src=javascript:parent.attacked=1> bites .",
    "{{constructor.constructor('window.attacked=1')()}} bites .",
    "javascript:window.attacked=1 &lt;b&gt; bites .",
]


@pytest.mark.parametrize(
    ("text", "way"), [*((text, "typed") for text in MARKUP), *((text, "link") for text in MARKUP[:3])]
)
def test_markup_is_text(visit, text, way):
    if way == "link":
        page = visit.open("#i=99&s=" + quote(text))
    else:
        page = visit.open()
        page.fill("#text", text)
    page.wait_for_function(
        "() => [...document.querySelectorAll('#tree .form')].some(one => one.textContent === 'bites')"
    )
    shown = ""
    turns = page.locator("#sentences:not([hidden]) button")
    for number in range(max(turns.count(), 1)):
        if turns.count():
            turns.nth(number).click()
        shown += "".join(page.locator("#tree .form").all_text_contents())
    assert shown.replace(" ", "") == text.replace(" ", "")
    visit.word(1).click()
    for tab in ("kbest", "matrix", "list", "word"):
        page.click(f"#tab-{tab}")
        visit.settled()
    page.wait_for_timeout(100)
    assert page.evaluate("window.attacked") is None
    assert page.locator("main img, main script, main iframe, main b").count() == 0


def test_markup_in_the_constraints_of_a_link(visit):
    attack = (
        '[{"labels":[[null,1,"<img src=x onerror=window.attacked=1>"]],"at_most_one":["<script>alert(1)</script>"]}]'
    )
    page = visit.page
    page.goto(visit.address + "#s=Dogs+bark&c=" + quote(attack))
    page.wait_for_function("() => document.getElementById('error').textContent")
    assert page.evaluate("window.attacked") is None
    assert page.locator("main img, main script").count() == 0


def test_nothing_in_the_page_makes_markup_of_text():
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML|srcdoc"
        r"|\beval\(|new Function"
    )
    modules = sorted(PAGE.glob("*.js"))
    assert len(modules) > 10
    assert [(one.name, found) for one in modules if (found := re.findall(forbidden, one.read_text()))] == []


def test_nothing_in_the_page_is_inline_or_from_elsewhere():
    markup = (PAGE / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)", markup)
    texts = {one.name: one.read_text() for one in PAGE.iterdir() if one.suffix in (".js", ".css", ".html")}
    addresses = {
        (name, url) for name, text in texts.items() for url in re.findall(r"(?:https?:)?//\w[\w.]*\.\w+", text)
    }
    assert {url for _, url in addresses} <= {"http://www.w3.org"}
