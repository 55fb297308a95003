"""The page of a study: claims, pictures and tables, whatever their texts; charts; claims need reasons."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from tests.report.browser.views import saved
from tests.support.browser import Pages
from wavetank.studies.charts import Axis, bar_chart, line_chart
from wavetank.studies.page import count_text
from wavetank.studies.study import Claim, Findings, Picture, Study, Table, Verdict, check, unchecked
from wavetank.studies.writing import write_findings

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
NUMBERS = st.floats(0.001, 1e9)


def a_claim(holds: bool = True, key: str = "a") -> Claim:
    return check(key, "x < y & z", "figure 1", published="1", measured="<b>2</b>", holds=holds, otherwise="because")


def findings() -> Findings:
    claims = [a_claim(), a_claim(False, "b"), unchecked("c", "nothing", "page 3", reason="no numbers")]
    table = Table("Numbers <1>", ["name", "value"], [["<i>", 1234.5], ["b", 7]], "a note")
    picture = Picture("chart", "A chart", line_chart("A chart", Axis("x"), Axis("y"), {"one": [(0, 1), (1, 2)]}))
    return Findings(claims, [table], [picture], ["2 seeds"])


def test_the_page_shows_all_texts_as_they_are(browser: Browser, tmp_path: Path) -> None:
    study = Study("try", "A <study>", "Somebody & others", "What it does.", lambda context: findings())
    write_findings(study, findings(), tmp_path, small=True)
    pages = Pages(browser)
    page = pages.open((tmp_path / "report.html").as_uri())
    shown = page.inner_text("body")
    assert page.locator("#chart svg").bounding_box()["width"] > 500  # type: ignore[index]
    assert pages.errors == []
    pages.close()
    for text in ("A <study>", "x < y & z", "<b>2</b>", "does not hold", "because", "1,234.5", "small form"):
        assert text in shown
    assert "3 claims: 1 holds, 1 does not hold, 1 cannot be checked" in shown


def test_pictures_claims_and_tables_can_be_saved(browser: Browser, tmp_path: Path) -> None:
    study = Study("try", "A <study>", "Somebody & others", "What it does.", lambda context: findings())
    write_findings(study, findings(), tmp_path, small=True)
    pages = Pages(browser)
    page = pages.open((tmp_path / "report.html").as_uri())
    drawn = ElementTree.fromstring(saved(page, "chart", "SVG"))
    assert "A chart" in "".join(drawn.itertext())
    assert saved(page, "chart", "CSV") == "line,x,y\none,0,1\none,1,2\n"
    assert saved(page, "claims-table", "CSV").splitlines()[2] == (
        "b,x < y & z,figure 1,1,<b>2</b>,does not hold,because"
    )
    assert saved(page, "tables > .scroll", "CSV") == "name,value\n<i>,1234.5\nb,7\n"
    pages.close()


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        pytest.param([True, True], "2 claims: 2 hold", id="several"),
        pytest.param([True], "1 claim: 1 holds", id="one"),
        pytest.param([True, False, False], "3 claims: 1 holds, 2 do not hold", id="of two kinds"),
    ],
)
def test_claims_are_counted(verdicts: list[bool], text: str) -> None:
    assert count_text([a_claim(holds) for holds in verdicts]) == text


@pytest.mark.parametrize("verdict", [Verdict.DOES_NOT_HOLD, Verdict.CANNOT_BE_CHECKED])
def test_a_claim_that_does_not_hold_needs_a_reason(verdict: Verdict) -> None:
    with pytest.raises(ValueError, match="no reason is given"):
        Claim("a", "b", "c", "1", "2", verdict)


@given(st.dictionaries(NAMES, st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5), max_size=4), st.booleans())
def test_a_line_chart_is_xml_for_all_names_and_values(lines: dict[str, list[tuple[float, float]]], log: bool) -> None:
    drawn = line_chart("a & b", Axis("x", logarithmic=log and bool(lines)), Axis("y"), lines)
    assert ElementTree.fromstring(drawn.svg).tag.endswith("svg")


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, NUMBERS, min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_bar_chart_is_xml_for_all_names_and_values(groups: dict[str, dict[str, float]]) -> None:
    spread = {(group, name): value / 10 for group, bars in groups.items() for name, value in bars.items()}
    assert ElementTree.fromstring(bar_chart("bars", Axis("y"), groups, spread).svg).tag.endswith("svg")
