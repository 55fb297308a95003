from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from wavetank.cluster.objects.resource import render_time
from wavetank.simulation.served.state.statefolder import StateFolder

F = TypeVar("F", bound=Callable[..., Any])


def state_options(command: F) -> F:
    """Adds --state and --state-sync to a command."""
    folder = click.option(
        "--state",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Keep the cluster in the folder DIR. If there is one already, go on with it instead of loading --cluster.",
    )
    sync = click.option(
        "--state-sync",
        type=click.Choice(["process", "machine"]),
        default="process",
        show_default=True,
        help="What an answered write survives: the end of the process, or of the machine as well (fsync; slow).",
    )
    return folder(sync(command))


def check_state_alone(state: Path | None, record: Path | None, node_groups: Path | None) -> None:
    """Refuses --state with options whose actors cannot go on after a restart."""
    for option, given in (("--record", record), ("--node-groups", node_groups)):
        if state is not None and given is not None:
            raise click.UsageError(f"{option} and --state cannot be used together")


def open_state(path: Path, sync: str) -> StateFolder:
    """Opens the folder of a cluster, and says what is in it; InputError if it cannot be used."""
    folder = StateFolder(path, sync == "machine")
    if folder.torn:
        click.echo(f"state: {folder.torn} bytes of an unfinished write, never answered, were cut off", err=True)
    if folder.kept is not None:
        objects, now = len(folder.kept.objects), render_time(folder.kept.now)
        click.echo(f"state: going on with {objects:,} objects of {path}, at {now}", err=True)
    return folder
