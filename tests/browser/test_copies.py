"""Links that restore what was seen, and copies of the tree."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from tests.browser.conftest import SENTENCE
from treewright.treebank import read_string
from treewright.treebank.latex import escape_latex


def copied(visit, what):
    button = visit.page.locator(f"[data-copy={what}]")
    button.click()
    visit.page.wait_for_selector(f"[data-copy={what}][data-done=copied]")
    return visit.page.evaluate("navigator.clipboard.readText()")


def test_a_link_restores_text_model_constraints_and_tab(visit):
    page = visit.open()
    visit.type("I saw her duck .")
    visit.arc(visit.head(4), 4).locator(".label").click()
    page.wait_for_selector("#tree .required")
    page.select_option("#model", "en-linear")
    page.wait_for_function("() => location.hash.includes('m=en-linear')")
    page.click("#tab-list")
    visit.settled()
    chips, link = visit.chips(), copied(visit, "link")
    assert link.startswith(visit.address + "#")
    visit.open(link.removeprefix(visit.address))
    assert visit.words("I") == ["I", "saw", "her", "duck", "."]
    page.wait_for_selector("#tree .required")
    assert visit.chips() == chips != []
    assert page.input_value("#model") == "en-linear"
    assert page.get_attribute("#tab-list", "aria-selected") == "true"


def test_what_was_typed_is_in_no_address_that_the_server_sees(visit):
    visit.open("#s=Secrets+stay+here.")
    assert visit.words("Secrets") == ["Secrets", "stay", "here", "."]
    assert not any("Secrets" in url.partition("#")[0] for url in visit.asked)


def test_a_broken_link_still_opens_the_page(visit):
    page = visit.open("#s=Dogs+bark&c=%7Bbroken&m=nobody&i=99&v=nothing")
    assert visit.words("Dogs") == ["Dogs", "bark"]
    assert visit.chips() == []
    page.goto("about:blank")
    visit.open('#s=Dogs+bark&c=[{"required":[[2,1],["x",1],7],"at_most_one":[{}]},null,{"spans":[[1,2]]}]')
    visit.words("Dogs")
    page.wait_for_selector("#tree [data-key='a2-1'].required")
    assert visit.chips() == ["bark → Dogs"]


def test_conllu(visit):
    visit.open()
    [sentence] = read_string(copied(visit, "conllu"))
    assert sentence.text == SENTENCE
    assert sentence.heads.tolist() == [visit.head(word) for word in range(1, 13)]


def test_latex(visit):
    visit.open()
    visit.type("AT&T_rose 5 % & {more} .")
    words = visit.page.locator("#tree .form").all_text_contents()
    assert "&" in words
    lines = copied(visit, "latex").splitlines()
    assert lines[0].startswith("% probability ")
    assert lines[1] == r"\begin{dependency}"
    assert lines[-1] == r"\end{dependency}"
    cells = lines[3].removesuffix(r" \\").split(r"\&")  # each of which ends a cell, and is no part of a word
    assert [one.strip() for one in cells] == [f"{{{escape_latex(word)}}}" for word in words]
    edges = [line for line in lines if r"\depedge" in line or r"\deproot" in line]
    assert len(edges) == len(words)


def test_svg_stands_alone(visit):
    visit.open()
    text = copied(visit, "svg")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "She" in {one.text for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert not {"class", "style", "href"} & {name for one in root.iter() for name in one.attrib}
    assert "url(" not in text


def test_png(visit):
    page = visit.open()
    page.click("[data-copy=png]")
    page.wait_for_selector("[data-copy=png][data-done]")
    size = page.evaluate(
        """async () => {
          const [item] = await navigator.clipboard.read();
          const image = await createImageBitmap(await item.getType("image/png"));
          return [image.width, image.height];
        }"""
    )
    assert size[0] > 1000
    assert size[1] > 300
