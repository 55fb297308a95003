from __future__ import annotations

import json
import os
import ssl
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

import click

from wavetank.apiserver.http.kubeconfig import Access, read_kubeconfig
from wavetank.cli.console import console, print_json
from wavetank.cli.outputoptions import json_option
from wavetank.errors import InputError, WavetankError
from wavetank.kernel.durations import parse_duration

_DEFAULT = Path("wavetank.kubeconfig")

_EXAMPLES = """\b
Examples:
  wavetank clock status
  wavetank clock pause
  wavetank clock step                 # to the next event
  wavetank clock advance 1h30m
  wavetank clock resume --speed 60
"""


@click.group(name="clock", epilog=_EXAMPLES)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    help="The kubeconfig of the server.  [default: ./wavetank.kubeconfig, else $KUBECONFIG]",
)
@click.pass_context
def command(context: click.Context, kubeconfig: Path | None) -> None:
    """Pause, advance and show the clock of a cluster that `wavetank serve` serves."""
    context.obj = kubeconfig


@command.command()
@json_option
@click.pass_obj
def status(kubeconfig: Path | None, as_json: bool) -> None:
    """Print the cluster's time and the speed of its clock."""
    _print(_ask(kubeconfig, "GET", ""), as_json)


@command.command()
@json_option
@click.pass_obj
def pause(kubeconfig: Path | None, as_json: bool) -> None:
    """Pause the clock; the server keeps answering requests."""
    _print(_ask(kubeconfig, "POST", "pause"), as_json)


@command.command()
@click.option("--speed", metavar="N|max", help="The new speed.")
@json_option
@click.pass_obj
def resume(kubeconfig: Path | None, speed: str | None, as_json: bool) -> None:
    """Resume the clock."""
    _print(_ask(kubeconfig, "POST", "resume", **({"speed": speed} if speed else {})), as_json)


@command.command()
@json_option
@click.pass_obj
def step(kubeconfig: Path | None, as_json: bool) -> None:
    """Advance to the next event that is not a periodic timer."""
    _print(_ask(kubeconfig, "POST", "step"), as_json)


@command.command()
@click.argument("duration")
@json_option
@click.pass_obj
def advance(kubeconfig: Path | None, duration: str, as_json: bool) -> None:
    """Advance by DURATION (90, 2m30s, 1h) as fast as possible, and wait until it is done."""
    parse_duration(duration, path="DURATION")
    _print(_ask(kubeconfig, "POST", "advance", by=duration), as_json)


def _print(state: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(state)
        return
    speed = state["speed"] if state["speed"] == "max" else f"{state['speed']:g}x"
    ahead = state["nextEventSeconds"]
    console.print(f"time:       {state['time']} ({state['elapsedSeconds']:.3f} s since the start)", highlight=False)
    console.print(f"speed:      {speed}{', paused' if state['paused'] else ''}", highlight=False)
    console.print(f"next event: {'none' if ahead is None else f'in {ahead:.3f} s'}", highlight=False)


def _ask(kubeconfig: Path | None, method: str, action: str, **query: str) -> dict[str, Any]:
    access = read_kubeconfig(_find(kubeconfig))
    url = f"{access.server}/wavetank/clock{'/' + action if action else ''}{'?' + urlencode(query) if query else ''}"
    headers = {"Authorization": f"Bearer {access.token}"} if access.token else {}
    try:
        with _opener(access).open(Request(url, method=method, headers=headers)) as answer:
            state: dict[str, Any] = json.load(answer)
            return state
    except HTTPError as error:
        raise WavetankError(f"{access.server}: {_reason(error)}") from None
    except (URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise WavetankError(f"{access.server}: no answer ({reason}): is wavetank serve running?") from None


def _opener(access: Access) -> Any:
    """Makes a client that trusts the server's authority and uses no proxy."""
    trusted = None
    if access.authority:
        trusted = ssl.create_default_context(cadata=access.authority.decode())
    return build_opener(ProxyHandler({}), HTTPSHandler(context=trusted))


def _reason(error: HTTPError) -> str:
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {error.code}"


def _find(kubeconfig: Path | None) -> Path:
    if kubeconfig is not None:
        return kubeconfig
    if _DEFAULT.exists():
        return _DEFAULT
    stated = os.environ.get("KUBECONFIG", "").split(os.pathsep)[0]
    if not stated:
        raise InputError("found no server: pass --kubeconfig with the file that wavetank serve wrote")
    return Path(stated)
