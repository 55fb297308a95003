"""Programs that ask for pods again and again instead of watching them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment, run_entry, seconds_of, told

POLLING = Path(__file__).parents[1] / "polling_scheduler.py"


def run_polling(*command: str, **spec: object):
    spaced = {"kind": "spaced", "every": 3, "pods": 5, "duration": 30, "requests": {"cpu": "100m"}}
    experiment = an_experiment(
        workload={"generator": spaced}, schedulers=[{"name": "mine", "process": {"command": [*command]}}], **spec
    )
    return run_entry(experiment).rows


def test_a_scheduler_that_polls_decides_at_the_instants_of_its_sleeps():
    """It asks every two seconds from time 0 on; pods come every three, the first after its first question."""
    rows = run_polling(sys.executable, str(POLLING), "{server}")
    assert [seconds_of(row.submitted) for row in rows] == [0, 3, 6, 9, 12]
    assert [seconds_of(row.scheduled) for row in rows] == pytest.approx([2, 4, 6, 10, 12], abs=0.001)
    assert told(rows) == told(run_polling(sys.executable, str(POLLING), "{server}"))


def test_a_scheduler_that_polls_does_not_prolong_a_run():
    """The pods that it could place have ended, and nothing waits for it any more."""
    rows = run_polling(sys.executable, str(POLLING), "{server}")
    assert all(row.phase == "Succeeded" for row in rows)
