"""The page in a real browser, with an operator on a simulated cluster behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.apiserver.serving import TOKEN
from tests.batchoperator.cluster import OperatedCluster
from tests.batchoperator.esi.serving import ServedInterface, operating, serving
from tests.support.browser import Pages
from wavetank.style import colours


@pytest.fixture
def pages(browser: Browser) -> Iterator[Pages]:
    """Opens pages; none may log an error."""
    pages = Pages(browser)
    yield pages
    pages.close()
    assert pages.errors == []


@pytest.fixture
def operated() -> Iterator[ServedInterface]:
    """Four slots on two nodes and three jobs, a minute each."""
    cluster = OperatedCluster()
    cluster.testbed()
    for name in ("spark-pi", "spark-sort"):
        cluster.spark(name)
    cluster.flink("word-count")
    cluster.run(0)
    with operating(cluster, 1.0) as served:
        yield served


def open_page(pages: Pages, served: ServedInterface, width: int = 1400) -> Page:
    return pages.open(f"{served.url}/#token={TOKEN}", width)


def test_a_testbed_is_seen_a_queue_is_built_and_watched_to_its_end(pages: Pages, operated: ServedInterface) -> None:
    page = open_page(pages, operated)
    expect(page.locator("[data-testbed=bed] .slot.free")).to_have_count(4)
    expect(page.locator("#facts")).to_contain_text("live")
    page.get_by_role("button", name="spark-pi").click()
    page.get_by_role("button", name="one more executor of spark-pi").click()
    page.locator("#pool").get_by_text("word-count").drag_to(page.locator("#queue"))
    expect(page.locator("#queue > li")).to_have_count(2)
    expect(page.locator("#builder-note")).to_have_text("2 jobs with 3 executors, on 4 slots.")
    page.get_by_role("button", name="Create").click()
    scheduling = page.locator("[data-scheduling=by-hand-1]")
    expect(scheduling).to_contain_text("spark-pi × 2")
    expect(page.locator("[data-testbed=bed] .slot.occupied")).to_have_count(3)
    expect(page.locator("[data-testbed=bed] .slot.occupied").first).to_contain_text("spark-pi")
    operated.advance(70)
    expect(scheduling.locator(".state")).to_have_text(re.compile("completed|finished"))
    expect(page.locator("tr[data-job=word-count]")).to_contain_text("1 min 0 s")
    expect(page.locator("[data-testbed=bed] .slot.free")).to_have_count(4)
    scheduling.get_by_role("button", name="Delete").click()
    expect(scheduling).to_have_count(0)


def test_a_queue_is_built_with_the_keyboard(pages: Pages, operated: ServedInterface) -> None:
    page = open_page(pages, operated)
    for name in ("spark-pi", "spark-sort", "word-count"):
        page.get_by_role("button", name=name).focus()
        page.keyboard.press("Enter")
    page.locator("#queue [data-job=word-count]").focus()
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("+")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    assert page.locator("#queue .label").all_inner_texts() == ["word-count", "spark-sort"]
    page.locator("#name").fill("typed")
    page.keyboard.press("Enter")
    expect(page.locator("[data-scheduling=typed]")).to_contain_text("word-count × 2")
    assert operated.ask("GET", "/external/schedulings/typed").json["queue"] == [
        "word-count",
        "word-count",
        "spark-sort",
    ]


def test_jobs_get_fixed_slots_by_clicks(pages: Pages, operated: ServedInterface) -> None:
    page = open_page(pages, operated)
    page.get_by_role("radio", name="slots, relaxed").check()
    page.get_by_role("button", name="spark-sort").click()
    page.locator("[data-testbed=bed] [data-slot='1']").click()
    page.locator("[data-testbed=bed] [data-slot='3']").click()
    page.get_by_role("button", name="Create").click()
    expect(page.locator("[data-scheduling=by-hand-1]")).to_contain_text("spark-sort 1, 3")
    slots = operated.ask("GET", "/external/schedulings/by-hand-1").json["slots"]
    assert slots == {"mode": "relaxed", "jobs": [{"name": "spark-sort", "slots": [1, 3]}]}


def test_a_scheduling_is_extended(pages: Pages, operated: ServedInterface) -> None:
    operated.ask("POST", "/external/schedulings", {"name": "q", "testBed": "bed", "queue": ["spark-pi", "spark-pi"]})
    page = open_page(pages, operated)
    page.get_by_role("button", name="Edit q").click()
    page.get_by_role("button", name="word-count").click()
    page.get_by_role("button", name="Replace").click()
    expect(page.locator("[data-scheduling=q]")).to_contain_text("word-count × 1")


def test_a_refusal_is_shown(browser: Browser, operated: ServedInterface) -> None:
    pages = Pages(browser)
    page = open_page(pages, operated)
    page.get_by_role("button", name="spark-pi").click()
    page.locator("#name").fill("Not A Name")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#refusal")).to_contain_text("name: expected a name in lower case")
    pages.close()
    assert len(pages.errors) == 1  # the browser's own line for the status 400


def test_without_a_token_the_page_asks_for_it(pages: Pages) -> None:
    with serving() as served:
        page = pages.open(served.url)
        expect(page.locator("#content")).to_be_hidden()
        page.locator("#token").fill(TOKEN)
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("[data-testbed=testbed]")).to_be_visible()
        assert "token" not in page.url
        page.reload()
        expect(page.locator("[data-testbed=testbed]")).to_be_visible()
        page.close()


def test_a_lost_connection_is_shown_and_found_again(browser: Browser) -> None:
    pages = Pages(browser)
    with serving() as served:
        page = open_page(pages, served)
    expect(page.locator("#trouble")).to_contain_text("The connection is lost")
    with serving(port=served.port):
        expect(page.locator("#facts")).to_contain_text("live", timeout=30_000)
        expect(page.locator("#trouble")).to_be_hidden()
        pages.close()


def test_the_token_of_the_link_leaves_the_address(pages: Pages, operated: ServedInterface) -> None:
    assert open_page(pages, operated).url == f"{operated.url}/"


def test_text_of_the_cluster_is_never_markup(pages: Pages) -> None:
    with serving() as served:
        served.call(
            lambda: served.cluster.set_status("Testbed", "testbed", {"problems": ["<img src=x onerror=alert(1)>"]})
        )
        page = open_page(pages, served)
        expect(page.locator(".problems")).to_have_text("<img src=x onerror=alert(1)>")
        page.close()


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_nothing_is_wider_than_the_window(pages: Pages, operated: ServedInterface, width: int) -> None:
    page = open_page(pages, operated, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_has_the_colours_of_all_pages(operated: ServedInterface) -> None:
    css = operated.ask("GET", "/assets/colours.css", token=None)
    assert css.body.decode() == colours()
    assert "default-src 'none'" in css.headers["content-security-policy"]
