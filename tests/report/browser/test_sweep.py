"""The report of a sweep in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.report.browser.conftest import Open
from tests.sweeps.trials import ran
from wavetank.report.sweep.page import write_sweep_report

SWEEP = {"clusters": [{"name": "original"}, {"name": "half", "nodes": "-50%"}]}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sweep") / "out"
    ran(out, schedulers=[{"name": "default"}, {"name": "best-fit"}], seeds=[1, 2], sweep=SWEEP)
    return write_sweep_report(out)


@pytest.fixture
def report(written: Path, open_page: Open) -> Page:
    return open_page(written)


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_the_window(written: Path, open_page: Open, width: int) -> None:
    page = open_page(written, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#trouble").is_hidden()


def test_every_section_is_drawn(report: Page) -> None:
    for section in ("heat", "boxes-figure", "pareto-figure", "numbers-table"):
        assert report.locator(f"#{section} > *").count() > 0, section


def test_a_scenario_is_chosen_for_all_sections_at_once(report: Page) -> None:
    fields = [report.locator(f"#{section}-controls select") for section in ("boxes", "numbers")]
    fields[0].select_option(label="half")
    assert fields[1].evaluate("select => select.selectedOptions[0].textContent") == "half"
