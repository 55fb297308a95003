from __future__ import annotations

from pathlib import Path

import click

from wavetank.batsim.decide.cluster import DecisionSetting
from wavetank.batsim.decide.process import DecisionProcess
from wavetank.batsim.sockets import Replier
from wavetank.cli.console import console
from wavetank.cli.options import finite
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import NEWEST, version_name
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.experiments.document.structures.values import parse_version
from wavetank.simulation.latency.model import parse_latency
from wavetank.simulation.latency.presets import PRESETS

_EXAMPLES = """\b
Examples:
  wavetank decide --scheduler easy                       # for a Batsim at -s tcp://localhost:28000
  wavetank decide --scheduler default -s tcp://*:28001
  wavetank decide --scheduler entry.yaml                 # {name: real, process: {package: kube-scheduler, …}}
"""


@click.command(name="decide", epilog=_EXAMPLES)
@click.option(
    "--scheduler",
    required=True,
    help="A name, CONFIG.yaml, module:Class, or a file with an entry of an experiment's `schedulers`.",
)
@click.option("-s", "--socket-endpoint", default="tcp://127.0.0.1:28000", show_default=True, help="Where to listen.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The seed for ties.")
@click.option(
    "--kubernetes-version", default=version_name(NEWEST), show_default=True, help="The release of the scheduler."
)
@click.option(
    "--latency", type=click.Choice(sorted(PRESETS)), default="ideal", show_default=True, help="A latency preset."
)
@click.option(
    "--connect-timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    metavar="SECONDS",
    help="Wait no longer than this for a Batsim.  [default: forever]",
)
def command(
    scheduler: str,
    socket_endpoint: str,
    seed: int,
    kubernetes_version: str,
    latency: str,
    connect_timeout: float | None,
) -> None:
    """Make the decisions of a Batsim simulation: resources become nodes, jobs pods, binds EXECUTE_JOB.

    Time advances from event to event of either side. With `sync: {mode: timestep, ...}` in the entry of a program,
    it advances in Batkube's time steps.
    """
    version = parse_version(kubernetes_version, "--kubernetes-version")
    (entry,) = parse_entries([_entry(scheduler)], Path(), version)
    setting = DecisionSetting(entry, version, parse_latency(latency, "--latency"), seed)
    with Replier(socket_endpoint, connect_timeout) as batsim, DecisionProcess(setting) as process:
        console.print(f"{entry.name} decides at {socket_endpoint}", highlight=False)
        process.serve(batsim)
    console.print(f"the simulation has ended after {process.decided} decisions", highlight=False)


def _entry(scheduler: str) -> dict[str, object]:
    path = Path(scheduler)
    if path.suffix in (".yaml", ".yml", ".json") and path.exists():
        documents = load_documents(read_text(path), str(path))
        if len(documents) == 1 and isinstance(documents[0], dict) and "name" in documents[0]:
            return dict(documents[0])
    return entry_of(scheduler)
