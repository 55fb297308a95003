from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from wavetank.cli.console import console, errors
from wavetank.verification import (
    ASPECTS,
    FORCED_ASPECTS,
    FREE_ASPECTS,
    NODE_ASPECTS,
    SERVICE_ASPECTS,
    SESSION_ASPECTS,
    TIMED_ASPECTS,
    Agreement,
    Count,
    Mismatch,
    Verification,
    find_recordings,
    sum_of,
    verify,
)

_TABLE_WIDTH = 190  # where the output is not a terminal, and nothing needs to be folded


_EXAMPLES = """\b
Examples:
  wavetank verify recordings
  wavetank verify recordings --family fit_least --most 3
  wavetank verify recordings --json > agreement.json
"""


@click.command(name="verify", epilog=_EXAMPLES)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--family", metavar="NAME", help="Only recordings of this family.")
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Maximum number of mismatches to show in full.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
def command(folder: Path, family: str | None, most: int, as_json: bool) -> None:
    """Replay recordings of the real kube-scheduler, Volcano, autoscalers or MiSim and compare every decision.

    DIR is a folder of recordings (*.json.gz), or one of its files: scheduling cycles, timelines, sessions of Volcano,
    syncs of pod autoscalers, or scenarios of the cluster autoscaler. Runs of MiSim are folders with a result.json. The
    exit status is 1 if there is a mismatch.
    """
    with _watched(find_recordings(folder, family)) as recordings:
        verification = verify(recordings, most)
    if as_json:
        click.echo(_document(verification))
    else:
        _print(verification)
    files = verification.total.files
    if files.equal < files.compared:
        sys.exit(1)


@contextmanager
def _watched(files: Sequence[Path]) -> Iterator[Iterator[Path]]:
    """Gives the files one by one, with a bar in a terminal."""
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TextColumn("files"), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        yield iter(bar.track(files))


def _document(verification: Verification) -> str:
    total = verification.total
    document = {
        "percent": _percent(total.attempts),
        "files": total.files,
        "attempts": total.attempts,
        "aspects": total.aspects,
        "plugins": total.plugins,
        "families": verification.families,
        "timelines": verification.timelines,
        "sessions": verification.sessions,
        "autoscalers": verification.autoscalers,
        "services": verification.services,
        "nodeAutoscalers": verification.node_autoscalers,
        "mismatches": verification.mismatches,
        "verdicts": {file: "agrees" if agrees else "differs" for file, agrees in verification.verdicts.items()},
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode()


def _print(verification: Verification) -> None:
    out = console if console.is_terminal else Console(width=_TABLE_WIDTH)
    total = verification.total
    if verification.families:
        out.print(_family_table("Agreement per family", verification.families, ASPECTS))
        out.print(_plugin_table(total))
    if verification.timelines:
        out.print(_family_table("Agreement in time per family", verification.timelines, TIMED_ASPECTS))
    if verification.sessions:
        out.print(
            _family_table(
                "Agreement of Volcano's sessions per family", verification.sessions, SESSION_ASPECTS, "Sessions"
            )
        )
    if verification.autoscalers:
        families = verification.autoscalers
        out.print(_family_table("Agreement of autoscalers in a free run per family", families, FREE_ASPECTS, "Syncs"))
        out.print(_family_table("Agreement sync by sync, given recorded answers", families, FORCED_ASPECTS, "Syncs"))
    if verification.services:
        families = verification.services
        out.print(_family_table("Agreement of microservices per mechanism", families, SERVICE_ASPECTS, "Cases"))
    if verification.node_autoscalers:
        nodes = verification.node_autoscalers
        out.print(_family_table("Agreement of the cluster autoscaler per family", nodes, NODE_ASPECTS, "Loops"))
    for mismatch in verification.mismatches:
        out.print(_text(mismatch), soft_wrap=True)
    differing = [file for file, agrees in verification.verdicts.items() if not agrees]
    if differing:
        out.print(f"these files differ, all others agree: {', '.join(differing)}", highlight=False, soft_wrap=True)
    files, attempts = total.files, total.attempts
    out.print(
        f"{_percent(attempts)} % of the attempts agree in everything: {attempts.equal:,} of {attempts.compared:,}, "
        f"and {files.equal:,} of {files.compared:,} files",
        highlight=False,
    )


def _family_table(title: str, families: dict[str, Agreement], aspects: Sequence[str], unit: str = "Attempts") -> Table:
    table = Table(title=title, caption="equal/compared; a single number: all of so many are equal")
    table.add_column("Family", no_wrap=True)
    for column in ("Files", unit, *(aspect.removeprefix("forced ").capitalize() for aspect in aspects)):
        table.add_column(column, justify="right", overflow="fold")
    for family, agreement in families.items():
        table.add_row(family, *_cells(agreement, aspects))
    table.add_section()
    table.add_row("all", *_cells(sum_of(families.values()), aspects))
    return table


def _cells(agreement: Agreement, aspects: Sequence[str]) -> list[Text]:
    counts = [agreement.files, agreement.attempts, *(agreement.aspects.get(aspect, Count()) for aspect in aspects)]
    return [_cell(count) for count in counts]


def _plugin_table(total: Agreement) -> Table:
    table = Table(title="Scores per plugin", caption="of single nodes, where the same nodes were scored")
    table.add_column("Plugin", no_wrap=True)
    table.add_column("Scores", justify="right")
    table.add_column("%", justify="right")
    for plugin, count in sorted(total.plugins.items()):
        table.add_row(plugin, _cell(count), str(_percent(count)))
    return table


def _cell(count: Count) -> Text:
    if not count.compared:
        return Text("·", style="dim")
    if count.equal == count.compared:
        return Text(str(count.compared), style="green")
    return Text(f"{count.equal}/{count.compared}", style="red")


def _percent(count: Count) -> float:
    """Rounds down, so that 100 means all."""
    return count.equal * 10_000 // count.compared / 100 if count.compared else 100.0


def _text(mismatch: Mismatch) -> Text:
    heading = f"{mismatch.file}: step {mismatch.step}: {mismatch.pod}: {mismatch.aspect}\n"
    return Text.assemble(
        (heading, "bold"), f"  recorded: {_value(mismatch.expected)}\n", f"  wavetank: {_value(mismatch.got)}"
    )


def _value(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
