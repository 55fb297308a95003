"""The files of a whole sweep: summary, comparisons, latencies, sweep.json and wall.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from wavetank.experiments.run import QUANTILES, RunResult
from wavetank.experiments.summary import acceleration, summary_columns
from wavetank.results.write.tables import write_csv
from wavetank.sweeps.closerate import close_rates
from wavetank.sweeps.comparisons import COLUMNS, compare_pairs
from wavetank.sweeps.document import Sweep

_CLOSE_RATE = "close_rate"


def write_sweep(
    sweep: Sweep,
    made: Mapping[str, Sequence[RunResult]],
    folder: Path,
    wavetank_version: str,
    wall_s: float,
    failures: Sequence[str],
) -> None:
    """Writes what concerns all scenarios together; wall.json is the only file with wall-clock figures."""
    rows = list(summary_rows(made))
    metrics = summary_columns([result.metrics for results in made.values() for result in results])
    columns = ("scenario", "scheduler", "seed", *metrics, _CLOSE_RATE)
    write_csv(folder / "summary.csv", columns, ([row[column] for column in columns] for row in rows))
    _write_parquet(folder / "summary.parquet", columns, rows)
    compared = [row for scenario, results in made.items() for row in compare_pairs(scenario, results)]
    write_csv(folder / "comparisons.csv", COLUMNS, compared)
    boxes = (
        [scenario, result.scheduler, result.seed, *result.latencies]
        for scenario, results in made.items()
        for result in results
        if result.latencies
    )
    write_csv(folder / "latencies.csv", ("scenario", "scheduler", "seed", *(f"p{each}" for each in QUANTILES)), boxes)
    _write_json(folder / "sweep.json", _facts(sweep, made, wavetank_version, failures))
    _write_json(folder / "wall.json", _wall(made, wall_s))


def summary_rows(made: Mapping[str, Sequence[RunResult]]) -> list[dict[str, Any]]:
    """Returns a row per run: where it stands, its metrics, and the CloseRate of its scheduler there."""
    rows = []
    for scenario, results in made.items():
        rates = close_rates(results)
        for result in results:
            metrics = {
                name: round(value, 6) if isinstance(value, float) else value
                for name, value in asdict(result.metrics).items()
            }
            place = {"scenario": scenario, "scheduler": result.scheduler, "seed": result.seed}
            rate = rates.get(result.scheduler)
            rows.append({**place, **metrics, _CLOSE_RATE: None if rate is None else round(rate, 6)})
    return rows


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes the summary once more for tools that read Parquet, where polars is installed."""
    try:
        import polars
    except ImportError:
        return
    frame = polars.DataFrame({column: [row[column] for row in rows] for column in columns}, strict=False)
    frame.write_parquet(path)


def _facts(
    sweep: Sweep, made: Mapping[str, Sequence[RunResult]], wavetank_version: str, failures: Sequence[str]
) -> dict[str, object]:
    scenarios = [
        {
            "name": scenario.name,
            "nodes": sum(manifest.get("kind") == "Node" for manifest in scenario.experiment.cluster.manifests),
            "workload": scenario.experiment.workload.description,
            "pods": made[scenario.name][0].metrics.pods if made[scenario.name] else None,
            "schedulers": [
                {"name": entry.name, "description": entry.description} for entry in scenario.experiment.schedulers
            ],
            "seeds": scenario.experiment.seeds,
        }
        for scenario in sweep.scenarios
    ]
    return {"wavetank": wavetank_version, "name": sweep.name, "scenarios": scenarios, "failures": list(failures)}


def _wall(made: Mapping[str, Sequence[RunResult]], wall_s: float) -> dict[str, object]:
    runs = {
        f"{scenario}/{result.scheduler}/seed-{result.seed}": {
            "wall_s": round(result.wall_s, 3),
            "acceleration": acceleration(result),
        }
        for scenario, results in made.items()
        for result in results
    }
    return {"total_s": round(wall_s, 3), "runs": runs}


def _write_json(path: Path, content: dict[str, object]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
