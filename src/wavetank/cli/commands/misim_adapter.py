from __future__ import annotations

import click

from wavetank.cli.answering import serve_answers
from wavetank.cli.options import open_host, read_flags, read_scheduler, ties_seed
from wavetank.cluster.releases import NEWEST
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.errors import InputError
from wavetank.experiments.kernels import compile_kernels
from wavetank.misimadapter.cluster import AdapterCluster
from wavetank.misimadapter.server import AdapterServer

_EXAMPLES = """\b
Examples:
  wavetank misim-adapter                                   # then start misim-orchestration with `scheduler: kube`
  wavetank misim-adapter --scheduler paper-scheduler-config.yaml
  wavetank misim-adapter --autoscaler-flags scan-interval=5s,expander=least-waste
  curl -X POST localhost:8000/updateNodes -d '{"allNodes": {"items": []}, "events": []}'
"""


@click.command(name="misim-adapter", epilog=_EXAMPLES)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on, misim-orchestration's is 8000; 0 picks a free one.",
)
@open_host
@click.option(
    "--scheduler",
    default="default",
    show_default=True,
    metavar="NAME|CONFIG.yaml|MODULE:CLASS",
    help="The scheduler that places the pods.",
)
@click.option(
    "--autoscaler-flags",
    metavar="LIST",
    default="",
    help="Flags of cluster-autoscaler, which runs if there are machine sets: scan-interval=5s,expander=least-waste.",
)
@ties_seed
def command(port: int, host: str, scheduler: str, autoscaler_flags: str, seed: int) -> None:
    """Serve the interface of misim-orchestration's adapter, with a built-in scheduler and cluster autoscaler.

    Start it in place of misim-k8s-adapter, kube-scheduler and cluster-autoscaler. Paths: POST /updateNodes,
    POST /updatePods, GET /getEventsApiEvents, GET /getCoreApiEvents.
    """
    cluster = AdapterCluster(read_scheduler(scheduler, NEWEST), NEWEST, seed, _flags(autoscaler_flags))
    compile_kernels()  # which would keep the first request waiting
    serve_answers("misim-orchestration's adapter", AdapterServer(cluster).handle, host, port)


def _flags(text: str) -> dict[str, str]:
    flags = read_flags(text)
    try:
        Options.from_flags(flags)
    except InputError as error:
        raise error.inside(source="--autoscaler-flags") from None
    return flags
