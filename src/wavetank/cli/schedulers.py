from __future__ import annotations

import click
from rich.table import Table

from wavetank.cli.console import console
from wavetank.scheduling.named import named_schedulers

_EXAMPLES = """\b
Examples:
  wavetank schedulers
  wavetank run experiment.yaml --scheduler best-fit
"""


@click.command(name="schedulers", epilog=_EXAMPLES)
def command() -> None:
    """List the schedulers that can be picked by name."""
    table = Table("name", "what it does", box=None, pad_edge=False, header_style="bold")
    for name, description in named_schedulers().items():
        table.add_row(name, description)
    console.print(table)
    console.print("\nBesides these: a KubeSchedulerConfiguration (CONFIG.yaml) or a class of yours (module:Class).")
