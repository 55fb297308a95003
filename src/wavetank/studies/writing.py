"""Files of a study: the page, its claims as CSV and JSON, its pictures."""

from __future__ import annotations

import csv
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path

import msgspec

from wavetank.report.page.pagefile import write_page
from wavetank.results import layout
from wavetank.studies.page import study_page
from wavetank.studies.study import Claim, Findings, Study
from wavetank.version import __version__

PAGE, CLAIMS_CSV, CLAIMS_JSON = layout.REPORT, "claims.csv", layout.CLAIMS


def write_findings(study: Study, findings: Findings, out: Path, small: bool) -> None:
    """Writes all files of a study; each replaces that of an earlier run as a whole."""
    write_page(out / CLAIMS_CSV, _csv(findings))
    write_page(out / CLAIMS_JSON, _json(study, findings, small))
    for picture in findings.pictures:
        write_page(out / f"{picture.name}.svg", picture.drawing.svg)
    write_page(out / PAGE, study_page(study, findings, small))


def _csv(findings: Findings) -> str:
    names = [each.name for each in fields(Claim)]
    text = StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(claim) for claim in findings.claims)
    return text.getvalue()


def _json(study: Study, findings: Findings, small: bool) -> str:
    document = {
        "study": study.name,
        "title": study.title,
        "source": study.source,
        "form": "small" if small else "full",
        "wavetank": __version__,
        "claims": [asdict(claim) for claim in findings.claims],
        "tables": [asdict(table) for table in findings.tables],
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"
