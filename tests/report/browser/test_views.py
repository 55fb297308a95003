"""What a reader sees of a report: zoom, cursor, the view in the address, downloads."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.report.browser.conftest import Open
from tests.report.browser.views import drag, saved, ticks
from tests.report.synthetic import Recipe
from tests.support.browser import wait_until
from wavetank.api.experiments import run
from wavetank.report.page.html import write_report

Results = Callable[[Recipe], Path]


@pytest.fixture
def report(results: Results, open_page: Open) -> Page:
    return open_page(write_report(results(Recipe(seeds=(1, 2)))))


@pytest.mark.parametrize("chart", ["#utilization > svg", "#gantt-figure canvas"])
def test_a_drag_zooms_all_charts_over_time(report: Page, chart: str) -> None:
    before = {name: ticks(report, name) for name in ("utilization", "pending")}
    drag(report, chart, 0.4, 0.6)
    wait_until(report, "() => location.hash.includes('t=')")
    for name, labels in before.items():
        assert ticks(report, name) != labels
    report.locator(chart).dblclick()
    wait_until(report, "() => !location.hash.includes('t=')")
    assert {name: ticks(report, name) for name in before} == before


def test_the_waiting_times_have_an_axis_of_their_own(report: Page) -> None:
    before = ticks(report, "utilization")
    drag(report, "#waiting-chart > svg", 0.5, 0.7)
    assert ticks(report, "utilization") == before


def test_the_address_leads_to_the_same_view(report: Page) -> None:
    drag(report, "#utilization > svg", 0.3, 0.5)
    report.locator("#gantt-controls select").nth(0).select_option("volcano")
    report.locator("#gantt-controls select").nth(1).select_option("2")
    report.get_by_role("radio", name="Lanes").check(force=True)
    search = report.get_by_placeholder("name, then Enter")
    search.fill("job-3-1")
    search.press("Enter")
    wait_until(report, "() => location.hash.includes('pod=')")
    seen = ticks(report, "utilization")
    report.reload()
    report.wait_for_selector("html[data-ready]", state="attached")
    assert ticks(report, "utilization") == seen
    assert report.locator("#gantt-controls select").nth(0).input_value() == "volcano"
    assert report.locator("#gantt-controls select").nth(1).input_value() == "2"
    assert report.get_by_role("radio", name="Lanes").is_checked()
    assert "job-3-1" in report.locator("#gantt-details").inner_text()


def test_an_address_that_means_nothing_shows_everything(results: Results, open_page: Open) -> None:
    page = open_page(write_report(results(Recipe(seeds=(1,)))))
    page.goto(f"{page.url}#t=9..x&run=nobody/7&nodes=5..1&colour=none&pod=missing")
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.locator("#trouble").is_hidden()


def test_the_cursor_is_shared(report: Page) -> None:
    report.locator("#utilization > svg").scroll_into_view_if_needed()
    report.locator("#utilization > svg").hover(position={"x": 400, "y": 100})
    assert report.locator("#pending .cross").get_attribute("visibility") == "visible"
    assert report.locator("#gantt-figure .cursor").is_visible()


def test_a_chart_zooms_and_pans_by_keyboard(report: Page) -> None:
    whole = ticks(report, "utilization")
    report.locator("#utilization > svg").focus()
    report.keyboard.press("+")
    zoomed = ticks(report, "utilization")
    assert zoomed != whole
    report.keyboard.press("Shift+ArrowRight")
    assert ticks(report, "utilization") != zoomed
    report.keyboard.press("0")
    assert ticks(report, "utilization") == whole


@pytest.mark.parametrize("chart", ["utilization", "waiting-chart", "gantt", "comparison-chart"])
def test_a_chart_is_saved_as_svg(report: Page, chart: str) -> None:
    root = ElementTree.fromstring(saved(report, chart, "SVG"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 20
    assert "var(" not in ElementTree.tostring(root, encoding="unicode")


def test_the_data_of_a_chart_are_saved_as_csv(report: Page) -> None:
    rows = list(csv.reader(io.StringIO(saved(report, "utilization", "CSV"))))
    assert rows[0] == ["line", "time_s", "value"]
    assert {row[0] for row in rows[1:]} == {"kube-scheduler", "most-allocated", "volcano"}
    pods = list(csv.DictReader(io.StringIO(saved(report, "gantt", "CSV"))))
    assert len(pods) == 200
    assert pods[0]["pod"] == "default/job-0-0"


def test_the_compared_means_are_saved_as_csv(report: Page) -> None:
    rows = list(csv.DictReader(io.StringIO(saved(report, "comparison-chart", "CSV"))))
    assert {row["scheduler"] for row in rows} == {"kube-scheduler", "most-allocated", "volcano"}
    [mean] = [row for row in rows if (row["metric"], row["scheduler"]) == ("makespan_s", "volcano")]
    assert float(mean["low"]) <= float(mean["mean"]) <= float(mean["high"])


def test_bars_are_coloured_by_what_is_chosen(report: Page) -> None:
    colour = report.locator("#gantt-controls select").nth(2)
    pictures = set()
    for option in colour.locator("option").evaluate_all("options => options.map(option => option.value)"):
        colour.select_option(option)
        pictures.add(report.evaluate("document.querySelector('#gantt-figure canvas').toDataURL()"))
    assert len(pictures) == colour.locator("option").count() > 1


def test_every_seed_is_in_the_gantt_chart(report: Page) -> None:
    seeds = report.locator("#gantt-controls select").nth(1).locator("option")
    assert seeds.all_inner_texts() == ["1", "2"]


def test_longest_waits_leads_to_the_pod_in_the_gantt_chart(report: Page) -> None:
    link = report.locator("#longest-waits tbody tr").last.locator("a")
    name = link.inner_text()
    link.click()
    wait_until(report, "name => document.querySelector('#gantt-details').innerText.includes(name)", name)
    assert report.locator("#gantt-controls select").first.input_value() == "volcano"
    assert report.evaluate("document.querySelector('#gantt').getBoundingClientRect().top") < 100


def test_charts_without_anything_to_show_are_sentences(results: Results, open_page: Open, tmp_path: Path) -> None:
    nodes = {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]}
    generator = {"kind": "poisson", "pods": 3, "rate": 1, "duration": 60, "requests": [{"cpu": 1}]}
    run(cluster=nodes, workload={"generator": generator}, schedulers=["default"], seeds=[1], out=tmp_path / "out")
    page = open_page(tmp_path / "out/report.html")
    expect(page.locator("#waiting-note")).to_have_text("All pods that started did so at once.")
    expect(page.locator("#waiting-figure")).to_be_hidden()
    expect(page.locator("#pending-note")).to_be_visible()
    expect(page.locator("#pending")).to_be_hidden()
    expect(page.locator("#comparison .lead")).to_contain_text("Values of one seed. Several seeds")
    never = open_page(write_report(results(Recipe(schedulers=("none",), seeds=(1,), never_schedules=("none",)))))
    expect(never.locator("#waiting-note")).to_have_text("No pod started.")
    expect(never.locator("#pending")).to_be_visible()
