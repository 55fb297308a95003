from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import click
from rich.markup import escape
from rich.table import Table

from wavetank.cli.console import console, print_json
from wavetank.cli.outputoptions import json_option
from wavetank.scheduling.named import NamedScheduler, named_schedulers

_EXAMPLES = """\b
Examples:
  wavetank schedulers
  wavetank run experiment.yaml --scheduler best-fit
  wavetank run experiment.yaml --scheduler LRP --scheduler LRP-k8ssim-compat
"""

_BESIDES = """
You can also use a KubeSchedulerConfiguration (CONFIG.yaml) or your own class (module:Class).
The suffix -k8ssim-compat makes any of LRP to IPAP behave as in K8sSim itself.
docs/schedulers.md has all formulas."""


@click.command(name="schedulers", epilog=_EXAMPLES)
@json_option
def command(as_json: bool) -> None:
    """List the schedulers that you can choose by name, with what each prefers and the source of its formula."""
    if as_json:
        named = named_schedulers().values()
        print_json([{key: getattr(each, key) for key in ("name", "kind", "formula", "source")} for each in named])
        return
    for kind, schedulers in groupby(named_schedulers().values(), key=lambda each: each.kind):
        console.print(_table(kind, schedulers))
    console.print(_BESIDES, highlight=False)


def _table(kind: str, schedulers: Iterable[NamedScheduler]) -> Table:
    """Lists one kind, with the source behind the formula so that narrow terminals can show it."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column(kind, no_wrap=True, min_width=27)
    table.add_column("what it prefers \\[source]")
    for scheduler in schedulers:
        table.add_row(scheduler.name, f"{escape(scheduler.formula)} [dim]\\[{escape(scheduler.source)}][/dim]")
    return table
