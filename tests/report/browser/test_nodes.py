"""The report of runs with node groups: capacity against demand, and the timeline of machines."""

from __future__ import annotations

from pathlib import Path

import pytest

import wavetank
from tests.report.browser.conftest import Open
from tests.report.browser.views import drag, saved, ticks
from tests.support.browser import wait_until

SPEC = {
    "cluster": {"nodes": [{"cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}]},
    "workload": {
        "generator": {"kind": "poisson", "pods": 40, "rate": 0.02, "duration": 600, "requests": [{"cpu": 1}]},
    },
    "nodeGroups": [
        {"name": "calm", "max": 2, "initial": 1, "cpu": 4, "memory": "8Gi", "price": 0.2},
        {"name": "spot", "max": 5, "cpu": 4, "memory": "8Gi", "price": 0.05, "spot": {"rate": 4}},
    ],
    "autoscaler": {"expander": "price", "scale-down-unneeded-time": "2m", "scale-down-delay-after-add": "1m"},
    "horizon": "90m",
    "seeds": "1-2",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    document = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": SPEC}
    return wavetank.run(document, out=tmp_path_factory.mktemp("nodes") / "out", jobs=1).report


def test_capacity_demand_price_and_machines_are_drawn(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.wait_for_selector("#machines svg")
    assert page.locator("#capacity svg g.line").count() == 3
    assert page.locator("#price svg g.line").count() == 2
    assert page.locator("#machines text.group").all_text_contents() == ["calm", "spot"]
    assert page.locator("#machines g.machine").count() > 3
    assert page.locator("#machines path.interruption").count() > 0
    assert page.locator("#groups-table tbody tr").count() == 2
    assert "default" in page.locator("#namespaces-table").inner_text()


def test_the_keys_of_machines_and_of_pods_have_their_colours(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.wait_for_selector("#machines svg")
    key = page.locator("#machines-key .swatch").first
    assert key.evaluate("each => getComputedStyle(each).backgroundColor") != "rgba(0, 0, 0, 0)"
    add = "key => key.appendChild(Object.assign(document.createElement('i'), {className: 'swatch b1'}))"
    page.locator("#gantt-figure .key").evaluate(add)  # this run has a single group of pods
    added = page.locator("#gantt-figure .key .swatch")
    assert added.evaluate("each => getComputedStyle(each).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_a_machine_tells_its_times_and_its_cost(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.locator("#machines g.machine .life").first.hover()
    shown = page.locator(".tooltip").inner_text()
    assert "calm-001" in shown
    assert "per hour" in shown


def test_another_run_and_another_resource_can_be_chosen(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.wait_for_selector("#machines svg")
    before = page.locator("#groups-table").inner_text()
    page.locator("#nodes-controls select").select_option("1")
    wait_until(page, "text => document.getElementById('groups-table').innerText !== text", before)
    page.locator("#nodes-controls").get_by_label("Memory").check()
    wait_until(page, "() => document.getElementById('capacity-caption').textContent.startsWith('Memory')")


def test_the_machines_share_the_time_axis_and_the_cursor(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.wait_for_selector("#machines svg")
    before = ticks(page, "capacity")
    drag(page, "#machines > svg", 0.5, 0.8)
    wait_until(page, "() => location.hash.includes('t=')")
    assert ticks(page, "capacity") == ticks(page, "machines") != before
    page.locator("#capacity > svg").hover(position={"x": 500, "y": 100})
    assert page.locator("#machines .cross").get_attribute("visibility") == "visible"
    page.locator("#machines > svg").focus()
    page.keyboard.press("ArrowRight")
    assert "machines" in page.locator(".tooltip").inner_text()


@pytest.mark.parametrize("chart", ["capacity", "price", "machines"])
def test_a_chart_of_nodes_is_saved(report: Path, open_page: Open, chart: str) -> None:
    page = open_page(report)
    page.wait_for_selector("#machines svg")
    assert "<svg" in saved(page, chart, "SVG")
    assert len(saved(page, chart, "CSV").splitlines()) > 3
