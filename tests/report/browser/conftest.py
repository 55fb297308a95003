"""A real browser for the report's pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import Pages

Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens a report and waits until its charts are drawn; at the end no page may have logged an error."""
    pages = Pages(browser)

    def open_page(report: Path, width: int = 1400, **options: object) -> Page:
        return pages.open(report.as_uri(), width, **options)

    yield open_page
    pages.close()
    assert pages.errors == []
