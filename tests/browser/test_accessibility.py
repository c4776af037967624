"""What axe-core, which looks for mistakes of accessibility, finds in the page."""

from __future__ import annotations

from pathlib import Path

import pytest

AXE = Path(__file__).parent / "vendor/axe.min.js"

#: A page may not evaluate a script from elsewhere; a test may.
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, impact, nodes }) => [id, impact, ...nodes.map(({ html }) => html.slice(0, 200))]);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, scheme):
    page = visit.page
    page.emulate_media(color_scheme=scheme)
    visit.open()
    visit.arc(visit.head(7), 7).locator(".label").click()
    page.wait_for_selector("#tree .required")
    page.click("#builder summary")
    visit.word(7).click()
    page.evaluate(AXE.read_text())
    found = {}
    for tab in ("word", "kbest", "matrix", "constituents", "dual", "list"):
        page.click(f"#tab-{tab}")
        page.wait_for_function("() => document.querySelector('#panel table, #panel svg')")
        found[tab] = [one for one in page.evaluate(RUN) if one[1] in ("serious", "critical")]
    assert {tab: violations for tab, violations in found.items() if violations} == {}


def test_a_status_line_tells_of_new_trees(visit):
    page = visit.open()
    assert page.get_attribute("#status", "aria-live") == "polite"
    visit.type("Dogs bark .")
    assert page.text_content("#status").startswith("3 words parsed")
    assert page.get_attribute("#tree svg", "aria-label") == "Dependency tree of “Dogs bark .”"
    assert visit.word(1).get_attribute("aria-label").startswith("Dogs NOUN, nsubj of bark")
    assert visit.arc(2, 1).get_attribute("aria-label").startswith("Dogs depends on bark, nsubj ")


def test_light_and_dark_are_chosen_and_kept(visit):
    page = visit.page
    page.emulate_media(color_scheme="light")
    visit.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.click("#theme")
    assert page.evaluate(ground) == light
    page.click("#theme")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == dark
    page.reload()
    visit.settled()
    assert page.evaluate(ground) == dark
