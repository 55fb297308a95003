from __future__ import annotations

from pathlib import Path

import click

from wavetank.cli.console import console, print_json
from wavetank.report.difference import MOST_PODS, difference_data, difference_view
from wavetank.results.compare.accuracy import measure_accuracy, replay_facts
from wavetank.results.compare.compare import compare_results

_EXAMPLES = """\b
Examples:
  wavetank compare out/before out/after
  wavetank compare out/mine out/mine --scheduler-a default --scheduler-b mine
  wavetank compare out/mine/default/seed-1 out/mine/default/seed-2
  wavetank compare out/expected out/now --exit-code --json
  wavetank compare out/real out/simulated --html error.html       # out/real of wavetank replay
"""


@click.command(name="compare", epilog=_EXAMPLES)
@click.argument("out_a", type=click.Path(path_type=Path))
@click.argument("out_b", type=click.Path(path_type=Path))
@click.option("--scheduler-a", metavar="NAME", help="Only this scheduler of OUT_A.")
@click.option("--scheduler-b", metavar="NAME", help="Only this scheduler of OUT_B.")
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=MOST_PODS,
    show_default=True,
    help="Maximum number of differing pods to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; --most then applies to each run.")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page, if OUT_A was replayed on a cluster."
)
@click.option("--exit-code", is_flag=True, help="End with status 1 if anything differs.")
@click.pass_context
def command(
    ctx: click.Context,
    out_a: Path,
    out_b: Path,
    scheduler_a: str | None,
    scheduler_b: str | None,
    most: int,
    as_json: bool,
    html: Path | None,
    exit_code: bool,
) -> None:
    """Compare two results: metrics and pods.

    OUT_A and OUT_B are results of `wavetank run`, or single runs in them. Runs with the same scheduler and seed are
    compared with each other. If each side has a single scheduler, runs with the same seed are compared.

    If OUT_A was replayed on a real cluster, the error of the simulation OUT_B is stated: makespan, waits, placement,
    and job by job; each seed of OUT_B counts.
    """
    if replay_facts(out_a) is not None and replay_facts(out_b) is None:
        _state_error(out_a, out_b, scheduler_b, most, as_json, html)
        return
    if html is not None:
        raise click.UsageError("--html needs results of `wavetank replay` as OUT_A, and a simulation as OUT_B")
    difference = compare_results(out_a, out_b, scheduler_a=scheduler_a, scheduler_b=scheduler_b, most=most)
    if as_json:
        import json

        click.echo(json.dumps(difference_data(difference), indent=2))
    else:
        console.print(f"A: {out_a}\nB: {out_b}", soft_wrap=True, highlight=False, markup=False)
        console.print(difference_view(difference, most))
    if exit_code and difference.differs:
        ctx.exit(1)


def _state_error(
    real: Path, simulated: Path, scheduler: str | None, most: int, as_json: bool, html: Path | None
) -> None:
    """Prints how far a simulation is from a real run, and writes a page."""
    from wavetank.report.accuracy import accuracy_data, accuracy_view, write_accuracy_page

    accuracy = measure_accuracy([real], simulated, scheduler)
    if html is not None:
        write_accuracy_page(accuracy, html)
    if as_json:
        print_json(accuracy_data(accuracy))
        return
    console.print(f"real:      {real}\nsimulated: {simulated}", soft_wrap=True, highlight=False, markup=False)
    console.print(accuracy_view(accuracy, most))
    if html is not None:
        console.print(f"page: {html}", soft_wrap=True, highlight=False, markup=False)
