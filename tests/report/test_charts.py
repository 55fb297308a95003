"""A chart has one place: a module of report.charts, and scripts of its name."""

from __future__ import annotations

from pathlib import Path

from wavetank.report import charts
from wavetank.report.page.html import CHART_SCRIPTS, SECTION_SCRIPTS
from wavetank.report.page.pagefile import ASSETS

MODULES = {path.stem for path in Path(charts.__file__).parent.glob("*.py")} - {"__init__"}
SCRIPTS = (*CHART_SCRIPTS, *(script for some in SECTION_SCRIPTS.values() for script in some))


def test_every_chart_has_a_module_and_scripts_of_its_name() -> None:
    named = {script.removeprefix("js/").removeprefix("charts/").partition("/")[0] for script in SCRIPTS}
    assert named | {"ganttheat"} == MODULES  # the heat map of the Gantt chart
    for script in SCRIPTS:
        assert (ASSETS / f"{script}.js").is_file()
