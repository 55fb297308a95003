from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment
from wavetank.errors import InputError
from wavetank.experiments.document.structures.schedulers import SyncSpec
from wavetank.experiments.document.sync import make_sync
from wavetank.kernel.durations import SECOND
from wavetank.loop.timesteps.sync import TimestepSync

MS = SECOND // 1000
PLAIN = Path(__file__).parents[1] / "plain_scheduler.py"


def read_sync(given):
    return make_sync(SyncSpec.read(given, "sync"))


def test_the_defaults_are_batkubes():
    assert read_sync({"mode": "timestep"}) == TimestepSync(
        timeout_value=20 * MS,
        min_delay=0,
        base_simulation_timestep=100 * MS,
        max_simulation_timestep=20 * SECOND,
        backoff_multiplier=2,
        fast_forward_on_no_pending_jobs=False,
        detect_scheduler_deadlock=False,
        scheduler_crash_timeout=5 * SECOND,
    )


def test_every_parameter_can_be_given():
    given = {
        "mode": "timestep",
        "timeout-value": "50ms",
        "min-delay": "10ms",
        "base-simulation-timestep": "10ms",
        "max-simulation-timestep": "1000s",
        "backoff-multiplier": 1.5,
        "fast-forward-on-no-pending-jobs": True,
        "detect-scheduler-deadlock": True,
        "scheduler-crash-timeout": "8s",
        "batsky-endpoint": "tcp://127.0.0.1:27000",
    }
    expected = (50 * MS, 10 * MS, 10 * MS, 1000 * SECOND, 1.5, True, True, 8 * SECOND, "tcp://127.0.0.1:27000")
    assert read_sync(given) == TimestepSync(*expected)


def test_lockstep_is_what_there_is_without():
    assert read_sync({"mode": "lockstep"}) is None


@pytest.mark.parametrize(
    ("sync", "problem"),
    [
        ({}, "sync.mode: this field is required"),
        ({"mode": "lockstep", "min-delay": 1}, "sync: lockstep has no parameters"),
        ({"mode": "timestep", "timeout": "1s"}, "unknown field 'timeout'"),
        ({"mode": "timestep", "min-delay": -1}, "sync.min-delay: a duration cannot be"),
        ({"mode": "timestep", "base-simulation-timestep": 0}, "sync.base-simulation-timestep: a time step of 0"),
        ({"mode": "timestep", "backoff-multiplier": 0.5}, "sync.backoff-multiplier: expected 1 or more"),
        ({"mode": "timestep", "fast-forward-on-no-pending-jobs": 1}, "expected true or false"),
        ({"mode": "timestep", "batsky-endpoint": "here"}, "sync.batsky-endpoint: expected tcp://HOST:PORT"),
    ],
)
def test_what_makes_no_sense_is_refused(sync, problem):
    with pytest.raises(InputError, match=problem):
        read_sync(sync)


def test_programs_that_run_together_keep_step_in_one_way():
    command = [sys.executable, str(PLAIN), "{server}"]
    parts = [
        {"name": "a", "process": {"command": command, "sync": {"mode": "timestep"}}, "schedulerName": "a"},
        {
            "name": "b",
            "process": {"command": command, "sync": {"mode": "timestep", "min-delay": 1}},
            "schedulerName": "b",
        },
    ]
    with pytest.raises(InputError, match="must all have the same sync"):
        an_experiment(schedulers=[{"name": "both", "together": parts}])
