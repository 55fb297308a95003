"""The report of a sweep in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.report.browser.conftest import Open
from tests.sweeps.trials import ran
from wavetank.report.page.html import write_report
from wavetank.report.sweep.page import write_sweep_report

SWEEP = {"clusters": [{"name": "original"}, {"name": "half", "nodes": "-50%"}]}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sweep") / "out"
    for scenario in ran(out, schedulers=[{"name": "default"}, {"name": "best-fit"}], seeds=[1, 2], sweep=SWEEP):
        write_report(out / scenario)
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


def test_what_the_seeds_cannot_tell_is_marked_with_how_many_would(tmp_path: Path, open_page: Open) -> None:
    sizes = [{"weight": 3, "cpu": "500m"}, {"weight": 1, "cpu": 2}]
    poisson = {"kind": "poisson", "pods": 80, "rate": 0.5, "duration": {"exponential": 15}, "requests": sizes}
    schedulers = [{"name": "default"}, {"name": "random-fit"}]
    ran(tmp_path / "out", schedulers=schedulers, seeds=[1, 2], workload={"generator": poisson})
    page = open_page(write_sweep_report(tmp_path / "out"))
    marked = page.locator("#heat td:has(.doubt)").first
    assert "cannot tell" in (marked.get_attribute("title") or "")
    assert "? means that the seeds cannot tell" in page.locator("#heat-lead").inner_text()
    assert "cannot tell" in (page.locator("#numbers-table td:has(.doubt)").first.get_attribute("title") or "")


def test_a_scenario_is_chosen_for_all_sections_at_once(report: Page) -> None:
    fields = [report.locator(f"#{section}-controls select") for section in ("boxes", "numbers")]
    fields[0].select_option(label="half")
    assert fields[1].evaluate("select => select.selectedOptions[0].textContent") == "half"


def test_a_cell_of_the_heat_map_opens_its_scenario(report: Page) -> None:
    cell = report.locator("#heat tbody tr").filter(has_text="best-fit").locator("td a").last
    with report.expect_navigation():
        cell.click()
    report.wait_for_selector("html[data-ready]", state="attached")
    assert report.url.partition("/out/")[2].partition("#")[0].endswith("/report.html")
    assert report.locator("#gantt-controls select").first.input_value() == "best-fit"


@pytest.mark.parametrize("chart", ["heat", "boxes-figure", "pareto-figure"])
def test_a_chart_and_its_data_are_saved(report: Page, chart: str) -> None:
    for kind in ("SVG", "CSV"):
        with report.expect_download() as download:
            report.locator(f"#{chart} + .downloads").get_by_text(kind).click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert ("<svg" in text) == (kind == "SVG")
        assert len(text) > 40
