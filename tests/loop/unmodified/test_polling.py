"""Programs that ask for pods again and again instead of watching them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment, run_entry, seconds_of, told
from wavetank.results.recording.recorder import PodRow

LOOP = Path(__file__).parents[1]


def run_polling(*command: str) -> list[PodRow]:
    spaced = {"kind": "spaced", "every": 3, "pods": 5, "duration": 2, "requests": {"cpu": "100m"}}
    schedulers = [{"name": "mine", "process": {"command": [*command]}}]
    experiment = an_experiment(workload={"generator": spaced}, schedulers=schedulers)
    return run_entry(experiment).rows


def a_python_program() -> list[str]:
    return [sys.executable, str(LOOP / "polling_scheduler.py"), "{server}"]


def a_shell_script() -> list[str]:
    if not shutil.which("curl"):
        pytest.skip("there is no curl here")
    return ["sh", str(LOOP / "polling_scheduler.sh"), "{server}"]


@pytest.mark.parametrize("program", [a_python_program, a_shell_script])
def test_a_scheduler_that_polls_decides_at_the_instants_of_its_sleeps(program):
    """It asks every two seconds from time 0 on; pods come every three, the first after its first question."""
    rows = run_polling(*program())
    assert [seconds_of(row.submitted) for row in rows] == [0, 3, 6, 9, 12]
    assert [seconds_of(row.scheduled) for row in rows] == pytest.approx([2, 4, 6, 10, 12], abs=0.001)
    assert all(row.phase == "Succeeded" for row in rows)
    assert told(rows) == told(run_polling(*program()))
