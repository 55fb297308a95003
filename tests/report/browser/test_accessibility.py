"""axe-core finds no serious problem in the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.report.browser.conftest import Open
from tests.report.synthetic import Recipe
from tests.support.paths import ROOT
from tests.sweeps.trials import ran
from wavetank.report.page.html import write_report
from wavetank.report.sweep.page import write_sweep_report

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
Results = Callable[[Recipe], Path]


@pytest.fixture
def axe() -> str:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm install")
    return AXE.read_text(encoding="utf-8")


def problems(page: Page, axe: str) -> list[str]:
    """Returns what axe-core calls serious or critical."""
    page.evaluate(axe)
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_has_no_serious_problem(results: Results, open_page: Open, axe: str, scheme: str) -> None:
    page = open_page(write_report(results(Recipe(warnings=["a warning"]))), color_scheme=scheme)
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true; }")
    assert problems(page, axe) == []


def test_the_report_of_a_sweep_has_no_serious_problem(tmp_path: Path, open_page: Open, axe: str) -> None:
    ran(tmp_path / "out", schedulers=[{"name": "default"}, {"name": "best-fit"}], seeds=[1, 2])
    assert problems(open_page(write_sweep_report(tmp_path / "out")), axe) == []
