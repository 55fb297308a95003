"""Results of a served session, or of a workload on a real cluster: those of an experiment with one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET, UnsetType

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.releases import Version, version_name
from wavetank.experiments.run import RunResult, Tables, quantiles
from wavetank.experiments.runfiles import write_files
from wavetank.experiments.summary import write_results_of
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.facts import ClusterFacts, ExperimentFacts, ReplayFacts, SchedulerFacts, WorkloadFacts
from wavetank.results.layout import run_folder, run_label
from wavetank.results.metrics.metrics import measure
from wavetank.results.recording.recorder import Recorder
from wavetank.results.recording.timeorigin import count_from
from wavetank.results.write.outfolder import written_whole

NAME = "session"
EXTERNAL = "external"  # what a scheduler is called that clients have attached


@dataclass(frozen=True)
class Session:
    """A session that has ended: what was recorded from `start` on, and how long it took in real time.

    `attempts` is None if they were not counted; `release` is the Kubernetes release if it is not one of ours.
    """

    recorder: Recorder
    start: Nanoseconds
    scheduler: str  # "" if none is built in
    latency: str
    version: Version  # of the scheduler
    seed: int
    attempts: int | None
    wall_s: float
    name: str = NAME
    workload: str = "pods that clients created"
    label: str = EXTERNAL  # what a scheduler is called that is not built in
    scheduler_description: str = "attached by clients"  # if none is built in
    release: str = ""
    notes: tuple[str, ...] = ()
    replay: ReplayFacts | UnsetType = UNSET


def write_session(
    session: Session, out: Path, wavetank_version: str, finish: Callable[[Path, Tables], object] | None = None
) -> RunResult:
    """Writes the results into the folder `out`, whole or not at all; `finish` may add to them.

    Call it once: recorded times become relative to the start of the session.
    """
    count_from(session.recorder, session.start)
    scheduler = session.scheduler or session.label
    with written_whole(out) as folder:
        run = run_folder(folder, scheduler, session.seed)
        run.mkdir(parents=True)
        figures = write_files(session.recorder, run, wavetank_version)
        jobs, label = figures.jobs, run_label(scheduler, session.seed)
        metrics = measure(figures.pods, jobs, None, figures.autoscalers, figures.nodes, queues=figures.queues)
        warnings = tuple(figures.warnings(label))
        latencies = quantiles(jobs.turnaround)
        result = RunResult(scheduler, session.seed, metrics, latencies, warnings, session.attempts, session.wall_s)
        write_results_of(_facts(session, result, wavetank_version), [result], folder, session.wall_s)
        if finish is not None:
            finish(folder, {label: figures.pods})
    return result


def _facts(session: Session, result: RunResult, wavetank_version: str) -> ExperimentFacts:
    nodes = session.recorder.nodes
    cpu, memory = (sum(node.allocatable.get(name, 0) for node in nodes) for name in (CPU, MEMORY))
    return ExperimentFacts(
        wavetank=wavetank_version,
        name=session.name,
        kubernetes_version=session.release or version_name(session.version),
        latency=session.latency,
        ties="random",
        seeds=[session.seed],
        horizon_s=session.recorder.end / SECOND,
        schedulers=[SchedulerFacts(result.scheduler, "" if session.scheduler else session.scheduler_description)],
        cluster=ClusterFacts(len(nodes), cpu, memory),
        workload=WorkloadFacts(result.metrics.pods, session.workload),
        warnings=list(dict.fromkeys((*session.notes, *result.warnings))),
        replay=session.replay,
    )
