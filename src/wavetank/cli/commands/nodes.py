from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wavetank.cli.console import console, errors
from wavetank.cli.realcluster import cluster_options, connect, run_loop
from wavetank.errors import InputError
from wavetank.simulation.latency.presets import PRESETS
from wavetank.words import plural

if TYPE_CHECKING:
    from wavetank.realclusters.nodes.simulatednodes import SimulatedNodes

_EXAMPLES = """\b
Examples:
  wavetank nodes --context kind-test --cluster nodes.yaml
  wavetank nodes --kubeconfig kubeconfig --context test --cluster nodes.yaml --latency k3s
  wavetank nodes --context kwok-kwok --cluster nodes.yaml --stages pod-fast.yaml
  kubectl annotate node node-3 wavetank.dev/fault=crash     # it stops; remove the annotation to repair it
"""
_MOST_WARNINGS = 20


@click.command(name="nodes", epilog=_EXAMPLES)
@cluster_options
@click.option(
    "--cluster", required=True, multiple=True, type=click.Path(path_type=Path), help="A file with nodes; repeatable."
)
@click.option(
    "--latency",
    metavar="PRESET|FILE",
    default="ideal",
    show_default=True,
    help=f"How long nodes take: {', '.join(PRESETS)}, or a file of `wavetank fit`.",
)
@click.option(
    "--stages",
    multiple=True,
    type=click.Path(path_type=Path),
    help="KWOK Stage documents for pods, which replace the simulated kubelets; repeatable.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of drawn latencies.")
@click.option("--keep", is_flag=True, help="Leave the nodes in the cluster at the end.")
def command(
    kubeconfig: Path | None,
    context: str,
    cluster: tuple[Path, ...],
    latency: str,
    stages: tuple[Path, ...],
    seed: int,
    keep: bool,
) -> None:
    """Join simulated nodes to a real control plane, until Ctrl-C.

    The nodes keep their Leases and report their status. Pods that are bound to them are started, run for as long as
    their command sleeps or the annotation wavetank.dev/duration says, and end; no container runs. Nodes get the label
    wavetank.dev/simulated=true and are deleted at the end.
    """
    from wavetank.cli.options import read_latency
    from wavetank.realclusters.mirror.realtime import present
    from wavetank.realclusters.nodes.simulatednodes import SimulatedNodes, run_until
    from wavetank.realclusters.nodes.stages.engine import stage_functions
    from wavetank.realclusters.nodes.stages.stage import read_stages
    from wavetank.workloads.open import open_cluster

    manifests = [each for each in open_cluster(list(cluster)).manifests if each["kind"] == "Node"]
    model = read_latency(latency)
    read = read_stages(stages, stage_functions(present)) if stages else ()
    if stages and latency != "ideal":
        raise InputError("the delays of stages replace latencies: give one of --stages and --latency")

    async def main(stopped: asyncio.Event) -> None:
        client = await connect(kubeconfig, context)
        nodes = SimulatedNodes(client, manifests, model.nodes, _Warnings(), read, seed)
        announcing = asyncio.ensure_future(_announce(nodes))
        try:
            await run_until(nodes, stopped)
        finally:
            announcing.cancel()
            if not keep:
                await nodes.leave()
            client.close()

    run_loop(main)


async def _announce(nodes: SimulatedNodes) -> None:
    await nodes.joined.wait()
    count = len(nodes.names)
    console.print(f"joined: {count} simulated {plural(count, 'node')}; Ctrl-C ends them", highlight=False)
    console.file.flush()


class _Warnings:
    """Prints what the server refuses, the first of many."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, message: str) -> None:
        self._count += 1
        if self._count <= _MOST_WARNINGS:
            errors.print(f"warning: {message}", highlight=False, markup=False)
        if self._count == _MOST_WARNINGS:
            errors.print("further warnings are not shown", highlight=False)
