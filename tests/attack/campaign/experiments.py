"""Random experiments, whose results an independent checker looks at."""

from __future__ import annotations

import json
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType

from tests.attack.campaign import documents
from tests.attack.campaign.checking import files_of, problems_of_run, problems_of_summary, rows_of
from tests.attack.campaign.outcome import Budget, Outcome
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import load_experiment
from wavetank.experiments.runner import FailedRunsError, run_experiment

_PATIENCE_S = 120  # for one run of at most a few hundred pods


def attack(random: Random, budget: Budget) -> Outcome:
    """Runs random experiments twice each, and checks their results."""
    outcome = Outcome("random experiments, each run twice")
    pods = refused = stopped = programs = 0
    slowest = 0.0
    while budget.left():
        seed, begun = random.randrange(1 << 32), time.monotonic()
        made = documents.make(Random(seed))
        programs += "program" in str(made.document["spec"]["schedulers"])
        try:
            pods += _try(made, outcome, seed)
        except InputError as error:
            refused += 1
            outcome.check("Traceback" not in str(error), f"seed {seed}: {error}")
        except FailedRunsError as error:
            stopped += 1
            outcome.check(made.may_fail in str(error), f"seed {seed}: {error}")
        except Exception as error:
            outcome.check(False, f"seed {seed}: {type(error).__name__}: {error}")
        outcome.ran += 1
        slowest = max(slowest, time.monotonic() - begun)
    counts = {"pods": pods, "with programs in the loop": programs, "refused documents": refused, "stopped": stopped}
    outcome.figures = {**counts, "s the slowest": round(slowest, 1)}
    return outcome


def _try(made: documents.Made, outcome: Outcome, seed: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "workload.yaml").write_text("\n---\n".join(map(json.dumps, made.objects)))
        path = folder / "experiment.yaml"
        path.write_text(json.dumps(made.document))
        for out in ("once", "again"):
            with _in_time():
                run_experiment(load_experiment(path, {}), folder / out, "0", jobs=1)
        once, again = files_of(folder / "once"), files_of(folder / "again")
        for file in sorted(once.keys() | again.keys()):
            outcome.check(once.get(file) == again.get(file), f"seed {seed}: {file} differs when it is run again")
        return _check(folder / "once", made, outcome, seed)


def _check(out: Path, made: documents.Made, outcome: Outcome, seed: int) -> int:
    (summary,) = rows_of(out / "summary.csv")
    run = out / summary["scheduler"] / f"seed-{summary['seed']}"
    pods = rows_of(run / "pods.csv")
    for problem in (*problems_of_run(run, made.capacities, made.pods), *problems_of_summary(summary, pods)):
        outcome.check(False, f"seed {seed}: {summary['scheduler']}: {problem}")
    return len(pods)


@contextmanager
def _in_time() -> Iterator[None]:
    """Ends a run that takes far too long, if this is the main thread."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"the run has not ended within {_PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
