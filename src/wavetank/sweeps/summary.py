"""The files of a whole sweep: summary, comparisons, latencies, sweep.json and wall.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.experiments.run import RunResult
from wavetank.experiments.summary import acceleration
from wavetank.results import layout
from wavetank.results.facts import ScenarioFacts, SchedulerFacts, SweepFacts, write_json
from wavetank.results.layout import run_label
from wavetank.results.schema import CLOSE_RATE, COMPARISONS, LATENCIES, SWEEP_SUMMARY
from wavetank.results.write.csvfiles import write_rows
from wavetank.results.write.summary import summary_row
from wavetank.sweeps.closerate import close_rates
from wavetank.sweeps.comparisons import compare_pairs
from wavetank.sweeps.document import Scenario, Sweep


def write_sweep(
    sweep: Sweep,
    made: Mapping[str, Sequence[RunResult]],
    folder: Path,
    wavetank_version: str,
    wall_s: float,
    failures: Sequence[str],
) -> None:
    """Writes the files of all scenarios together; wall.json is the only one with wall-clock figures."""
    rows = summary_rows(made)
    write_rows(folder, SWEEP_SUMMARY, rows)
    _write_parquet(folder / layout.SUMMARY_PARQUET, rows)
    write_rows(folder, COMPARISONS, [row for name, results in made.items() for row in compare_pairs(name, results)])
    write_rows(folder, LATENCIES, _latency_rows(made))
    scenarios = [_scenario(scenario, made[scenario.name]) for scenario in sweep.scenarios]
    write_json(folder / layout.SWEEP, SweepFacts(wavetank_version, sweep.name, scenarios, list(failures)))
    write_json(folder / layout.WALL, _wall(made, wall_s))


def summary_rows(made: Mapping[str, Sequence[RunResult]]) -> list[dict[str, Any]]:
    """Returns a row per run: its scenario, its metrics, and the CloseRate of its scheduler."""
    rows = []
    for scenario, results in made.items():
        rates = close_rates(results)
        for result in results:
            rate = rates.get(result.scheduler)
            row = summary_row(result.scheduler, result.seed, result.metrics)
            rows.append({"scenario": scenario, **row, CLOSE_RATE.name: None if rate is None else round(rate, 6)})
    return rows


def _latency_rows(made: Mapping[str, Sequence[RunResult]]) -> list[dict[str, Any]]:
    names = LATENCIES.names()
    return [
        dict(zip(names, (scenario, result.scheduler, result.seed, *result.latencies), strict=True))
        for scenario, results in made.items()
        for result in results
        if result.latencies
    ]


def _write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes the summary as Parquet as well, if polars is installed."""
    try:
        import polars
    except ImportError:
        return
    names = SWEEP_SUMMARY.names_in(rows)
    polars.DataFrame({name: [row[name] for row in rows] for name in names}, strict=False).write_parquet(path)


def _scenario(scenario: Scenario, results: Sequence[RunResult]) -> ScenarioFacts:
    experiment = scenario.experiment
    return ScenarioFacts(
        name=scenario.name,
        nodes=sum(manifest.get("kind") == "Node" for manifest in experiment.cluster.manifests),
        workload=experiment.workload.description,
        pods=results[0].metrics.pods if results else None,
        schedulers=[SchedulerFacts(entry.name, entry.description) for entry in experiment.schedulers],
        seeds=list(experiment.seeds),
    )


def _wall(made: Mapping[str, Sequence[RunResult]], wall_s: float) -> dict[str, object]:
    runs = {
        f"{scenario}/{run_label(result.scheduler, result.seed)}": {
            "wall_s": round(result.wall_s, 3),
            "acceleration": acceleration(result),
        }
        for scenario, results in made.items()
        for result in results
    }
    return {"total_s": round(wall_s, 3), "runs": runs}
