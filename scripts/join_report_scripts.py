"""Joins the scripts of each page into one file, so that the linter sees which names are unknown or unused.

python scripts/join_report_scripts.py .venv/report-scripts
"""

from __future__ import annotations

import sys
from pathlib import Path

from wavetank.report.page import html, parts
from wavetank.report.page.pagefile import join_scripts
from wavetank.report.sweep import page as sweep
from wavetank.ui.assets import saving_module


def main(folder: Path) -> None:
    """Writes the joined scripts into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scripts in (("report", html.ALL_SCRIPTS), ("sweep", sweep.SCRIPTS), ("planning", parts.SCRIPTS)):
        (folder / f"{name}.js").write_text(join_scripts(scripts), encoding="utf-8")
    (folder / "saving.js").write_text(saving_module(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
