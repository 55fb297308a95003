"""The files of a whole experiment: summary.csv, experiment.json and wall.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from msgspec import UNSET

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.run import RunResult
from wavetank.kernel.durations import SECOND
from wavetank.results import layout
from wavetank.results.assertions import Assertion, Finding, check_all
from wavetank.results.facts import ClusterFacts, ExperimentFacts, SchedulerFacts, WorkloadFacts, write_json
from wavetank.results.layout import run_label
from wavetank.results.schema import SUMMARY
from wavetank.results.write.csvfiles import write_rows
from wavetank.results.write.summary import summary_row


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
    write_results_of(_facts(experiment, results, wavetank_version, failures), results, folder, wall_s)


def write_results_of(facts: ExperimentFacts, results: Sequence[RunResult], folder: Path, wall_s: float) -> None:
    """Writes these facts, and the metrics and real times of the runs."""
    write_rows(folder, SUMMARY, [summary_row(each.scheduler, each.seed, each.metrics) for each in results])
    write_json(folder / layout.EXPERIMENT, facts)
    write_json(folder / layout.WALL, _wall(results, wall_s))


def check_results(assertions: Sequence[Assertion], results: Sequence[RunResult]) -> list[Finding]:
    """Returns what becomes of assertions about these runs."""
    rows = [{"scheduler": result.scheduler, "seed": result.seed, **asdict(result.metrics)} for result in results]
    return check_all(assertions, rows)


def all_warnings(experiment: Experiment, results: Sequence[RunResult]) -> list[str]:
    """Returns what the user should know, each thing once: of the reading first, then of the runs."""
    of_runs = (warning for result in results for warning in result.warnings)
    return list(dict.fromkeys((*experiment.notes, *of_runs)))


def _facts(
    experiment: Experiment, results: Sequence[RunResult], wavetank_version: str, failures: Sequence[str]
) -> ExperimentFacts:
    made = {result.scheduler for result in results}
    entries = [entry for entry in experiment.schedulers if entry.name in made]
    return ExperimentFacts(
        wavetank=wavetank_version,
        name=experiment.name,
        kubernetes_version=".".join(map(str, experiment.version)),
        latency=experiment.latency.name,
        ties=experiment.ties,
        seeds=list(experiment.seeds),
        horizon_s=None if experiment.horizon is None else experiment.horizon / SECOND,
        schedulers=[SchedulerFacts(entry.name, entry.description) for entry in entries],
        controllers=experiment.controllers.description or UNSET,
        cluster=_cluster(experiment),
        node_groups=[f"{each.name} {each.least} to {each.most}" for each in experiment.node_groups] or UNSET,
        workload=WorkloadFacts(results[0].metrics.pods, experiment.workload.description),
        warnings=[*failures, *all_warnings(experiment, results)],
    )


def _cluster(experiment: Experiment) -> ClusterFacts:
    nodes = [Node(manifest) for manifest in experiment.cluster.manifests if manifest.get("kind") == "Node"]
    cpu, memory = (sum(node.allocatable.get(name, 0) for node in nodes) for name in (CPU, MEMORY))
    return ClusterFacts(len(nodes), cpu, memory)


def _wall(results: Sequence[RunResult], wall_s: float) -> dict[str, object]:
    runs = {
        run_label(result.scheduler, result.seed): {
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
