"""The section of ClusterQueues of the report in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import wavetank
from tests.report.browser.conftest import Open
from tests.results.queues.test_queue_tables import experiment
from wavetank.report.page.html import write_report


@pytest.mark.parametrize("width", [400, 1400])
def test_the_section_has_a_line_and_a_row_for_each_queue(tmp_path: Path, open_page: Open, width: int) -> None:
    wavetank.run(experiment(tmp_path), out=tmp_path / "out")
    page = open_page(write_report(tmp_path / "out"), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#queues-use svg g.line").count() == 2
    assert page.locator("#queues-pending svg g.line").count() == 2
    assert page.locator("#queues-table tbody tr").count() == 2
    assert page.locator("#queues-use-caption").inner_text() == "Use of the nominal quota of cpu"
