from __future__ import annotations

import click


@click.command(name="compare")
def command() -> None:
    """X."""
