from __future__ import annotations

import click
from rich.console import Console

from wavetank.cli.console import errors


@click.command(name="warmup")
def command() -> None:
    """Compile the loops over nodes ahead of the first run.

    The compiled code is stored on disk, next to the installed package or, if that is read-only, in the user's cache.
    """
    warm_up(errors)
    click.echo("compiled")


def warm_up(console: Console) -> None:
    """Compiles what is not compiled yet, with a message, since it takes a while."""
    from wavetank.experiments.kernels import are_compiled, compile_kernels

    if not are_compiled():
        with console.status("compiling the loops over nodes: once, half a minute at most …"):
            if not console.is_terminal:
                console.print("compiling the loops over nodes: once, half a minute at most …")
            compile_kernels()
