"""A real browser for tests of pages: Chromium through Playwright."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.support.waiting import PATIENCE_S

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Starts Chromium; the test is skipped if there is none."""
    if _CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_OPTIONS)
        yield browser
        browser.close()


def wait_until(page: Page, function: str, argument: object = None) -> None:
    """Waits until a function of JavaScript holds: Page.wait_for_function evaluates text, which our pages forbid."""
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(function, argument):
        assert time.monotonic() < end, f"it never held: {function}"
        page.wait_for_timeout(20)


def saved_by(page: Page, button: Locator) -> str:
    """Returns the text of the file that a button saves."""
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_text(encoding="utf-8")


class Pages:
    """Opens pages in contexts of their own, and collects the errors that they log."""

    def __init__(self, browser: Browser) -> None:
        self.errors: list[str] = []
        self._browser = browser

    def open(self, url: str, width: int = 1400, **options: object) -> Page:
        """Opens a page and waits until it says that it is ready."""
        context = self._browser.new_context(viewport={"width": width, "height": 900}, **options)  # type: ignore[arg-type]
        page = context.new_page()
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(url)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    def close(self) -> None:
        """Closes all pages."""
        for context in self._browser.contexts:
            context.close()
