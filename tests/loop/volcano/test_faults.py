"""Volcano's own programs that fail: named, with the end of their log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.loop.programs import run_entry
from tests.loop.volcano.workloads import a_case, an_experiment_of, find_volcano
from wavetank.loop.errors import ProcessError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

SCHEDULER = {"package": "vc-scheduler", "version": "v1.15.1"}


def a_scheduler(**process: Any) -> dict[str, Any]:
    return {"schedulers": [{"name": "real", "process": {**SCHEDULER, **process}}]}


def a_controller(name: str, **process: Any) -> dict[str, Any]:
    return {**a_scheduler(), "controllers": [{"name": name, "process": process}]}


@pytest.mark.parametrize(
    ("spec", "problem", "log"),
    [
        pytest.param(
            a_scheduler(args=["--fast"]),
            "scheduler real has exited with status 2",
            "unknown flag: --fast",
            id="a flag of the scheduler",
        ),
        pytest.param(
            a_scheduler(config={"actions": "enqueue, allot", "tiers": []}),
            "scheduler real has exited with status 255",
            "Invalid scheduler configuration",
            id="an unknown action",
        ),
        pytest.param(
            a_controller("vc-controller-manager", args=["--fast"]),
            "controller vc-controller-manager has exited with status 2",
            "unknown flag: --fast",
            id="a flag of the controllers",
        ),
        pytest.param(
            a_controller("vc-webhook-manager", args=["--enabled-admission=/nothing"]),
            "controller vc-webhook-manager has exited with status 1",
            "enabled admission /nothing not found",
            id="webhooks that do not exist",
        ),
    ],
)
def test_a_program_that_does_not_start_is_named(tmp_path: Path, spec: dict[str, Any], problem: str, log: str) -> None:
    find_volcano()
    with pytest.raises(ProcessError) as raised:
        run_entry(an_experiment_of(a_case(5), tmp_path, **spec))
    assert str(raised.value).startswith(problem)
    assert log in str(raised.value)
    assert raised.value.exit_status == 3
