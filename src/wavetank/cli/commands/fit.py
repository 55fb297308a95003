from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from wavetank.cli.console import console, print_json
from wavetank.cli.options import speed_option
from wavetank.cli.outputoptions import json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wavetank.realclusters.fitting.fit import Validation

_EXAMPLES = """\b
Examples:
  wavetank fit out/real-1 out/real-2 out/real-3 -o mine.yaml
  wavetank fit out/real --json
  wavetank nodes --context kind-test --cluster nodes.yaml --latency mine.yaml
"""


@click.command(name="fit", epilog=_EXAMPLES)
@click.argument("real", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the latency model.")
@speed_option(
    "For simulations of a replay at this speed: latencies are then so much longer in seconds of the workload."
)
@click.option("--seeds", type=click.IntRange(1, 100), default=3, show_default=True, help="Simulations of each run.")
@json_option
def command(real: tuple[Path, ...], out: Path | None, speed: float, seeds: int, as_json: bool) -> None:
    """Fit a latency model to results of `wavetank replay`.

    REAL are one or more folders. The model has the time of a scheduling attempt, of a binding, of a pod's start and of
    its end; use it as `latency:` of an experiment. Its error is stated by cross-validation: each run is simulated with
    a model that is fitted to the others.
    """
    from wavetank.realclusters.fitting.fit import cross_validate, fit_preset, read_real

    runs = [read_real(path) for path in real]
    preset = fit_preset(runs, speed)
    validations = cross_validate(runs, range(1, seeds + 1))
    if out is not None:
        out.write_text(yaml.safe_dump(preset, sort_keys=False), encoding="utf-8")
    if as_json:
        print_json({"latency": preset, "validation": [_data(each) for each in validations]})
        return
    if out is None:
        click.echo(yaml.safe_dump({"latency": preset}, sort_keys=False), nl=False)
    _print(validations, is_crossed=len(runs) > 1)
    if out is not None:
        console.print(f"latency model: {out}", highlight=False, soft_wrap=True)


def _data(validation: Validation) -> dict[str, Any]:
    return {
        "run": str(validation.path),
        "makespan_s": validation.makespan,
        "simulated_makespan_s": validation.simulated_makespan,
        "makespan_error": validation.makespan_error,
        "mean_wait_s": validation.mean_wait,
        "simulated_mean_wait_s": validation.simulated_mean_wait,
        "mean_wait_error": validation.wait_error,
    }


def _print(validations: Sequence[Validation], is_crossed: bool) -> None:
    from rich import box
    from rich.table import Table

    title = "Simulated with a model of the other runs" if is_crossed else "Simulated with a model of the same run"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("Run", overflow="fold")
    for head in ("Makespan [s]", "Simulated [s]", "Error", "Mean wait [s]", "Simulated [s]", "Error"):
        table.add_column(head, justify="right")
    for each in validations:
        table.add_row(
            str(each.path),
            *(f"{each.makespan:.2f}", f"{each.simulated_makespan:.2f}", f"{each.makespan_error:+.1%}"),
            *(f"{each.mean_wait:.3f}", f"{each.simulated_mean_wait:.3f}", f"{each.wait_error:+.1%}"),
        )
    console.print(table)
    if not is_crossed:
        console.print("Give more than one run for an error by cross-validation.", highlight=False)
