"""The report of runs whose nodes have a power model."""

from __future__ import annotations

from pathlib import Path

import pytest

import wavetank
from tests.report.browser.conftest import Open
from tests.support.browser import wait_until

SPEC = {
    "cluster": {"nodes": [{"count": 3, "cpu": 4, "memory": "8Gi", "power": {"idle": 90, "full": 180, "standby": 5}}]},
    "workload": {"generator": {"kind": "poisson", "pods": 30, "rate": 0.02, "duration": 200, "requests": {"cpu": 1}}},
    "schedulers": [{"name": "default"}, {"name": "best-fit"}],
    "powerSaving": {"offAfter": "1m"},
    "seeds": "1-2",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    document = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": SPEC}
    return wavetank.run(document, out=tmp_path_factory.mktemp("energy") / "out", jobs=1).report


def test_power_and_nodes_that_are_on_are_drawn_for_each_scheduler_and_seed(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.wait_for_selector("#power svg")
    assert page.locator("#power svg g.line").count() == 2
    assert page.locator("#nodes-on svg g.line").count() == 2
    first = page.locator("#energy-key").inner_text()
    assert "kWh" in first
    page.locator("#energy-controls select").select_option("2")
    wait_until(page, "before => document.querySelector('#energy-key').innerText !== before", first)
