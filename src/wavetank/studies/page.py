"""The HTML page of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from html import escape

from wavetank.report.page.pagefile import fill_page
from wavetank.report.page.parts import SCRIPTS, drawing, items, marked, scrolling
from wavetank.studies.charts import Cell
from wavetank.studies.study import Claim, Findings, Picture, Study, Table, Verdict
from wavetank.version import __version__
from wavetank.words import counted

_CLASSES = {Verdict.HOLDS: "holds", Verdict.DOES_NOT_HOLD: "fails", Verdict.CANNOT_BE_CHECKED: "open"}
_PLURALS = {Verdict.HOLDS: "hold", Verdict.DOES_NOT_HOLD: "do not hold"}


def study_page(study: Study, findings: Findings, small: bool) -> str:
    """Returns a self-contained page; it depends on the findings alone."""
    slots = {
        "facts": items(_facts(findings, small)),
        "source": escape(study.source),
        "summary": escape(study.summary),
        "count": escape(count_text(findings.claims)),
        "claims": "".join(map(_claim, findings.claims)),
        "pictures": "".join(map(_picture, findings.pictures)),
        "tables": "".join(map(_table, findings.tables)),
    }
    rows = {each.name: each.drawing.rows for each in findings.pictures}
    data = {"tables": {"claims-table": _claim_rows(findings.claims), **rows}}
    return fill_page("study/template.html", study.title, ["report.css", "study/study.css"], SCRIPTS, data, slots)


def count_text(claims: Sequence[Claim]) -> str:
    """Returns how many claims hold: `7 claims: 6 hold, 1 does not hold`."""
    found = Counter(claim.verdict for claim in claims)
    parts = [
        f"{found[each]} {_PLURALS.get(each, str(each)) if found[each] > 1 else each}" for each in Verdict if found[each]
    ]
    return f"{counted(len(claims), 'claim')}: {', '.join(parts)}"


def format_cell(value: Cell) -> str:
    """Returns a cell as text; numbers have up to six digits."""
    return value if isinstance(value, str) else f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"


def _facts(findings: Findings, small: bool) -> list[str]:
    return ["small form" if small else "full form", *findings.facts, f"wavetank {__version__}"]


def _claim(claim: Claim) -> str:
    kind = _CLASSES[claim.verdict]
    reason = f'<p class="reason">{marked(claim.reason)}</p>' if claim.reason else ""
    place = f'<p class="place">{escape(claim.place)}</p>'
    return (
        f'<tr id="{escape(claim.key)}"><td><p>{escape(claim.statement)}</p>{place}</td>'
        f"<td>{escape(claim.published) or '–'}</td><td>{escape(claim.measured) or '–'}</td>"
        f'<td><span class="verdict {kind}">{claim.verdict}</span>{reason}</td></tr>'
    )


def _claim_rows(claims: Sequence[Claim]) -> list[list[str]]:
    names = [field.name for field in fields(Claim)]
    return [names, *([str(getattr(claim, name)) for name in names] for claim in claims)]


def _picture(picture: Picture) -> str:
    note = f'<p class="quiet">{escape(picture.note)}</p>' if picture.note else ""
    drawn = drawing(picture.name, picture.title, picture.drawing.svg)
    return f"<figure><figcaption>{escape(picture.title)}</figcaption>{drawn}{note}</figure>"


def _table(table: Table) -> str:
    numeric = [all(not isinstance(row[i], str) for row in table.rows) for i in range(len(table.columns))]
    head = "".join(_cell("th", name, right) for name, right in zip(table.columns, numeric, strict=True))
    body = "".join(
        "<tr>"
        + "".join(_cell("td", format_cell(cell), right) for cell, right in zip(row, numeric, strict=True))
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="quiet">{escape(table.note)}</p>' if table.note else ""
    cells = f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f"<h3>{escape(table.title)}</h3>{scrolling(cells)}{note}"


def _cell(tag: str, text: str, right: bool) -> str:
    return f"<{tag}{'' if right else ' class=words'}>{escape(text)}</{tag}>"
