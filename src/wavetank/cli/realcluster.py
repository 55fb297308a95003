"""What commands that work with a real cluster share: its options, its client, an event loop, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import click

from wavetank.batchoperator.client.remote.connection import UnreachableError
from wavetank.batchoperator.client.remote.kubeconfig import default_path, read_server
from wavetank.cluster.store.errors import ApiError
from wavetank.errors import InputError
from wavetank.realclusters.client.client import ApiClient

T = TypeVar("T")


def cluster_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds --kubeconfig and --context; the context has no default, so that no cluster is used by mistake."""
    for option in (
        click.option(
            "--context", required=True, metavar="NAME", help="The context of the kubeconfig; it has to be named."
        ),
        click.option(
            "--kubeconfig",
            type=click.Path(path_type=Path),
            help="The cluster.  [default: $KUBECONFIG, or ~/.kube/config]",
        ),
    ):
        function = option(function)
    return function


async def connect(kubeconfig: Path | None, context: str) -> ApiClient:
    """Returns a client; InputError if the server does not answer or does not accept us."""
    path = kubeconfig or default_path()
    client = ApiClient(read_server(path, context))
    try:
        await client.request("GET", "/version")
    except UnreachableError as error:
        raise InputError(str(error), source=str(path)) from None
    except ApiError as error:
        raise InputError(f"the server refuses context {context}: {error}", source=str(path)) from None
    return client


def run_loop(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine with an event that Ctrl-C and SIGTERM set; a second Ctrl-C ends the program at once."""

    async def guarded() -> T:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()

        def stop(number: signal.Signals) -> None:
            stopped.set()
            loop.remove_signal_handler(number)

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
        return await main(stopped)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(guarded())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
