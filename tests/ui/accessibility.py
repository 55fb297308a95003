"""axe-core in a page. It is a development dependency of package.json, so it is there after `npm install`."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

_AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
_SERIOUS = ("serious", "critical")


def problems_of(page: Page) -> list[str]:
    """Returns the serious accessibility problems that axe-core finds; the test is skipped if there is no axe-core."""
    if not _AXE.exists():
        pytest.skip("no axe-core on this machine: npm install")
    page.evaluate(_AXE.read_text())
    found = page.evaluate("axe.run()")
    serious = [each for each in found["violations"] if each["impact"] in _SERIOUS]
    return [f"{each['id']}: {node['html'][:200]}" for each in serious for node in each["nodes"]]
