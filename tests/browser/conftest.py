"""A browser, a server, and a page in it that never asks anybody else; pictures of it when a test fails."""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

import pytest

from tests.waiting import wait_until

#: How long a page may take, on a busy machine, in milliseconds: only to end a hang.
PATIENCE = 60_000

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SENTENCE = "She saw the man with the telescope in the old park."

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if outcome.get_result().failed:
        item.stash[FAILED] = True


@pytest.fixture(scope="package")
def browser():
    """Chromium, as it comes with Debian and others; closed before tests elsewhere begin, which have loops of events."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)  # with a new, empty user directory
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def address():
    """The address of a server with the models of the package."""
    pytest.importorskip("starlette", reason="Starlette is not installed: pip install treewright[serve]")
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install treewright[serve]")
    import treewright
    from treewright.server.app import make_app
    from treewright.server.run import address_of, listen
    from treewright.server.settings import ServerSettings

    models = {name: treewright.load(name) for name in ("en", "en-linear", "en-constituents")}
    settings = ServerSettings(seconds=120.0, max_words=150)
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(make_app(models, settings), log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    assert wait_until(lambda: server.started or not thread.is_alive())
    yield address_of(listening)
    server.should_exit = True
    thread.join()
    listening.close()


class Visit:
    """A page that is open, and what it has asked for."""

    def __init__(self, page, address, folder):
        self.page, self.address, self.folder = page, address, folder
        self.asked, self.errors = [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._said)

    def _said(self, message):
        if message.type == "error" and "status of 4" not in message.text:  # a refusal is part of some tests
            self.errors.append(message.text)

    def open(self, fragment=""):
        """Open the page and wait for its first tree."""
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)
        self.settled()
        return self.page

    def settled(self):
        """Wait until the tree is that of all that was said."""
        self.page.wait_for_selector("#tree .word")
        self.page.wait_for_selector("#stage:not([aria-busy])")

    def type(self, text):
        """Type a sentence in place of the one that is there, and wait for its tree."""
        self.page.fill("#text", text)
        self.words(text.split()[0])

    def words(self, first):
        """Wait until the first word of the tree is this one, and return all."""
        self.page.wait_for_function("first => document.querySelector('#tree .form')?.textContent === first", arg=first)
        self.settled()
        return self.page.locator("#tree .form").all_text_contents()

    def head(self, word):
        """Return the head of a word in the tree that is drawn."""
        return self.page.evaluate(
            "word => [...document.querySelectorAll('#tree .arc:not(.forbidden)')]"
            ".map(one => one.arc).find(arc => arc?.word === word).head",
            word,
        )

    def arc(self, head, word):
        """Return the arc from a head to a word."""
        return self.page.locator(f"#tree [data-key='a{head}-{word}']")

    def word(self, number):
        """Return a word."""
        return self.page.locator(f"#tree [data-key='w{number}']")

    def chips(self):
        """Return the texts of the constraints."""
        items = self.page.locator("#chips li:not(.all)").all_text_contents()
        return [text.removesuffix("×") for text in items]

    def keep_pictures(self, name):
        """Keep what the page looks like, in light and in dark."""
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.screenshot(path=self.folder / f"{name}-{scheme}.png", full_page=True)
        print(f"\nWhat the page looked like: {self.folder}/{name}-*.png")


@pytest.fixture
def visit(browser, address, request):
    """A page that is not open yet; whatever it does, it asks nobody but the server, and nothing breaks in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address.rstrip("/"))
    context.set_default_timeout(PATIENCE)
    context.route(lambda url: not url.startswith(address), lambda route: route.abort())
    made = Visit(context.new_page(), address, Path(tempfile.gettempdir()) / "treewright-pictures")
    yield made
    if request.node.stash.get(FAILED, False):
        made.folder.mkdir(exist_ok=True)
        made.keep_pictures(request.node.name.replace("/", "-"))
    context.close()
    assert made.errors == []
    strangers = [url for url in made.asked if not url.startswith((address, "blob:", "data:", "about:"))]
    assert strangers == []
