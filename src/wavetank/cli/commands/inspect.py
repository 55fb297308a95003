from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import click
import msgspec
from rich.table import Table

from wavetank.cli.console import console, print_warnings
from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, format_amounts
from wavetank.errors import InputError
from wavetank.workloads.inspect.picture import write_picture
from wavetank.workloads.inspect.summary import ClusterSummary, Spread, WorkloadSummary, summarize

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST_GROUPS = 12
_EXAMPLES = """\b
Examples:
  wavetank inspect jobs.swf.gz
  wavetank inspect platform.xml
  wavetank inspect pods.csv --json
  wavetank inspect trace.parquet --plot arrivals.svg
"""


@click.command(name="inspect", epilog=_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "format_", help="The file's format.  [default: detected from the content]")
@click.option("--lenient", is_flag=True, help="Skip and count unusable entries.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with times in seconds.")
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw a chart of the arrivals of a workload."
)
def command(file: Path, format_: str | None, lenient: bool, as_json: bool, plot: Path | None) -> None:
    """Summarize a workload or cluster file.

    Shows the format, the number of jobs, pods or nodes, their requests or capacities, and the arrivals of pods.
    """
    if plot is not None and plot.suffix.lower() != ".svg":
        raise InputError("expected a file name that ends in .svg", source=str(plot))
    summary = summarize(file, format_, lenient)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary), indent=2).decode())
    elif isinstance(summary, WorkloadSummary):
        _print_workload(summary)
    else:
        _print_cluster(summary)
    if plot is not None:
        if not isinstance(summary, WorkloadSummary):
            raise InputError("--plot draws the arrivals of a workload; this is a cluster", source=str(file))
        write_picture(summary, plot)


def _print_workload(summary: WorkloadSummary) -> None:
    jobs = f"{summary.jobs} jobs, " if summary.jobs != summary.pods else ""
    _say(f"{summary.file}: {summary.format} workload of {jobs}{summary.pods} pods")
    _say(f"arrivals: from {_number(summary.first_arrival)} s to {_number(summary.last_arrival)} s")
    _say(f"  {_sparkline(summary.arrivals)}  the highest bar is {max(summary.arrivals, default=0)} pods")
    table = Table("per pod", "least", "median", "mean", "95 %", "most", "pods", box=None, header_style="bold")
    ending = summary.pods - summary.endless
    _add(table, "run time (s)", summary.durations, ending)
    for resource, spread in summary.requests.items():
        _add(table, _titled(resource), _scaled(resource, spread), summary.requesting[resource])
    if summary.jobs != summary.pods:
        _add(table, "pods of a job", summary.sizes, summary.jobs)
    console.print(table)
    if summary.endless:
        _say(f"{summary.endless} pods run forever")
    if list(summary.schedulers) not in ([], ["default-scheduler"]):
        _say("schedulers: " + ", ".join(f"{name} ({pods} pods)" for name, pods in summary.schedulers.items()))
    print_warnings(summary.notes)


def _print_cluster(summary: ClusterSummary) -> None:
    _say(f"{summary.file}: {summary.format} cluster of {summary.nodes} nodes")
    table = Table("nodes", "allocatable", box=None, header_style="bold")
    for group in summary.groups[:_MOST_GROUPS]:
        table.add_row(str(group.nodes), _amounts(group.capacity))
    if len(summary.groups) > _MOST_GROUPS:
        rest = summary.groups[_MOST_GROUPS:]
        table.add_row(str(sum(group.nodes for group in rest)), f"of {len(rest)} other sizes")
    if summary.nodes:
        table.add_row(str(summary.nodes), f"{_amounts(summary.total)} together")
        console.print(table)
    if summary.tainted:
        _say(f"{summary.tainted} nodes have taints")
    if summary.objects:
        _say("other objects: " + ", ".join(f"{number} {kind}" for kind, number in summary.objects.items()))


def _say(text: str) -> None:
    console.print(text, soft_wrap=True, highlight=False, markup=False)


def _sparkline(counts: list[int]) -> str:
    most = max(counts, default=0) or 1
    return "".join(" " if not count else _BLOCKS[(count * len(_BLOCKS) - 1) // most] for count in counts)


def _titled(resource: str) -> str:
    units = {CPU: "cores", MEMORY: "GiB", EPHEMERAL_STORAGE: "GiB"}
    return f"{resource} ({units[resource]})" if resource in units else resource


def _scaled(resource: str, spread: Spread) -> Spread:
    if resource not in (MEMORY, EPHEMERAL_STORAGE):
        return spread
    return Spread(*(value / 2**30 for value in astuple(spread)))


def _add(table: Table, what: str, spread: Spread | None, pods: int) -> None:
    if spread is not None:
        table.add_row(what, *map(_number, astuple(spread)), str(pods))


def _number(value: float) -> str:
    return f"{value:.4g}" if value < 10_000 else f"{value:.0f}"


def _amounts(amounts: dict[str, int]) -> str:
    return ", ".join(f"{name} {quantity}" for name, quantity in format_amounts(amounts).items())
