from __future__ import annotations

from pathlib import Path

import click

from wavetank.report.html import write_report


@click.command(name="report")
@click.argument("out", type=click.Path(path_type=Path))
def command(out: Path) -> None:
    r"""Write the HTML report of a results folder again.

    \b
    Example:
      wavetank report out/mine
    """
    click.echo(write_report(out))
