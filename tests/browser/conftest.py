"""A headless browser for the pages: the distribution's Chromium. Without one, the tests here are skipped."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# No sandbox, since root has none; the rest keeps the browser from calling home.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Path of a Chromium that starts, or None. Ubuntu's command only says how to install one."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    return None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser, started once."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: scripts/test installs it")
    path = chromium()
    if path is None:
        pytest.skip("needs a Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that reaches files only; anything else it asks for fails the test, as do script errors."""
    context = browser.new_context()
    context.route(lambda address: not address.startswith(("file:", "data:", "blob:")), lambda route: route.abort())
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("requestfailed", lambda request: faults.append(f"asked for {request.url[:200]}"))
    yield opened
    context.close()
    assert faults == []
