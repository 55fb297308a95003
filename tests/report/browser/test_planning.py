"""The pages of `wavetank whatif` and `wavetank capacity`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import wavetank
from tests.planning.shop import SHOP
from tests.report.browser.conftest import Open
from tests.report.browser.views import saved

BIG = """
apiVersion: v1
kind: Pod
metadata: {name: big}
spec:
  containers: [{name: c, image: i, resources: {requests: {cpu: "40", memory: 1Gi}}}]
"""


def test_the_maps_have_a_box_per_node_in_the_same_place(open_page: Open, tmp_path: Path) -> None:
    answer = wavetank.whatif(SHOP, [{"add": "1xb-1"}, {"drain": "b-0"}, {"remove": "a-0"}])
    page = open_page(answer.write_page(tmp_path / "answer.html"))
    before, after = (page.locator(f'[aria-label="{side}"] .nodes li') for side in ("Before", "After"))
    assert before.count() == after.count() == 7
    assert before.locator("b").all_inner_texts() == after.locator("b").all_inner_texts()
    assert page.locator('[aria-label="After"] .absent').get_attribute("title") == "a-0: not there"
    assert page.locator('[aria-label="After"] .new').count() == 1
    assert page.locator("#disruption tbody tr").count() > 0


def test_names_are_escaped(open_page: Open, tmp_path: Path) -> None:
    copied = tmp_path / "<img src=x onerror=alert(1)>.yaml"
    copied.write_text(SHOP.read_text())
    page = open_page(wavetank.whatif(copied).write_page(tmp_path / "answer.html"))
    assert page.locator(".facts li").first.inner_text() == copied.name


def test_the_page_of_a_search_shows_what_was_tried(open_page: Open, tmp_path: Path) -> None:
    page = open_page(wavetank.capacity(SHOP, schedulers=["default", "best-fit"]).write_page(tmp_path / "c.html"))
    assert page.locator("#nodes tbody tr").count() == 2
    assert "5 nodes" in page.locator("#nodes").inner_text()
    assert page.locator("#scheduler-0 .trials li").count() >= 2


def _explained(folder: Path) -> wavetank.Explained:
    (folder / "big.yaml").write_text(BIG)
    return wavetank.explain(SHOP, pods=folder / "big.yaml")


ANSWERS: dict[str, Callable[[Path], wavetank.WhatIf | wavetank.Capacity | wavetank.Explained]] = {
    "node-map": lambda _: wavetank.whatif(SHOP, [{"drain": "b-0"}]),
    "trials-0": lambda _: wavetank.capacity(SHOP),
    "shortages": _explained,
}


@pytest.mark.parametrize("chart", ANSWERS)
def test_what_a_page_of_planning_draws_is_saved(open_page: Open, tmp_path: Path, chart: str) -> None:
    page = open_page(ANSWERS[chart](tmp_path).write_page(tmp_path / "page.html"))
    picture = saved(page, chart, "SVG")
    assert len(list(ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}rect"))) > 2
    heading, *rows = csv.reader(io.StringIO(saved(page, chart, "CSV")))
    assert rows
    assert {len(row) for row in rows} == {len(heading)}


def test_each_table_is_saved(open_page: Open, tmp_path: Path) -> None:
    page = open_page(wavetank.whatif(SHOP, [{"drain": "b-0"}]).write_page(tmp_path / "page.html"))
    tables = page.locator(".scroll table").count()
    assert page.get_by_role("button", name="Download the table", include_hidden=True).count() == tables > 2
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the table answer as CSV").click()
    heading, *rows = csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
    assert heading == ["", "Before", "After"]
    assert len(rows) > 2
