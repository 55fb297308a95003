from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from wavetank.cli.console import console, errors, print_json
from wavetank.cli.outputoptions import json_option
from wavetank.studies.catalogue import load_study, study_names

if TYPE_CHECKING:
    from wavetank.studies.study import Claim, Progress, Study

_EXAMPLES = """\b
Examples:
  wavetank study list
  wavetank study run topsis --small
  wavetank study run teastore --data misim-orchestration/examples -o out/teastore
"""

_STYLES = {"holds": "green", "does not hold": "red", "cannot be checked": "dim"}


@click.group(name="study", epilog=_EXAMPLES)
def command() -> None:
    """Repeat published studies, and see which of their claims hold."""


@command.command(name="list", epilog=_EXAMPLES)
@json_option
def list_(as_json: bool) -> None:
    """List the studies, with their documents and the data that they need."""
    if as_json:
        print_json([_study_data(study) for study in map(load_study, study_names())])
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1, 0))
    table.add_column("study", no_wrap=True)
    table.add_column("what it repeats")
    for study in map(load_study, study_names()):
        data = "".join(
            f"\n[dim]{_NEEDED[each.needed]} {escape(each.name)}: {escape(each.what)}[/dim]" for each in study.data
        )
        table.add_row(study.name, f"{escape(study.title)}\n[dim]{escape(study.source)}[/dim]{data}")
    console.print(table, highlight=False)


def _study_data(study: Study) -> dict[str, object]:
    data = [{"name": each.name, "what": each.what, "needed": each.needed} for each in study.data]
    return {"name": study.name, "title": study.title, "source": study.source, "data": data}


_NEEDED = {"always": "needs", "full": "needs (without --small)", "optional": "can use"}


@command.command(name="run", epilog=_EXAMPLES)
@click.argument("name")
@click.option("--small", is_flag=True, help="The small form, which takes a few seconds.")
@click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Data that the study needs.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The results folder.  [default: out/study-<name>]")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of parallel runs.  [default: one per core]")
@json_option
def run(name: str, small: bool, data: Path | None, out: Path | None, jobs: int | None, as_json: bool) -> None:
    """Run a study and state for each claim of its document whether it holds.

    NAME is one of `wavetank study list`. The folder gets a page (report.html), the claims as CSV and JSON, the
    pictures, and in runs/ the results of all runs. Data that wavetank may not ship is looked for in --data DIR, then in
    $WAVETANK_SHARED/data.
    """
    from wavetank.cli.commands.warmup import warm_up
    from wavetank.studies.page import count_text
    from wavetank.studies.running import run_study
    from wavetank.studies.writing import CLAIMS_JSON, PAGE

    study = load_study(name)
    out = out or Path("out") / f"study-{name}"
    warm_up(errors)
    with _showing_progress() as progress:
        findings = run_study(study, out, small=small, data=data, jobs=jobs, progress=progress)
    if as_json:
        click.echo((out / CLAIMS_JSON).read_text(encoding="utf-8"), nl=False)
        return
    console.print(_claim_table(study.title, findings.claims))
    console.print(count_text(findings.claims), highlight=False)
    console.print(f"page: {out / PAGE}", soft_wrap=True, highlight=False)


def _claim_table(title: str, claims: Sequence[Claim]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_lines=True, pad_edge=False)
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim")
    for claim in claims:
        table.add_row(f"[{_STYLES[claim.verdict]}]{claim.verdict}[/]", _claim_text(claim))
    return table


def _claim_text(claim: Claim) -> Table:
    """Lists the claim with its figures below, so that narrow terminals can show it."""
    lines = Table.grid(padding=(0, 1))
    lines.add_column(min_width=8)
    why = "note" if claim.verdict == "holds" else "because"
    figures = {"document": claim.published, "here": claim.measured, why: claim.reason}
    for name, text in figures.items():
        if text:
            lines.add_row(f"[dim]{name}[/dim]", escape(text))
    cell = Table.grid()
    cell.add_row(f"{escape(claim.statement)} [dim]({escape(claim.place)})[/dim]")
    cell.add_row(lines)
    return cell


@contextmanager
def _showing_progress() -> Iterator[Progress]:
    """Shows progress: a bar in a terminal, a line for each step elsewhere."""
    if not errors.is_terminal:
        yield lambda done, total, what: errors.print(f"{done}/{total} {what}", highlight=False, soft_wrap=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("running", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
