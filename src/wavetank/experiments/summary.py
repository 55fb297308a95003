"""The files of a whole experiment: summary.csv, experiment.json and wall.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

import msgspec

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.run import RunResult
from wavetank.kernel.durations import SECOND
from wavetank.results.assertions import Assertion, Finding, check_all
from wavetank.results.metrics.metrics import OPTIONAL, Metrics
from wavetank.results.write.tables import write_csv


def write_summary(
    experiment: Experiment,
    results: Sequence[RunResult],
    folder: Path,
    wavetank_version: str,
    wall_s: float,
    failures: Sequence[str] = (),
) -> None:
    """Writes what concerns all runs together; wall.json is the only file with wall-clock figures.

    `failures` says which runs have failed; a scheduler of which none was made is left out.
    """
    columns = summary_columns([result.metrics for result in results])
    rows = ([result.scheduler, result.seed, *_cells(result.metrics, columns)] for result in results)
    write_csv(folder / "summary.csv", ("scheduler", "seed", *columns), rows)
    _write_json(folder / "experiment.json", _facts(experiment, results, wavetank_version, failures))
    _write_json(folder / "wall.json", _wall(results, wall_s))


def check_results(assertions: Sequence[Assertion], results: Sequence[RunResult]) -> list[Finding]:
    """Returns what becomes of assertions about these runs."""
    rows = [{"scheduler": result.scheduler, "seed": result.seed, **asdict(result.metrics)} for result in results]
    return check_all(assertions, rows)


def all_warnings(experiment: Experiment, results: Sequence[RunResult]) -> list[str]:
    """Returns what the user should know, each thing once: of the reading first, then of the runs."""
    of_runs = (warning for result in results for warning in result.warnings)
    return list(dict.fromkeys((*experiment.notes, *of_runs)))


def summary_columns(metrics: Sequence[Metrics]) -> list[str]:
    """Returns the metrics that summary.csv has for such runs: all but those that none of them has."""
    names = [field.name for field in fields(Metrics)]
    return [name for name in names if name not in OPTIONAL or any(getattr(each, name) is not None for each in metrics)]


def _cells(metrics: Metrics, columns: Sequence[str]) -> list[object]:
    values = (getattr(metrics, column) for column in columns)
    return [round(value, 6) if isinstance(value, float) else value for value in values]


def _facts(
    experiment: Experiment, results: Sequence[RunResult], wavetank_version: str, failures: Sequence[str]
) -> dict[str, object]:
    nodes = [Node(manifest) for manifest in experiment.cluster.manifests if manifest.get("kind") == "Node"]
    made = {result.scheduler for result in results}
    entries = [entry for entry in experiment.schedulers if entry.name in made]
    manager = experiment.controllers.manager
    return {
        "wavetank": wavetank_version,
        "name": experiment.name,
        "kubernetesVersion": ".".join(map(str, experiment.version)),
        "latency": experiment.latency.name,
        "ties": experiment.ties,
        "seeds": experiment.seeds,
        "horizon_s": None if experiment.horizon is None else experiment.horizon / SECOND,
        "schedulers": [{"name": entry.name, "description": entry.description} for entry in entries],
        **({"controllers": manager.description} if manager else {}),
        "cluster": {
            "nodes": len(nodes),
            "cpu_milli": sum(node.allocatable.get(CPU, 0) for node in nodes),
            "memory_bytes": sum(node.allocatable.get(MEMORY, 0) for node in nodes),
        },
        "workload": {"pods": results[0].metrics.pods, "description": experiment.workload.description},
        "warnings": [*failures, *all_warnings(experiment, results)],
    }


def _wall(results: Sequence[RunResult], wall_s: float) -> dict[str, object]:
    runs = {
        f"{result.scheduler}/seed-{result.seed}": {
            "wall_s": round(result.wall_s, 3),
            "pods_per_s": round(result.metrics.pods / result.wall_s) if result.wall_s else None,
            "attempts": result.attempts,
            "acceleration": acceleration(result),
        }
        for result in results
    }
    return {"total_s": round(wall_s, 3), "runs": runs}


def acceleration(result: RunResult) -> float | None:
    """Returns simulated by real time, of the makespan."""
    makespan = result.metrics.makespan_s
    return None if makespan is None or not result.wall_s else round(makespan / result.wall_s, 1)


def _write_json(path: Path, content: dict[str, object]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
