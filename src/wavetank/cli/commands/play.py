from __future__ import annotations

import secrets
from pathlib import Path

import click

from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import listen, make_server
from wavetank.cli.addresses import warn_of_network
from wavetank.cli.console import console
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.play.app import PlayApp

_EXAMPLES = """\b
Examples:
  wavetank run examples/demo/experiment.yaml -o out/demo && wavetank play out/demo
  wavetank play out/demo/default/seed-1
  wavetank play out/demo --port 8002 --no-auth      # links to an instant can be shared on this machine
"""


@click.command(name="play", epilog=_EXAMPLES)
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8002,
    show_default=True,
    help="The port to listen on; 0 picks a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--token", metavar="T", help="The token that the page needs.  [default: a random one]")
@click.option("--no-auth", is_flag=True, help="Show the page without a token.")
def command(out: Path, port: int, host: str, token: str | None, no_auth: bool) -> None:
    """Play finished runs in the browser: scrub through time, two schedulers side by side.

    OUT is a folder of results, or the folder of one run in it.
    """
    if token is not None and no_auth:
        raise click.UsageError("--token and --no-auth cannot be used together")
    secret = None if no_auth else token or secrets.token_urlsafe(24)
    login = OneTimeLogin(secret)
    app = PlayApp(out, Authenticator(secret, host), secret, login)
    with listen(host, port) as listening:
        server = make_server(app)
        warn_of_network("--host", host, secret=secret is not None)
        name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host, host)
        page = login.link(f"http://{name}:{listening.getsockname()[1]}/ui/")
        console.print(f"page: {page}", soft_wrap=True, highlight=False)
        console.print("Ctrl-C ends it", highlight=False)
        console.file.flush()
        server.serve_on(listening)
