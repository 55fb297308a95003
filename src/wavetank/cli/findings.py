from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from wavetank.cli.console import console
from wavetank.results.assertions import Finding


def end_with_findings(findings: Sequence[Finding], console: Console = console) -> None:
    """Prints what became of an experiment's assertions; ends the command with status 1 if one does not hold."""
    failed = [finding for finding in findings if not finding.holds]
    for finding in failed:
        console.print("[bold red]fails[/bold red] ", end="")
        console.print(f"{finding.assertion} ({finding.detail})", soft_wrap=True, highlight=False, markup=False)
    if findings:
        console.print(f"{len(findings) - len(failed)} of {len(findings)} assertions hold", highlight=False)
    if failed:
        raise SystemExit(1)
