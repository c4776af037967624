"""Annotating in a browser: with keys alone, with a mouse, through kill -9, and with wild text."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.test_accessibility import AXE, RUN
from tests.paths import DATA
from tests.waiting import wait_until
from treewright.treebank import Sentence, read, write

pytest.importorskip("starlette", reason="Starlette is not installed: pip install treewright[serve]")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install treewright[serve]")

PATIENCE = 60_000  # milliseconds, only to end a hang: kernels may have to be compiled
WILD = "<img/src=x/onerror=alert(1)>"


class Annotator:
    """A process that annotates a file."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file, self.options = file, options
        self.process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> str:
        """Start the process, and return the address of its page."""
        command = [sys.executable, "-m", "treewright", "annotate", str(self.file), "--port", "0", *self.options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"http://\S+", line):
                return found.group()
        raise AssertionError("it has ended")

    def end(self, number: signal.Signals) -> None:
        """End the process by a signal."""
        os.kill(self.process.pid, number)
        self.process.wait()
        self.process.stderr.close()
        self.process = None


@pytest.fixture
def annotator(tmp_path):
    file = tmp_path / "some.conllu"
    chosen = [sentence for sentence in read(DATA / "ewt.conllu") if 5 <= len(sentence) <= 9][:4]
    write([one.replace(heads=[-1] * len(one), deprels=["_"] * len(one)) for one in chosen], file)
    made = Annotator(file, "--model", "en-linear")
    yield made
    if made.process is not None:
        made.end(signal.SIGKILL)


@pytest.fixture
def page(browser):
    """A page in which nothing breaks."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    opened, errors, asked = context.new_page(), [], []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("dialog", lambda dialog: errors.append("a dialog"))
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith("http://127.0.0.1:")] == []


def open_page(page, address):
    page.goto(address)
    page.wait_for_selector("#tree .word")


def entries(annotator):
    """Return the actions in the journal."""
    lines = Path(f"{annotator.file}.journal").read_text().splitlines()[1:]
    return [json.loads(line) for line in lines]


def wait_for_entries(annotator, count):
    assert wait_until(lambda: len(entries(annotator)) >= count)
    return entries(annotator)


def test_a_sentence_is_annotated_with_keys_alone(annotator, page):
    open_page(page, annotator.start())
    press = page.keyboard.press
    assert page.evaluate("document.activeElement.closest('#tree') !== null")  # one may begin at once
    press("Home")
    press("t")
    page.keyboard.type("X")
    press("Enter")
    [tag] = wait_for_entries(annotator, 1)
    assert (tag["do"], tag["changes"][0][:2], tag["changes"][0][3]) == ("upos", [1, "upos"], "X")
    page.wait_for_selector("#undo:enabled")
    press("z")
    wait_for_entries(annotator, 2)
    press("Home")
    press("0")
    root = wait_for_entries(annotator, 3)[-1]
    assert [1, "head", "_", "0"] in root["changes"]
    page.wait_for_function("() => document.querySelector('#tree [data-key=\"a0-1\"]')?.classList.contains('settled')")
    press("c")
    confirmed = wait_for_entries(annotator, 4)[-1]
    assert [1, "status", "arc", "word"] in confirmed["changes"]
    before = page.text_content("#sentence")
    press("Control+Enter")
    wait_for_entries(annotator, 5)
    page.wait_for_function("text => document.getElementById('sentence').textContent !== text", arg=before)
    page.wait_for_function("() => document.getElementById('counts').textContent.startsWith('1 of 4')")
    assert wait_until(lambda: page.evaluate("document.activeElement.closest('#tree') !== null"))
    press("s")
    page.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")
    whole = [(sentence.heads >= 0).all() for sentence in read(annotator.file)]
    assert sum(whole) == 1


def test_what_was_said_survives_kill_9(annotator, page):
    open_page(page, annotator.start())
    text = page.text_content("#sentence")
    page.keyboard.press("End")
    page.keyboard.press("0")
    page.wait_for_selector("#tree .arc.settled")
    count = len(page.query_selector_all("#tree .word"))
    annotator.end(signal.SIGKILL)
    page.click("#next")
    page.wait_for_function("() => document.getElementById('error').textContent !== ''")  # it says that nobody answers
    open_page(page, annotator.start())
    page.locator("#list button", has_text=text[:20]).click()
    page.wait_for_function("text => document.getElementById('sentence').textContent === text", arg=text)
    assert page.query_selector(f"#tree .arc.settled[data-key='a0-{count}']")
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('#tree .arc.settled') === null")
    annotator.end(signal.SIGTERM)
    assert all((sentence.heads == -1).all() for sentence in read(annotator.file))


def test_a_head_is_dragged_and_a_relation_written(annotator, page):
    open_page(page, annotator.start())
    first, last = page.locator("#tree [data-key='w1']"), page.locator("#tree [data-key='w5']")
    box = first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    goal = last.bounding_box()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2, steps=8)
    page.mouse.up()
    assert [5, "head", "_", "1"] in wait_for_entries(annotator, 1)[0]["changes"]
    page.wait_for_selector("#tree .arc.settled[data-key='a1-5']")
    page.fill("#word input[name=deprel]", "nonsense")
    page.press("#word input[name=deprel]", "Enter")
    page.wait_for_selector("#findings .error")
    assert "no relation nonsense" in page.text_content("#findings")
    page.click("#confirm")
    page.wait_for_function("() => document.getElementById('error').textContent.includes('cannot be confirmed')")
    page.fill("#word input[name=deprel]", "dep")
    page.press("#word input[name=deprel]", "Enter")
    page.wait_for_selector("#findings .error", state="detached")


def test_text_is_never_markup(annotator, page):
    columns = {"upos": ["X"] * 2, "lemmas": [WILD] * 2, "xpos": ["<b>"] * 2}
    wild = Sentence.from_forms([WILD, "ok"], heads=[0, 1], deprels=["root", "dep:<i>"], **columns)
    write([wild.replace(comments=[f"# text = {WILD} ok"])], annotator.file)
    open_page(page, annotator.start())
    assert page.text_content("#tree .form") == WILD
    assert page.text_content("#sentence") == f"{WILD} ok"
    assert page.locator("img, b, i").count() == 0


def test_a_token_is_asked_for(annotator, page):
    annotator.options = ("--model", "none", "--token", "secret")
    page.goto(annotator.start())
    page.wait_for_selector("#token:not([hidden])")
    page.fill("#token input", "secret")
    page.press("#token input", "Enter")
    page.wait_for_selector("#tree .word")
    assert page.is_hidden("#token")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(annotator, page, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, annotator.start())
    page.locator("#help summary").click()
    page.fill("#word input[name=feats]", "nonsense")
    page.press("#word input[name=feats]", "Enter")
    page.wait_for_selector("#findings .error")
    page.evaluate(AXE.read_text("utf-8"))
    found = [one for one in page.evaluate(RUN) if one[1] in ("serious", "critical")]
    assert found == []
