"""What tests do with the charts of a page."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.support.browser import saved_by

_TICKS = "#{} .axis text:not(.title)"


def ticks(page: Page, chart: str) -> list[str]:
    """Returns the labels of a chart's time axis."""
    return page.locator(_TICKS.format(chart)).evaluate_all(
        "texts => texts.filter(text => text.getAttribute('text-anchor') === 'middle').map(text => text.textContent)"
    )


def drag(page: Page, chart: str, low: float, high: float) -> None:
    """Drags over a chart, from and to shares of its width."""
    target = page.locator(chart)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + low * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + high * box["width"], y, steps=3)
    page.mouse.up()


def saved(page: Page, chart: str, kind: str) -> str:
    """Returns what a chart's button saves."""
    host = "#gantt-figure" if chart == "gantt" else f"#{chart} + .downloads"
    return saved_by(page, page.locator(host).get_by_role("button", name=kind, exact=False).filter(has_text=kind))
