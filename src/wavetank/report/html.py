"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from wavetank.report.comparison import comparison_cards, comparison_table
from wavetank.report.facts import facts_line, scheduler_list, warnings_block
from wavetank.report.folder import ResultsFolder
from wavetank.report.metrics import compare
from wavetank.report.payload import payload

ASSETS = files("wavetank.report") / "assets"
# Later scripts use earlier ones; main.js starts them.
SCRIPTS = (
    "format",
    "dom",
    "data",
    "chart",
    "series",
    "waiting",
    "gantt-model",
    "gantt-heat",
    "gantt-paint",
    "gantt-view",
    "main",
)
SLOT = re.compile(r"<!--slot:([a-z]+)-->")


def write_report(out: Path) -> Path:
    """Writes `report.html` from the results in the folder `out` and returns its path.

    The page depends on the results only: the same folder gives the same bytes.
    It is put in place by a rename, so that nobody ever sees half of it.
    """
    target = out / "report.html"
    unfinished = out / ".report.html.unfinished"
    unfinished.write_text(_page(ResultsFolder(out)), encoding="utf-8")
    unfinished.replace(target)
    return target


def _page(folder: ResultsFolder) -> str:
    comparisons = compare(folder)
    script = _script()
    slots = {
        "policy": _policy(script),
        "title": escape(folder.experiment.name),
        "style": _asset("report.css"),
        "facts": facts_line(folder.experiment),
        "warnings": warnings_block(folder.experiment.warnings),
        "schedulers": scheduler_list(folder.experiment),
        "cards": comparison_cards(comparisons),
        "table": comparison_table(comparisons),
        "data": _island(payload(folder)),
        "script": script,
    }
    # In one pass: what fills a slot is never searched for slots.
    return SLOT.sub(lambda slot: slots[slot[1]], _asset("template.html"))


def _policy(script: str) -> str:
    """Returns a content security policy under which only our own script runs and nothing is ever fetched."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def _island(data: dict[str, Any]) -> str:
    """Returns JSON that may stand inside a script element, whatever the names in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script() -> str:
    parts = "\n".join(_asset(f"js/{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
