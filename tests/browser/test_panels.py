"""What is below the tree: the k best, the matrix, constituents, dual decomposition, and the list of arcs."""

from __future__ import annotations

import re

import pytest

from tests.waiting import wait_until

#: Ask the server something about the sentence, as the page does.
ASK = """async ({ where, more }) => {
  const text = document.getElementById("text").value;
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`/api/${where}`, { method: "POST", headers, body: JSON.stringify({ text, ...more }) });
  return response.json();
}"""


def test_the_k_best_mark_what_differs(visit):
    page = visit.open()
    page.click("#tab-kbest")
    page.wait_for_selector(".multiples figure:nth-child(9) svg")
    assert page.locator(".multiples figure").count() == 9
    assert page.locator(".multiples figure:nth-child(1) .different").count() == 0
    for number in range(2, 10):
        assert page.locator(f".multiples figure:nth-child({number}) .different").count() >= 1
    chances = page.evaluate("[...document.querySelectorAll('.multiples figcaption')].map(one => one.textContent)")
    assert chances[0].endswith("the best tree")
    page.get_by_label("How many of the best trees").select_option("4")
    page.wait_for_function("() => document.querySelectorAll('.multiples figure').length === 4")


def test_a_tree_of_the_k_best_is_taken(visit):
    page = visit.open()
    page.click("#tab-kbest")
    button = page.get_by_role("button", name="fix these arcs, which tree 2 has")
    button.click()
    page.wait_for_selector("#tree .required")
    assert visit.chips() != []


def test_the_matrix_tells_and_changes_arcs(visit):
    page = visit.open()
    page.click("#tab-matrix")
    page.wait_for_selector("svg.matrix")
    rows = page.evaluate("document.querySelectorAll('svg.matrix .chosen').length")
    assert rows == 12
    assert re.fullmatch(r"the root → She: 0(\.\d)? %", page.text_content("#panel .cell"))
    page.focus("svg.matrix")
    page.keyboard.press("ArrowRight")
    assert "no word is its own head" in page.text_content("#panel .cell")
    page.keyboard.press("ArrowRight")
    assert page.text_content("#panel .cell").startswith("saw → She: ")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree [data-key='a2-1'].required")
    assert page.evaluate("document.activeElement.classList.contains('matrix')")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.matrix .forbidden")
    visit.settled()
    assert visit.head(1) != 2


def test_rows_of_the_matrix_sum_to_one(visit):
    page = visit.open()
    [sentence] = page.evaluate(ASK, {"where": "parse", "more": {"marginals": True}})["sentences"]
    assert [sum(row) for row in sentence["marginals"]] == pytest.approx([1.0] * 12, abs=0.002)


def test_constituents_become_subtrees(visit):
    page = visit.open()
    page.click("#tab-constituents")
    phrase = page.get_by_role("button", name="NP: the old park", exact=True)
    phrase.wait_for()
    assert page.locator("svg.phrases .form").all_text_contents() == page.locator("#tree .form").all_text_contents()
    phrase.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .span")
    assert visit.chips() == ["subtree “the old park”"]


def test_dual_decomposition_has_no_controls_before_there_is_a_run(visit):
    page = visit.open()
    waiting = []
    page.route("**/api/dual", lambda route: waiting.append(route))
    page.click("#tab-dual")
    page.wait_for_selector("#panel .hint")
    assert not page.is_visible("#panel .controls")
    assert wait_until(lambda: page.evaluate("1") and waiting)
    waiting[0].continue_()
    page.wait_for_selector("#panel .controls", state="visible")


def test_dual_decomposition_is_played_and_stepped(visit):
    page = visit.open()
    page.click("#tab-dual")
    said = page.locator("#panel .controls .cell")
    page.wait_for_selector(".bounds")
    assert "proved to be the best tree" in said.text_content()
    last = int(page.get_attribute("#panel input[type=range]", "max"))
    assert last >= 1
    page.get_by_label("One iteration back").click()
    assert said.text_content().startswith(f"Iteration {last} of {last + 1}")
    page.fill("#panel input[type=range]", "0")
    assert said.text_content().startswith("Iteration 1 of")
    assert page.locator("#panel .arc.disputed").count() > 0
    run = page.evaluate(ASK, {"where": "dual", "more": {}})["iterations"]
    assert min(one["upper"] for one in run) >= max(one["lower"] or -1e9 for one in run) - 1e-6
    page.fill("#panel input[type=range]", str(last - 1))
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function(f"() => document.querySelector('#panel input[type=range]').value === '{last}'")
    page.get_by_role("button", name="Play").wait_for()
    assert "proved" in said.text_content()


def test_a_proof_is_searched_for_where_there_is_none(visit):
    page, asked = visit.open(), []

    def doubt(route):
        """Answer as a parser that has not proved its tree, until a proof is asked for."""
        asked.append(route.request.post_data_json)
        answer = route.fetch()
        described = answer.json()
        if not asked[-1].get("exact"):
            described["sentences"][0]["certificate"] = False
        route.fulfill(response=answer, json=described)

    page.route("**/api/parse", doubt)
    visit.type("Dogs bark.")
    assert "not proved to be the best tree" in page.text_content("#facts")
    page.get_by_role("button", name="search for a proof").click()
    page.wait_for_function("() => document.getElementById('facts').textContent.includes('proved to be the best')")
    page.wait_for_function("() => !document.getElementById('facts').textContent.includes('not proved')")
    assert asked[-1]["exact"] is True
    assert page.get_by_role("button", name="search for a proof").count() == 0
    visit.type("Cats sleep.")
    assert "exact" not in asked[-1]


def test_the_list_has_every_arc_and_fixes_it(visit):
    page = visit.open()
    page.click("#tab-list")
    rows = page.locator(".arcs tbody tr")
    assert rows.count() == 12
    assert rows.nth(0).text_content().startswith("1ShePRONnsubjsaw")
    page.get_by_role("button", name="Fix saw → She").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree [data-key='a2-1'].required")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


def test_tabs_are_changed_with_arrow_keys(visit):
    page = visit.open()
    page.focus("#tab-word")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-kbest", "aria-selected") == "true"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#tab-list", "aria-selected") == "true"


def test_another_model(visit):
    page = visit.open()
    page.select_option("#model", "en-linear")
    page.wait_for_function("() => location.hash.includes('m=en-linear')")
    visit.settled()
    assert page.locator("#tree .word").count() == 12
