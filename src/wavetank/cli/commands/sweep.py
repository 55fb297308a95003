from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from wavetank.cli.commands.warmup import warm_up
from wavetank.cli.console import console, errors, print_json, print_verdict, print_warnings
from wavetank.cli.findings import end_with_findings
from wavetank.experiments.document.schedulers import entry_of
from wavetank.experiments.runner import FailedRunsError
from wavetank.experiments.summary import all_warnings
from wavetank.report.page.html import write_report
from wavetank.report.sweep.costs import cost_table
from wavetank.report.sweep.page import write_sweep_report
from wavetank.report.sweep.table import sweep_table
from wavetank.results.layout import REPORT
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.document import sweep_document
from wavetank.results.verdict.sweep import sweep_verdict
from wavetank.sweeps.document import read_sweep
from wavetank.sweeps.executors import Executor, on_this_machine
from wavetank.sweeps.runner import SweepProgress, check_sweep, run_sweep
from wavetank.version import __version__

_EXAMPLES = """\b
Examples:
  wavetank sweep examples/k8ssim/experiment.yaml -o out/k8ssim
  wavetank sweep experiment.yaml -o out/mine --seeds 1-10      # only runs that are missing
  wavetank sweep examples/13-spot-or-on-demand/sweep.yaml      # node groups with prices: ranked by cost
  wavetank sweep experiment.yaml -o out/mine --executor ray
  wavetank sweep experiment.yaml --json | jq -r '.verdict[].text'
"""


@click.command(name="sweep", epilog=_EXAMPLES)
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The results folder.  [default: out/<name>]")
@click.option(
    "--scheduler",
    "schedulers",
    multiple=True,
    metavar="NAME|CONFIG.yaml|MODULE:CLASS",
    help="Compare only this scheduler; may be repeated.",
)
@click.option("--seeds", metavar="1-5,9", help="Seeds such as 1-5 or 1,2,7.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of parallel runs.  [default: one per core]")
@click.option("--executor", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option(
    "--ray-address", metavar="ADDRESS", help="The address of a Ray cluster.  [default: start one on this machine]"
)
@click.option("--json", "as_json", is_flag=True, help="Print verdict and rankings as JSON instead of tables.")
def command(
    experiment: Path,
    out: Path | None,
    schedulers: tuple[str, ...],
    seeds: str | None,
    jobs: int | None,
    executor: str,
    ray_address: str | None,
    as_json: bool,
) -> None:
    """Run every scheduler in every scenario with every seed, and report which is best in each.

    EXPERIMENT is a document of kind Experiment with a `sweep`. The command continues an interrupted sweep.
    """
    changes: dict[str, Any] = {} if seeds is None else {"seeds": seeds}
    if schedulers:
        changes["schedulers"] = [entry_of(scheduler) for scheduler in schedulers]
    sweep = read_sweep(experiment, changes)
    out = out or Path("out") / sweep.name
    warm_up(errors)
    try:
        with _showing_progress() as progress:
            made = run_sweep(
                sweep,
                out,
                __version__,
                _executor(executor, jobs, ray_address),
                progress,
                write_report,
                write_sweep_report,
            )
    except FailedRunsError as error:
        if error.results:
            _show(out, as_json)
        raise
    _show(out, as_json)
    print_warnings(
        [
            f"{scenario.name}: {warning}"
            for scenario in sweep.scenarios
            for warning in all_warnings(scenario.experiment, made[scenario.name])
        ]
    )
    end_with_findings(check_sweep(sweep, made), errors if as_json else console)


def _executor(name: str, jobs: int | None, ray_address: str | None) -> Executor:
    if name == "local":
        return on_this_machine(jobs or len(os.sched_getaffinity(0)))
    from wavetank.sweeps.rayexecutor import on_ray

    return on_ray(ray_address)


def _show(out: Path, as_json: bool) -> None:
    if as_json:
        print_json(sweep_document(out))
        return
    console.print(sweep_table(out))
    costs = cost_table(out)
    if costs is not None:
        console.print(costs)
    print_verdict(sweep_verdict(SweepFolder(out)).sentences)
    console.print(f"results: {out}", soft_wrap=True, highlight=False)
    console.print(f"report:  {out / REPORT}", soft_wrap=True, highlight=False)


@contextmanager
def _showing_progress() -> Iterator[SweepProgress]:
    """Shows progress: a bar in a terminal, plain lines elsewhere."""
    if not errors.is_terminal:
        yield _Lines()
        return
    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("simulating", total=None)

    def update(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total)


class _Lines:
    """Prints the progress at every tenth of the runs."""

    def __init__(self) -> None:
        self._shown = -1

    def update(self, done: int, total: int) -> None:
        tenth = 10 * done // total
        if tenth > self._shown:
            self._shown = tenth
            errors.print(f"{done}/{total} runs", highlight=False)
