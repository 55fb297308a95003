from __future__ import annotations

from pathlib import Path

import click

from wavetank.errors import InputError
from wavetank.report.html import write_report


@click.command(name="report", epilog="Example: wavetank report out/mine")
@click.argument("out", type=click.Path(path_type=Path))
def command(out: Path) -> None:
    """Write the HTML report of a results folder again."""
    try:
        click.echo(write_report(out))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(out)) from None
