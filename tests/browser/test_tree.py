"""The tree as a person types, points, clicks, drags, and does all of it with keys alone."""

from __future__ import annotations

import pytest

from tests.browser.conftest import SENTENCE

LONG = (
    "When the committee that had been appointed last year finally published its report on the safety of the old "
    "bridges, nobody in the town hall, where the mayor and her advisers had been waiting for weeks, was surprised to "
    "read that three of the five would have to be closed before the winter came."
)


def test_a_tree_grows_as_one_types(visit):
    page = visit.open()
    page.fill("#text", "")
    page.locator("#stage").wait_for(state="hidden")
    page.type("#text", "Dogs bark", delay=20)
    assert visit.words("Dogs") == ["Dogs", "bark"]
    assert (visit.head(1), visit.head(2)) == (2, 0)
    page.type("#text", " loudly .")
    page.wait_for_function("() => document.querySelectorAll('#tree .form').length === 4")
    assert "4 words" in page.text_content("#facts")


def test_typing_fast_ends_with_the_tree_of_the_last_text(visit):
    page = visit.open()
    for end in range(5, len(SENTENCE) + 1, 3):
        page.evaluate(
            "text => { const box = document.getElementById('text'); box.value = text;"
            " box.dispatchEvent(new Event('input')); }",
            SENTENCE[:end],
        )
    page.fill("#text", "Trees grow .")
    assert visit.words("Trees") == ["Trees", "grow", "."]
    page.wait_for_timeout(300)
    assert page.locator("#tree .form").all_text_contents() == ["Trees", "grow", "."]


def test_arcs_are_shaded_by_probability(visit):
    visit.open()
    shades = visit.page.evaluate(
        "[...document.querySelectorAll('#tree .arc')].map(one =>"
        " [one.arc.p, Number(one.querySelector('.line').getAttribute('stroke-opacity'))])"
    )
    assert len(shades) == 12
    assert [one for _, one in sorted(shades)] == sorted(one for _, one in shades)
    assert min(shades)[1] < max(shades)[1]


def test_alternatives_of_a_word_that_is_pointed_at(visit):
    page = visit.open()
    visit.word(7).hover()
    rows = page.locator(".heads tbody tr")
    assert rows.count() >= 2
    assert all("%" in row for row in rows.all_text_contents())
    assert page.text_content(".about h2") == "telescope"
    assert page.locator("#tree .arc.other").count() >= 1
    visit.arc(visit.head(4), 4).locator(".label").hover()
    assert page.text_content(".about h2") == "man"


def test_clicks_fix_forbid_and_free_an_arc(visit):
    visit.open()
    head = visit.head(7)
    visit.arc(head, 7).locator(".label").click()
    visit.page.wait_for_selector("#tree .arc.required")
    assert visit.chips() == ["man → telescope" if head == 4 else "saw → telescope"]
    assert visit.head(7) == head
    visit.arc(head, 7).locator(".label").click()
    visit.page.wait_for_selector("#tree .arc.forbidden")
    assert visit.head(7) != head
    visit.arc(head, 7).locator(".label").click()
    visit.page.wait_for_selector("#tree .arc.forbidden", state="detached")
    visit.settled()
    assert visit.head(7) == head
    assert visit.chips() == []


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end):
    page.mouse.move(*middle(start))
    page.mouse.down()
    page.mouse.move(*middle(end), steps=6)
    page.mouse.up()


def test_dragging_from_a_head_to_a_word_requires_the_arc(visit):
    page = visit.open()
    drag(page, visit.word(11), visit.word(4))
    page.wait_for_selector("#tree [data-key='a11-4'].required")
    assert visit.head(4) == 11
    assert visit.chips() == ["park → man"]
    page.click("#chips button")
    page.wait_for_selector("#tree .required", state="detached")
    assert visit.head(4) != 11


def test_dragging_with_shift_makes_a_subtree(visit):
    page = visit.open()
    page.keyboard.down("Shift")
    drag(page, visit.word(9), visit.word(11))
    page.keyboard.up("Shift")
    page.wait_for_selector("#tree .span")
    assert visit.chips() == ["subtree “the old park”"]
    inside = {9, 10, 11}
    assert sum(visit.head(word) not in inside for word in inside) == 1
    assert [visit.head(word) for word in range(1, 13) if word not in inside and visit.head(word) in inside] == []


def focused(page):
    return page.evaluate("document.activeElement.dataset.key")


def test_everything_with_keys_alone(visit):
    page = visit.open()
    page.focus("#wrap")
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "w1"
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert focused(page) == "w7"
    assert page.text_content(".about h2") == "telescope"
    head = visit.head(7)
    page.keyboard.press("ArrowUp")
    assert focused(page) == f"a{head}-7"
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .required")
    assert focused(page) == f"a{head}-7"  # though the tree was drawn again
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .arc.forbidden")
    visit.settled()
    assert visit.head(7) != head
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .arc.forbidden", state="detached")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "w7"


def test_an_arc_is_required_with_keys(visit):
    page = visit.open()
    visit.word(1).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "w11"
    page.keyboard.press("Enter")
    assert "is the head" in page.text_content("#status")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree [data-key='a11-7'].required")
    assert visit.head(7) == 11
    visit.word(3).focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .span")
    assert "subtree “the man”" in visit.chips()


def test_the_relation_and_the_head_of_a_word_are_chosen(visit):
    page = visit.open()
    visit.word(7).click()
    page.get_by_role("combobox", name="Relation").select_option("appos")
    page.wait_for_function("() => document.querySelector('#chips')?.textContent.includes('appos')")
    visit.settled()
    assert (
        page.evaluate("[...document.querySelectorAll('#tree .arc')].find(one => one.arc?.word === 7).arc.label")
        == "appos"
    )
    page.get_by_role("combobox", name="Head").select_option("11")
    page.wait_for_selector("#tree [data-key='a11-7'].required")


def test_at_most_one_of_a_relation(visit):
    page = visit.open()
    visit.type("He gave the dog the bone .")
    page.click("#builder summary")
    group = page.get_by_role("group", name="At most one")
    group.get_by_label("relation").select_option("det")
    group.get_by_role("button", name="add").click()
    page.wait_for_function("() => document.querySelector('#chips')?.textContent.includes('at most one det')")
    visit.settled()
    assert visit.chips() == ["at most one det"]


def test_a_contradiction_is_said_in_one_line_and_the_tree_stays(visit):
    page = visit.open()
    page.click("#builder summary")
    group = page.get_by_role("group", name="Arc")
    for head, word in (("2", "4"), ("4", "2"), ("0", "1")):
        group.get_by_label("from").select_option(head)
        group.get_by_label("to").select_option(word)
        group.get_by_role("button", name="require").click()
    page.wait_for_function("() => document.getElementById('error').textContent")
    assert "\n" not in page.text_content("#error").strip()
    assert page.locator("#tree .word").count() == 12
    page.get_by_role("button", name="Remove all").click()
    page.wait_for_function("() => !document.getElementById('error').textContent")


def test_constraints_follow_the_words_of_an_edited_sentence(visit):
    page = visit.open()
    drag(page, visit.word(11), visit.word(4))
    page.wait_for_selector("#tree [data-key='a11-4'].required")
    page.fill("#text", "Yesterday " + SENTENCE)
    page.wait_for_selector("#tree [data-key='a12-5'].required")
    assert visit.chips() == ["park → man"]
    page.fill("#text", "Yesterday " + SENTENCE.replace("man ", ""))
    page.wait_for_selector("#tree .required", state="detached")
    visit.settled()
    assert visit.chips() == []


def test_several_sentences(visit):
    page = visit.open()
    page.fill("#text", "Dogs bark. Cats sleep.")
    assert visit.words("Cats") == ["Cats", "sleep", "."]  # the sentence where the caret is
    page.get_by_role("button", name="1", exact=True).click()
    assert visit.words("Dogs") == ["Dogs", "bark", "."]
    page.get_by_role("button", name="2", exact=True).click()
    assert visit.words("Cats") == ["Cats", "sleep", "."]
    drag(page, visit.word(2), visit.word(1))
    page.wait_for_selector("#tree [data-key='a2-1'].required")
    page.get_by_role("button", name="1", exact=True).click()
    visit.words("Dogs")
    assert visit.chips() == []


@pytest.mark.parametrize("width", [390, 1280])
def test_long_sentences_are_broken_into_lines_that_fit(visit, width):
    page = visit.page
    page.set_viewport_size({"width": width, "height": 844})
    visit.open()
    visit.type(LONG)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fits = "document.querySelector('#tree svg').clientWidth <= document.querySelector('#tree').clientWidth"
    assert page.evaluate(fits)
    heights = page.evaluate("[...document.querySelectorAll('#tree .word .form')].map(one => one.getAttribute('y'))")
    assert len(set(heights)) > 2
    assert page.locator("#tree .tail").count() > 0
    page.uncheck("#wrap")
    assert not page.evaluate(fits)
    assert page.locator("#tree .tail").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # it scrolls within its box


def test_a_sentence_that_is_too_long_is_refused_in_the_words_of_the_server(visit):
    page = visit.open()
    page.fill("#text", "very " * 200)
    page.wait_for_function("() => document.getElementById('error').textContent.includes('150')")
    page.fill("#text", "Very well .")
    visit.words("Very")
    assert page.text_content("#error") == ""


def test_arcs_cross_only_where_the_tree_does(visit):
    page = visit.open()
    crossings = page.evaluate(
        """async () => {
          const { layout } = await import("/page/layout.js");
          const heads = [2, 0, 4, 2, 7, 7, 4, 11, 11, 11, 2, 2];
          const arcs = heads.map((head, i) => ({ head, word: i + 1, labelWidth: 20 }));
          const { segments } = layout(heads.map(() => 40), arcs, Infinity);
          const within = (x, one) => one.from + 0.5 < x && x < one.to - 0.5;
          let found = 0;
          for (const one of segments)
            for (const other of segments)
              if (!one.root && other !== one)
                for (const x of [other.from, other.to])
                  if (within(x, one) && other.height >= one.height) found++;
          return found;
        }"""
    )
    assert crossings == 0


def test_arcs_that_only_pass_over_a_line_are_rules_without_labels(visit):
    page = visit.open()
    found = page.evaluate(
        """async () => {
          const { layout } = await import("/page/layout.js");
          const n = 24;
          const arcs = [[0, 1], [1, n], [1, n - 1]].map(([head, word]) => ({ head, word, labelWidth: 30 }));
          for (let word = 2; word < n - 1; word++) arcs.push({ head: word - 1, word, labelWidth: 30 });
          const { lines, segments } = layout(new Array(n).fill(40), arcs, 360);
          const plain = ({ arc, line, start, end, labelled, height }) => (
            { arc: arcs.indexOf(arc), line, start, end, labelled, height });
          return { lines: lines.map(({ first, last }) => last - first), segments: segments.map(plain) };
        }"""
    )
    assert len(found["lines"]) > 3
    assert min(found["lines"]) > 0  # no word stands alone
    segments = found["segments"]
    assert all(any(one["labelled"] for one in segments if one["arc"] == arc) for arc in {s["arc"] for s in segments})
    for number in range(1, len(found["lines"]) - 1):
        low, high = sorted(
            (one for one in segments if one["line"] == number and one["start"] and one["end"]),
            key=lambda one: one["height"],
        )
        assert (low["arc"], high["arc"]) == (2, 1)
        assert not low["labelled"]
        assert not high["labelled"]
        others = [one["height"] for one in segments if one["line"] == number and one not in (low, high)]
        assert low["height"] - max(others) > high["height"] - low["height"] > 0


def test_the_page_is_tidy_on_the_narrowest_phone(visit):
    page = visit.page
    page.set_viewport_size({"width": 320, "height": 640})
    visit.open()
    tops = page.evaluate(
        "[...document.querySelectorAll('header > *')].map(one => one.getBoundingClientRect())"
        ".map(box => box.top + box.bottom)"
    )
    assert max(tops) - min(tops) < 24  # in one line
    assert page.get_by_role("button", name="Theme: auto").count() == 1
    assert page.get_by_label("Model").count() == 1
    page.click("#tab-dual")
    page.wait_for_selector("#panel .bounds")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("#panel .bounds .label")].map(one => {
          const svg = one.ownerSVGElement;
          return one.getBBox().height * svg.clientWidth / svg.viewBox.baseVal.width;
        })"""
    )
    assert min(sizes) > 10
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_finger_drags_from_a_head_to_a_word(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 1200}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#tree .word")
    start, end = (middle(page.locator(f"#tree [data-key=w{word}]")) for word in (3, 1))
    hand = context.new_cdp_session(page)
    for step in range(9):
        at = {"x": start[0] + (end[0] - start[0]) * step / 8, "y": start[1]}
        kind = "touchMove" if step else "touchStart"
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_selector("#tree [data-key='a3-1'].required")
    context.close()


def test_scripts_from_right_to_left_are_drawn_so(visit):
    page = visit.open()
    page.fill("#text", "قال الرئيس إن الحكومة ستدرس الاقتراح")
    assert len(visit.words("قال")) == 6
    assert visit.word(1).bounding_box()["x"] > visit.word(6).bounding_box()["x"]
    visit.word(1).focus()
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "w2"
