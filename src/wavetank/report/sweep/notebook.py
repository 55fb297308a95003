"""A sweep in a notebook."""

from __future__ import annotations

from html import escape
from pathlib import Path

from wavetank.report.page.parts import items
from wavetank.report.sweep.table import HEAD, caption, verdicts
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.sweep import sweep_verdict


def sweep_html(out: Path) -> str:
    """Returns a fragment of HTML: a row per scenario, as in the terminal."""
    folder = SweepFolder(out)
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in verdicts(folder))
    return (
        f'<div class="wavetank"><ul>{items(sweep_verdict(folder).sentences)}</ul>'
        f"<p><strong>{escape(folder.facts.name)}</strong>: {escape(caption(folder))}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
