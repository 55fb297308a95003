"""The chart of autoscalers in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.experiments.autoscaling.clusters import HPA, parsed, total
from tests.experiments.trials import ran
from tests.report.browser.conftest import Open
from wavetank.experiments.runner import run_experiment
from wavetank.report.page.html import write_report


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report of two autoscalers, of which one has no target, and two seeds."""
    lost = {**HPA, "name": "lost", "target": "nothing"}
    experiment = parsed(tmp_path, hpa=[HPA, lost], seeds=[1, 2], metrics=total(("0s", 1), ("20m", 4)))
    run_experiment(experiment, tmp_path / "out", "0.0", jobs=1)
    return write_report(tmp_path / "out")


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_load_replicas_and_capacity_are_drawn(report: Path, open_page: Open, width: int, scheme: str) -> None:
    page = open_page(report, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#autoscaling-pods svg g.line").count() == 3
    assert page.locator("#autoscaling-use svg g.line").count() == 2
    assert page.locator("#autoscaling-caption").inner_text() == "Deployment/web under default/web: 2 to 20 replicas"
    assert "Rescales" in page.locator("#autoscaling-figures").inner_text()


def test_another_autoscaler_and_run_can_be_chosen(report: Path, open_page: Open) -> None:
    page = open_page(report)
    controls = page.locator("#autoscaling-controls")
    controls.get_by_label("HPA").select_option(label="default/lost")
    assert (
        page.locator("#autoscaling-caption").inner_text() == "Deployment/nothing under default/lost: 2 to 20 replicas"
    )
    controls.get_by_label("Run").select_option(label="default, seed 2")
    controls.get_by_label("HPA").select_option(label="default/web")
    assert page.locator("#autoscaling-pods svg g.line").count() == 3


def test_a_report_without_autoscalers_has_no_such_section(tmp_path: Path) -> None:
    page = write_report(ran(tmp_path / "out")).read_text(encoding="utf-8")
    assert "utoscaling" not in page
