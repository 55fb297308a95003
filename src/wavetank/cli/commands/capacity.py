from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from wavetank.cli.console import console, print_warnings

_EXAMPLES = """\b
Examples:
  wavetank capacity prod.yaml.gz
  wavetank capacity prod.yaml.gz --node cpu=8,memory=32Gi,price=0.4 --node cpu=16,memory=64Gi,price=0.75
  wavetank capacity prod.yaml.gz --failures 1 --zone-failure --scheduler default --scheduler most-allocated
  wavetank capacity --workload trace.csv --node cpu=8,memory=32Gi --goal 'p95_waiting_time_s <= 60'
"""


@click.command(name="capacity", epilog=_EXAMPLES)
@click.argument("snapshot", nargs=-1, type=click.Path(path_type=Path))
@click.option("--workload", type=click.Path(path_type=Path), metavar="FILE", help="A workload in place of a snapshot.")
@click.option(
    "--node",
    "types",
    multiple=True,
    metavar="TEMPLATE",
    help="A type of nodes: a node of the snapshot, a file with a Node, or cpu=8,memory=32Gi,price=0.4 (other keys "
    "are labels: tier=web); may be repeated.  [default: the types in the snapshot]",
)
@click.option("--zones", metavar="A,B,C", help="Zones of the nodes, in turn.  [default: those of the snapshot]")
@click.option("--failures", type=click.IntRange(min=0), default=0, help="Headroom for the loss of this many nodes.")
@click.option("--zone-failure", is_flag=True, help="Headroom for the loss of any zone.")
@click.option("--goal", default="", metavar="TEXT", help="What a workload must reach: p95_waiting_time_s <= 60.")
@click.option(
    "--scheduler",
    "schedulers",
    multiple=True,
    default=["default"],
    show_default=True,
    metavar="SCHEDULER",
    help="A name, a KubeSchedulerConfiguration or module:Class; may be repeated.",
)
@click.option(
    "--kubernetes-version", "release", metavar="VERSION", help="The Kubernetes release.  [default: the newest]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Also write the answer as a page.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    snapshot: tuple[Path, ...],
    workload: Path | None,
    types: tuple[str, ...],
    zones: str | None,
    failures: int,
    zone_failure: bool,
    goal: str,
    schedulers: tuple[str, ...],
    release: str | None,
    as_json: bool,
    html: Path | None,
) -> None:
    """Say how many nodes are needed.

    Finds the fewest nodes, or the cheapest mix of types that have a price, on which no pod of SNAPSHOT is pending; or
    on which a workload reaches its goal. Pods of DaemonSets are counted on every node. Every number is tried in a
    simulation, and the answer names the pods that would be pending with one node fewer. Ends with status 1 if no number
    of nodes is enough.
    """
    from wavetank.planning.capacity.headroom import Headroom
    from wavetank.planning.capacity.question import CapacityQuestion
    from wavetank.planning.options import read_options
    from wavetank.snapshots.snapshot import open_snapshot

    if bool(snapshot) == (workload is not None):
        raise click.UsageError("give either SNAPSHOT or --workload")
    report = CapacityQuestion(
        [read_options(scheduler, "ideal", release) for scheduler in schedulers],
        open_snapshot(snapshot) if snapshot else None,
        workload,
        types,
        zones.split(",") if zones else (),
        Headroom(failures, zone_failure),
        goal,
    ).ask()
    if html is not None:
        from wavetank.report.planning.capacitypage import write_capacity_page

        write_capacity_page(report, html)
    if as_json:
        import json

        click.echo(json.dumps(report.data(), indent=2))
    else:
        from wavetank.report.planning.capacityview import capacity_view

        for part in capacity_view(report):
            console.print(part, soft_wrap=isinstance(part, Text), highlight=False)
        if html is not None:
            console.print(f"page: {html}", highlight=False, markup=False, soft_wrap=True)
        print_warnings(report.notes)
    if not all(answer.fits for answer in report.answers):
        ctx.exit(1)
