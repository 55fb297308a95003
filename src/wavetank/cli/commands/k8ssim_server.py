from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import click
import uvicorn

from wavetank.apiserver.http.server import listen
from wavetank.cli.console import console
from wavetank.k8ssim.server import Answer, K8sSimServer

_EXAMPLES = """\b
Examples:
  wavetank k8ssim-server --port 8006        # for K8sSim's SimRun.py
  wavetank k8ssim-server --port 8002 --compat
  curl -X GET localhost:8006/reset -d '{"period": "-1", "nodes": "cluster: ...", "workload": "jobs: ..."}'
"""

_LARGEST_BODY = 256 << 20  # bytes

_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@click.command(name="k8ssim-server", epilog=_EXAMPLES)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8006,
    show_default=True,
    help="The port to listen on; 0 picks a free one.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; there is no authentication."
)
@click.option(
    "--compat", is_flag=True, help="Use kube-scheduler's algorithms as K8sSim implements them (Kubernetes 1.14)."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The seed for ties between nodes."
)
def command(port: int, host: str, compat: bool, seed: int) -> None:
    """Serve K8sSim's HTTP interface: /reset, /step, /stepResult, /stepResultAnyway.

    The workload of /reset selects K8sSim's simulator of Volcano or of Kubernetes.
    """
    k8ssim = K8sSimServer(compat, seed)
    with listen(host, port) as listening:
        config = uvicorn.Config(_App(k8ssim), ws="none", lifespan="off", log_level="error", access_log=False)
        server = uvicorn.Server(config)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, server.handle_exit)
        console.print(f"K8sSim's interface: http://{host}:{listening.getsockname()[1]}", highlight=False)
        try:
            server.run([listening])
        finally:
            k8ssim.close()


class _App:
    """Passes requests to the K8sSim server, one at a time, beside the event loop."""

    def __init__(self, k8ssim: K8sSimServer) -> None:
        self._k8ssim = k8ssim
        self._turn = asyncio.Lock()

    async def __call__(self, scope: MutableMapping[str, Any], receive: _Receive, send: _Send) -> None:
        body = await _body(receive)
        if body is None:
            answer = Answer(413, b'{"error": "the request is too large"}')
        else:
            async with self._turn:
                answer = await asyncio.to_thread(self._k8ssim.handle, scope["path"], body)
        length = str(len(answer.body)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


async def _body(receive: _Receive) -> bytes | None:
    """Reads the body, which K8sSim's clients send with GET as well; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > _LARGEST_BODY:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
