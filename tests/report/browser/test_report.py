"""The report of an experiment in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.report.browser.conftest import Open
from tests.report.synthetic import Recipe
from tests.support.browser import wait_until
from wavetank.report.page.html import write_report

Results = Callable[[Recipe], Path]
PAINTED = "document.querySelector('#gantt-figure canvas').toDataURL()"


@pytest.fixture
def report(results: Results, open_page: Open) -> Page:
    return open_page(write_report(results(Recipe())))


def painted(page: Page) -> str:
    return page.evaluate(PAINTED)


@pytest.mark.parametrize("width", [400, 800, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_the_window(results: Results, open_page: Open, width: int, scheme: str) -> None:
    page = open_page(write_report(results(Recipe())), width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("#trouble").is_hidden()


@pytest.mark.parametrize(
    "recipe",
    [
        pytest.param(Recipe(schedulers=("only",), seeds=(7,)), id="one scheduler, one seed"),
        pytest.param(Recipe(schedulers=("lazy",), never_schedules=("lazy",)), id="no pod is placed"),
        pytest.param(Recipe(pods=1, buckets=1), id="a single pod"),
    ],
)
def test_unusual_results_are_drawn_without_errors(results: Results, open_page: Open, recipe: Recipe) -> None:
    page = open_page(write_report(results(recipe)))
    assert page.locator("#trouble").is_hidden()


def test_the_theme_button_is_remembered(report: Page) -> None:
    button = report.locator("#theme")
    assert button.inner_text() == "Theme: auto"
    button.click()
    button.click()
    assert button.inner_text() == "Theme: dark"
    report.reload()
    report.wait_for_selector("html[data-ready]", state="attached")
    assert report.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_chart_over_time_shows_the_chosen_resource(report: Page) -> None:
    caption = report.locator("#utilization-caption")
    assert caption.inner_text() == "CPU requested, share of the cluster"
    report.locator("#series-controls").get_by_role("radio", name="Memory").check()
    assert caption.inner_text() == "Memory requested, share of the cluster"


def test_a_scheduler_can_be_hidden(report: Page) -> None:
    lines = report.locator("#utilization svg g.line")
    before = lines.count()
    report.locator("#series-legend button").first.click()
    assert before > 1
    assert lines.count() == before - 1
    assert report.locator("#series-legend button").first.get_attribute("aria-pressed") == "false"


def test_the_gantt_chart_zooms_and_resets_by_keyboard(report: Page) -> None:
    canvas = report.locator("#gantt-figure canvas")
    canvas.focus()
    whole = painted(report)
    report.keyboard.press("+")
    wait_until(report, "before => document.querySelector('#gantt-figure canvas').toDataURL() !== before", whole)
    report.keyboard.press("0")
    wait_until(report, "before => document.querySelector('#gantt-figure canvas').toDataURL() === before", whole)


NAMES = {1: "web-10", 2: "web-1", 3: "web-11", 4: "Web-UI"}


def test_a_pod_is_found_by_its_name_in_any_case_and_exact_names_first(results: Results, open_page: Open) -> None:
    page = open_page(write_report(results(Recipe(pod_names=NAMES))))
    search = page.get_by_placeholder("name, then Enter")
    for text, found in (
        ("job-3-1", "job-3-1"),
        ("web-10", "web-10"),
        ("web-1", "web-1"),  # the exact name, although a longer one was found before
        ("web-1", "web-10"),  # asked again: the longer ones
        ("default/web-1", "web-1"),
        ("WEB-11", "web-11"),
        (" web-ui ", "Web-UI"),
    ):
        search.fill(text)
        search.press("Enter")
        assert f"default/{found}" in page.locator("#gantt-details").inner_text().split(), text


def test_a_name_that_no_pod_has_is_not_found(report: Page) -> None:
    search = report.get_by_placeholder("name, then Enter")
    search.fill("missing")
    search.press("Enter")
    assert report.get_by_text("no such pod in this chart").is_visible()


def test_a_bar_under_the_pointer_shows_its_pod(report: Page) -> None:
    canvas = report.locator("#gantt-figure canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    for share in range(10, 95, 5):
        report.mouse.move(box["x"] + box["width"] * share / 100, box["y"] + box["height"] / 3)
        if report.locator(".tooltip:visible").count():
            break
    assert "Pod" in report.locator(".tooltip").inner_text()


def test_another_run_can_be_shown(report: Page) -> None:
    before = report.locator("#gantt-figure canvas").get_attribute("aria-label")
    report.locator("#gantt-controls select").first.select_option(index=1)
    wait_until(
        report, "before => document.querySelector('#gantt-figure canvas').getAttribute('aria-label') !== before", before
    )


def test_nothing_is_fetched(results: Results, open_page: Open) -> None:
    page = open_page(write_report(results(Recipe())))
    fetched = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [name for name in fetched if not name.startswith("data:")] == []
