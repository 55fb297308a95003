from __future__ import annotations

import click

from wavetank.cli.answering import serve_answers
from wavetank.cli.options import open_host, ties_seed
from wavetank.k8ssim.server import K8sSimServer

_EXAMPLES = """\b
Examples:
  wavetank k8ssim-server --port 8006        # for K8sSim's SimRun.py
  wavetank k8ssim-server --port 8002 --compat
  curl -X GET localhost:8006/reset -d '{"period": "-1", "nodes": "cluster: ...", "workload": "jobs: ..."}'
"""


@click.command(name="k8ssim-server", epilog=_EXAMPLES)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8006,
    show_default=True,
    help="The port to listen on; 0 picks a free one.",
)
@open_host
@click.option(
    "--compat", is_flag=True, help="Use kube-scheduler's algorithms as K8sSim implements them (Kubernetes 1.14)."
)
@ties_seed
def command(port: int, host: str, compat: bool, seed: int) -> None:
    """Serve K8sSim's HTTP interface: /reset, /step, /stepResult, /stepResultAnyway.

    The workload of /reset selects K8sSim's simulator of Volcano or of Kubernetes.
    """
    k8ssim = K8sSimServer(compat, seed)
    try:
        serve_answers("K8sSim's interface", lambda method, path, body: k8ssim.handle(path, body), host, port)
    finally:
        k8ssim.close()
