"""A page of `treewright serve` in a browser, for whatever looks at it.  Needs Chromium and Playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: A browser that asks nobody but the server.
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


@contextmanager
def served(*models: str) -> Iterator[str]:
    """Serve models in another process, and yield the address of the page."""
    named = [word for model in models for word in ("--model", model)]
    command = [sys.executable, "-m", "treewright", "serve", "--port", "0", *named]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            address = next(line for line in process.stderr if " at http" in line).split(" at ")[1].split()[0]
            yield address
        finally:
            process.terminate()
            process.stderr.read()


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("there is no Chromium: apt-get install chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


def tree(page: Any) -> None:
    """Wait until the tree of all that was said is drawn."""
    page.wait_for_selector("#tree .word", timeout=120_000)
    page.wait_for_selector("#stage:not([aria-busy])", timeout=120_000)
