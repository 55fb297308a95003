"""The results of a replay: a folder as that of any experiment, with one run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wavetank.cluster.releases import SERVED
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.repeating import write_source
from wavetank.experiments.run import RunResult, Tables
from wavetank.experiments.session import Session, write_session
from wavetank.realclusters.replay.plan import Plan
from wavetank.realclusters.replay.replay import SCHEDULER, Replay
from wavetank.results.facts import ReplayFacts

MEASURED = "measured"  # what the latency of a real cluster is called
_UNKNOWN = (
    "replayed on a real cluster: its scheduling attempts and latencies are not known, attempts are empty; "
    "times are when this program saw a change"
)


def write_replay(
    replay: Replay,
    experiment: Experiment,
    plan: Plan,
    facts: ReplayFacts,
    release: str,
    seed: int,
    wall_s: float,
    out: Path,
    wavetank_version: str,
    finish: Callable[[Path, Tables], object],
) -> RunResult:
    """Writes the results into the folder `out`, whole or not at all."""
    session = Session(
        recorder=replay.recorder,
        start=0,
        scheduler="",
        latency=MEASURED,
        version=SERVED.version,
        seed=seed,
        attempts=None,
        wall_s=wall_s,
        name=experiment.name,
        workload=experiment.workload.description,
        label=SCHEDULER,
        scheduler_description=f"of the cluster at {facts.server}",
        release=release,
        notes=(_UNKNOWN, *plan.notes, *replay.notes),
        replay=facts,
    )

    def complete(folder: Path, tables: Tables) -> None:
        write_source(experiment, folder)  # `wavetank fit` simulates it again
        finish(folder, tables)

    return write_session(session, out, wavetank_version, complete)
