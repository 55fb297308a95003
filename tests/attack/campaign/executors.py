"""Random sweeps, whose results must not depend on the machines that they run on: this one, or Ray's workers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random

from tests.attack.campaign import documents
from tests.attack.campaign.checking import files_of
from tests.attack.campaign.outcome import Budget, Outcome
from wavetank.errors import InputError
from wavetank.experiments.runner import FailedRunsError
from wavetank.sweeps.document import read_sweep
from wavetank.sweeps.executors import Executor, on_this_machine
from wavetank.sweeps.rayexecutor import on_ray
from wavetank.sweeps.runner import run_sweep

_SEEDS = 3


def attack(random: Random, budget: Budget) -> Outcome:
    """Runs random sweeps here and on Ray, and compares their files."""
    import ray

    outcome = Outcome("random sweeps, on this machine and on Ray")
    files = 0
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        while budget.left():
            seed = random.randrange(1 << 32)
            files += _compare(documents.make(Random(seed)), outcome, seed)
            outcome.ran += 1
    finally:
        ray.shutdown()
    outcome.figures = {"files compared": files}
    return outcome


def _compare(made: documents.Made, outcome: Outcome, seed: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "workload.yaml").write_text("\n---\n".join(map(json.dumps, made.objects)))
        path = folder / "experiment.yaml"
        made.document["spec"]["seeds"] = list(range(_SEEDS))
        path.write_text(json.dumps(made.document))
        here, there = _results(path, on_this_machine(1)), _results(path, on_ray())
        for file in sorted(here.keys() | there.keys()):
            outcome.check(here.get(file) == there.get(file), f"seed {seed}: {file} differs on Ray")
        return len(here)


def _results(path: Path, executor: Executor) -> dict[str, bytes]:
    """Runs a sweep; returns its files by name without those for resuming, or its error as the only one."""
    with tempfile.TemporaryDirectory() as out:
        try:
            run_sweep(read_sweep(path), Path(out), "0", executor)
        except (InputError, FailedRunsError) as error:
            return {type(error).__name__: str(error).encode()}
        return {name: data for name, data in files_of(Path(out)).items() if not name.startswith(".runs")}
