"""The graph, heat map, load and single requests of services in a real browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.experiments.trials import ran
from tests.microservices.cluster.documents import a_deployment, a_document, run_document
from tests.report.browser.conftest import Open
from tests.report.browser.views import drag, saved, ticks
from tests.support.browser import wait_until
from tests.ui.accessibility import problems_of
from wavetank.report.page.html import write_report

SHOP: dict[str, Any] = {
    "services": [
        {
            "name": "web",
            "operations": [
                {
                    "name": "index",
                    "demand": "10ms",
                    "calls": ["cart.list", {"operation": "db.read", "probability": 0.5}],
                },
                {"name": "login", "demand": "5ms", "calls": ["db.write"]},
            ],
        },
        {"name": "cart", "operations": [{"name": "list", "demand": "5ms", "calls": ["db.read"]}]},
        {"name": "db", "operations": [{"name": "read", "demand": "10ms"}, {"name": "write", "demand": "20ms"}]},
    ],
    "users": [
        {"operation": "web.index", "steps": [["0s", 5], ["30s", 90]]},
        {"operation": "web.login", "poisson": 2},
    ],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two seeds in which db is overloaded from 30 s on."""
    deployments = [a_deployment("web", 2), a_deployment("cart"), a_deployment("db", limits={"cpu": "1"})]
    document = a_document(*deployments, services=SHOP, seeds=[1, 2], horizon="70s")
    return write_report(run_document(tmp_path_factory.mktemp("shop"), document))


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_charts_of_services_are_drawn(report: Path, open_page: Open, width: int, scheme: str) -> None:
    page = open_page(report, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#services-graph .service").count() == 4  # with the users
    assert page.locator("#services-graph .edge").count() == 6
    assert page.locator("#services-graph .overloaded .title").all_text_contents() == ["db"]
    assert page.locator("#services-heat rect").count() > 20
    assert page.locator("#services-load g.line").count() == 3
    assert page.locator("#services-trace .phase").count() > 2
    assert page.locator("#services-table tbody tr").count() == 2


def test_the_report_says_since_when_a_service_is_overloaded(report: Path, open_page: Open) -> None:
    page = open_page(report)
    [line] = page.locator("#services-overloads li").all_inner_texts()
    assert line.startswith("db has been overloaded since 3")
    assert page.locator("#services-heat .sincetext").text_content() == "db overloaded"


def test_no_label_of_the_graph_covers_another(report: Path, open_page: Open) -> None:
    page = open_page(report)
    boxes = [label.bounding_box() for label in page.locator("#services-graph .label").all()]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = abs(one["x"] - other["x"]) > min(one["width"], other["width"]) or abs(one["y"] - other["y"]) > 10
            assert apart


def test_another_run_operation_load_and_request_can_be_chosen(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.locator("#services-heat-controls").get_by_label("Operation").select_option(label="web.login")
    assert page.locator("#services-heat > svg").get_attribute("aria-label") == "Response times of web.login over time"
    page.locator("#services-load-controls").get_by_label("Show").select_option(label="Pods")
    assert "Pods of each service" in str(page.locator("#services-load > svg").get_attribute("aria-label"))
    before = page.locator("#services-trace").inner_html()
    page.locator("#services-trace-controls").get_by_label("Request").select_option(index=3)
    assert page.locator("#services-trace").inner_html() != before
    page.locator("#services-controls").get_by_label("Run").select_option(label="default, seed 2")
    assert page.locator("#services-graph .edge").count() == 6


def test_a_call_and_a_span_tell_their_parts(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.locator("#services-graph .label").first.hover()
    assert "waits for its calls" in page.locator(".tooltip").inner_text()
    page.locator("#services-trace .phase").first.hover()
    assert "Node" in page.locator(".tooltip").inner_text()


def test_a_drag_over_response_times_zooms_all_charts_over_time(report: Path, open_page: Open) -> None:
    page = open_page(report)
    before = ticks(page, "services-load"), ticks(page, "services-heat")
    drag(page, "#services-heat > svg", 0.4, 0.7)
    wait_until(page, "() => location.hash.includes('t=')")
    zoomed = ticks(page, "services-load"), ticks(page, "services-heat")
    assert zoomed[0] == zoomed[1] != before
    page.locator("#services-load > svg").hover(position={"x": 500, "y": 100})
    assert page.locator("#services-heat .cross").get_attribute("visibility") == "visible"


def test_a_request_has_an_axis_of_its_own_and_the_cursor_of_all(report: Path, open_page: Open) -> None:
    page = open_page(report)
    page.locator("#services-trace-controls").get_by_label("Request").select_option(index=2)
    before, whole = ticks(page, "services-load"), ticks(page, "services-trace")
    drag(page, "#services-trace > svg", 0.4, 0.6)
    wait_until(page, "() => location.hash.includes('span=') && location.hash.includes('services-request=2')")
    zoomed = ticks(page, "services-trace")
    assert zoomed != whole
    assert ticks(page, "services-load") == before
    page.locator("#services-trace > svg").hover(position={"x": 500, "y": 40})
    assert page.locator("#services-load .cross").get_attribute("visibility") == "visible"
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert ticks(page, "services-trace") == zoomed
    page.locator("#services-trace > svg").focus()
    page.keyboard.press("0")
    assert ticks(page, "services-trace") == whole


@pytest.mark.parametrize(
    ("chart", "columns"),
    [
        pytest.param("services-graph", ["caller_service", "caller_operation", "service"], id="calls"),
        pytest.param("services-heat", ["time_s", "from_s", "to_s", "requests"], id="response times"),
        pytest.param("services-load", ["line", "time_s", "value"], id="load"),
        pytest.param("services-trace", ["span", "parent", "service"], id="one request"),
    ],
)
def test_a_chart_of_services_is_saved(report: Path, open_page: Open, chart: str, columns: list[str]) -> None:
    page = open_page(report)
    picture = saved(page, chart, "SVG")
    assert len(list(ElementTree.fromstring(picture).iter())) > 20
    assert "var(" not in picture
    assert "oklab(" not in picture
    heading, *rows = csv.reader(io.StringIO(saved(page, chart, "CSV")))
    assert heading[: len(columns)] == columns
    assert len(rows) > 1


def test_a_call_and_a_span_tell_their_parts_to_the_keyboard_and_to_readers(report: Path, open_page: Open) -> None:
    page = open_page(report)
    for part in ("#services-graph .edge", "#services-trace g[role=img]"):
        page.keyboard.press("Tab")  # from now on the focus is that of the keyboard
        page.locator(part).first.focus()
        assert "Mean" in (told := page.locator(".tooltip").inner_text()) or "Node" in told
    assert problems_of(page) == []


def test_a_report_without_services_has_no_such_section(tmp_path: Path) -> None:
    page = write_report(ran(tmp_path / "out")).read_text(encoding="utf-8")
    assert "services-graph" not in page
    assert "ervices" not in page


def test_a_run_shorter_than_an_interval_and_without_requests_can_be_shown(tmp_path: Path, open_page: Open) -> None:
    services = {
        "services": [{"name": "web", "operations": [{"name": "get", "demand": "1ms"}]}],
        "users": [{"operation": "web.get", "poisson": 0}],
    }
    page = open_page(
        write_report(run_document(tmp_path, a_document(a_deployment("web"), services=services, horizon="5s")))
    )
    assert page.locator("#services-graph .service").count() == 2
    assert page.locator("#services-heat").inner_text() == "no request was answered"
    assert "Nothing was overloaded" in page.locator("#services-overloads").inner_text()
