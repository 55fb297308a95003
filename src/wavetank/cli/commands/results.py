from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from wavetank.cli.console import console, print_json
from wavetank.cli.outputoptions import json_option
from wavetank.report.resultslist import results_table, write_results_page
from wavetank.results.read.listing import list_results

_EXAMPLES = """\b
Examples:
  wavetank results
  wavetank results out --html out/index.html
"""


@click.command(name="results", epilog=_EXAMPLES)
@click.argument("folder", default="out", type=click.Path(path_type=Path))
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Also write a page that links all reports."
)
@json_option
def command(folder: Path, html: Path | None, as_json: bool) -> None:
    """List the results in a folder and below it, the newest first.

    FOLDER is `out` by default, where `wavetank run` and `wavetank sweep` put their results.
    """
    listed = list_results(folder)
    if html is not None:
        write_results_page(listed, folder, html)
    if as_json:
        print_json([{**asdict(each), "path": str(each.path), "written": each.written.isoformat()} for each in listed])
        return
    if listed:
        console.print(results_table(listed))
    else:
        console.print(f"no results in {folder}", highlight=False, markup=False, soft_wrap=True)
    if html is not None:
        console.print(f"page: {html}", highlight=False, markup=False, soft_wrap=True)
