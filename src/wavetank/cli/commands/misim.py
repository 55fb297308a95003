from __future__ import annotations

from pathlib import Path

import click
import msgspec
from rich.table import Table

from wavetank.cli.console import console
from wavetank.cli.options import read_scheduler
from wavetank.cluster.releases import NEWEST
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.misim.architecture import read_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.misim.fields import read_json
from wavetank.microservices.misim.scenario import ScenarioReader, is_scenario
from wavetank.microservices.misim.series import MisimSeries
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import MISIM_ORCHESTRATION, PRESETS, PresetName, Rules
from wavetank.microservices.orchestration.config import OrchestrationConfig, check_services, read_config
from wavetank.microservices.orchestration.run import run_orchestration
from wavetank.microservices.orchestration.series import write_reports
from wavetank.misimadapter.placer import KubePlacer

_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
_EXAMPLES = """\b
Examples:
  wavetank misim architecture.json experiment.json
  wavetank misim architecture.json scenario.json --preset misim --lenient
  wavetank misim architecture.json experiment.json --fast
  wavetank misim architecture.json experiment.json --orchestration config.yaml --lenient
  wavetank misim architecture.json experiment.json --preset misim --series report
"""


@click.command(name="misim", epilog=_EXAMPLES)
@click.argument("architecture", type=click.Path(path_type=Path))
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--preset",
    type=click.Choice(sorted(PRESETS)),
    default="correct",
    show_default=True,
    help="misim: MiSim's rules with their defects; correct: without them.",
)
@click.option(
    "--orchestration", type=click.Path(path_type=Path), metavar="FILE", help="A configuration of misim-orchestration."
)
@click.option(
    "--scheduler",
    metavar="NAME|CONFIG.yaml|MODULE:CLASS",
    help="The scheduler of a configuration that says `scheduler: kube`.  [default: default]",
)
@click.option(
    "--series",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write the CSV series that MiSim and misim-orchestration write, as they name them.",
)
@click.option(
    "--fast",
    is_flag=True,
    help="Run in the compiled loop, some 25 times as fast: without timeouts, patterns, alternatives and actions.",
)
@click.option("--lenient", is_flag=True, help="Ignore unknown fields, as MiSim does.")
@click.option("--seed", type=click.IntRange(min=0), help="The seed.  [default: the experiment's, else 0]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with times in seconds.")
def command(
    architecture: Path,
    experiment: Path,
    preset: PresetName,
    orchestration: Path | None,
    scheduler: str | None,
    series: Path | None,
    fast: bool,
    lenient: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Run MiSim's files: an architecture with an experiment or a scenario.

    Prints the response times of the operations that users ask for, and failures by reason.
    """
    if fast and (preset != "correct" or orchestration is not None or series is not None):
        problem = "the compiled loop has the preset correct alone, and neither --orchestration nor --series"
        raise InputError(problem, source="--fast")
    if scheduler is not None and orchestration is None:
        raise InputError("it places the pods of a configuration: give --orchestration, too", source="--scheduler")
    rules = MISIM_ORCHESTRATION if orchestration is not None and preset == "misim" else PRESETS[preset]
    services = read_architecture(architecture, rules, lenient)
    plan = _read(experiment, services, rules, lenient)
    recorder = LatencyRecorder() if series is None else MisimSeries()
    number = seed if seed is not None else plan.seed or 0
    if plan.duration is None:
        raise InputError("a run without a duration has no end", path="duration", source=str(experiment))
    config = _read_config(orchestration, services, lenient) if orchestration is not None else None
    if series is not None:
        _make_folder(series)
    if config is not None:
        placer = _placer(config, scheduler, number)
        reports = run_orchestration(services, plan, config, recorder, number, rules=rules, placer=placer)
        if series is not None:
            write_reports(reports, config, series)
    elif fast:
        _run_compiled(services, plan, recorder, number, rules.span(plan.duration))
    else:
        Simulation(services, plan, rules, recorder, number).advance(rules.span(plan.duration))
    if series is not None and isinstance(recorder, MisimSeries):
        recorder.finish(rules.span(plan.duration))
        recorder.write(series)
    rows = _rows(recorder)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    else:
        _print(rows)


def _run_compiled(
    services: Architecture, plan: ServiceExperiment, recorder: LatencyRecorder, seed: int, end: Nanoseconds
) -> None:
    from wavetank.microservices.compiled.plain import with_listed_arrivals, without_timeouts  # they load Numba
    from wavetank.microservices.compiled.simulation import CompiledSimulation

    try:
        simulation = CompiledSimulation(without_timeouts(services), with_listed_arrivals(plan, end), seed)
    except InputError as error:
        raise error.inside(source="--fast") from None
    simulation.advance(end)
    for each in plan.generators:
        recorder.histograms[each.service, each.operation] = simulation.histogram(each.service, each.operation)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(path)) from None


def _read_config(path: Path, architecture: Architecture, lenient: bool) -> OrchestrationConfig:
    config = read_config(path, lenient)
    if not lenient:
        try:
            check_services(config, architecture)
        except InputError as error:
            raise error.inside(source=str(path)) from None
    return config


def _placer(config: OrchestrationConfig, scheduler: str | None, seed: int) -> KubePlacer | None:
    if config.scheduler != "kube":
        if scheduler is not None:
            raise InputError(f"the configuration says scheduler: {config.scheduler}, not kube", source="--scheduler")
        return None
    return KubePlacer(config.manifests, read_scheduler(scheduler or "default", NEWEST), NEWEST, seed)


def _read(path: Path, architecture: Architecture, rules: Rules, lenient: bool) -> ServiceExperiment:
    place = path.resolve().parent
    reader = ExperimentReader(architecture, rules, (place, Path(), place.parent), lenient)
    return ScenarioReader(reader).read(path) if is_scenario(read_json(path)) else reader.read(path)


def _rows(recorder: LatencyRecorder) -> list[dict[str, object]]:
    keys = sorted({*recorder.histograms, *(key[:2] for key in recorder.failures)})
    rows: list[dict[str, object]] = []
    for key in keys:
        histogram = recorder.histograms[key]
        failures = {reason: n for (*failed, reason), n in sorted(recorder.failures.items()) if tuple(failed) == key}
        quantiles = {name: round(histogram.quantile(share), 6) for name, share in _QUANTILES.items()}
        rows.append(
            {
                "operation": ".".join(key),
                "succeeded": histogram.number,
                "failed": sum(failures.values()),
                "mean": round(histogram.mean(), 6),
                **quantiles,
                "failures": failures,
            }
        )
    return rows


def _print(rows: list[dict[str, object]]) -> None:
    columns = ("operation", "succeeded", "failed", "mean", *_QUANTILES)
    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    console.print(table)
    for row in rows:
        failures = row["failures"]
        if isinstance(failures, dict) and failures:
            reasons = ", ".join(f"{reason} {n}" for reason, n in failures.items())
            console.print(f"{row['operation']} failed: {reasons}", highlight=False)
