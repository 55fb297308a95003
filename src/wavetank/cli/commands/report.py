from __future__ import annotations

from pathlib import Path

import click

from wavetank.cli.console import print_json
from wavetank.cli.outputoptions import json_option
from wavetank.errors import InputError
from wavetank.report.page.html import write_report
from wavetank.report.sweep.page import write_sweep_report
from wavetank.results.layout import EXPERIMENT, SWEEP


@click.command(name="report", epilog="Example: wavetank report out/mine")
@click.argument("out", type=click.Path(path_type=Path))
@json_option
def command(out: Path, as_json: bool) -> None:
    """Rewrite the HTML report of a results folder, of an experiment or of a sweep."""
    write = write_sweep_report if (out / SWEEP).exists() else write_report
    if write is write_report and not (out / EXPERIMENT).exists():
        raise InputError(
            "no results here: expected a folder that `wavetank run` or `wavetank sweep` wrote", source=str(out)
        )
    try:
        written = write(out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(out)) from None
    if as_json:
        print_json({"report": str(written)})
    else:
        click.echo(written)
