from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment

PAIR = [{"name": "default"}, {"name": "first-fit"}]


@pytest.fixture
def out(wavetank: Wavetank, here: Path) -> str:
    wavetank("run", an_experiment(here, schedulers=PAIR, seeds="1-2", ties="exact"), "-o", "out")
    return "out"


def test_results_do_not_differ_from_themselves(wavetank: Wavetank, out: str) -> None:
    ended = wavetank("compare", out, out, "--exit-code")
    assert ended.status == 0
    assert "default: metrics, mean of 2 seeds" in ended.out
    assert "differing pods" not in ended.out


def test_a_difference_is_shown(wavetank: Wavetank, out: str) -> None:
    ended = wavetank("compare", out, out, "--scheduler-a", "default", "--scheduler-b", "first-fit")
    assert ended.status == 0
    assert "default → first-fit, seed 1: differing pods" in ended.out
    assert "burst-" in ended.out
    assert "→ node-0" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_a_difference_can_be_an_exit_status(wavetank: Wavetank, out: str) -> None:
    words = ["compare", f"{out}/default/seed-1", f"{out}/first-fit/seed-1", "--exit-code"]
    assert wavetank(*words).status == 1
    assert wavetank("compare", f"{out}/default/seed-1", f"{out}/default/seed-2", "--exit-code").status == 0


def test_only_so_many_pods(wavetank: Wavetank, out: str) -> None:
    words = ["compare", f"{out}/default/seed-1", f"{out}/first-fit/seed-1", "--most"]
    assert "differing pods" not in wavetank(*words, "0").out
    assert "more" not in wavetank(*words, "20").out


def test_json_for_machines(wavetank: Wavetank, out: str) -> None:
    ended = wavetank("compare", out, out, "--scheduler-a", "default", "--scheduler-b", "first-fit", "--json")
    data = json.loads(ended.out)
    assert data["differs"] is True
    assert [run["a"] for run in data["runs"]] == ["default/seed-1", "default/seed-2"]
    run = data["runs"][0]
    assert run["metrics"]["makespan_s"] == {"a": 10.0, "b": 10.0, "difference": 0.0}
    assert run["counts"]["same"] + run["differing"] == 3
    assert run["pods"][0]["kinds"] == ["other_node"]
    assert run["pods"][0]["b"] == {
        "node": "node-0",
        "scheduled": 0.0,
        "started": 0.0,
        "finished": 10.0,
        "phase": "Succeeded",
    }


def test_a_scheduler_that_is_not_there(wavetank: Wavetank, out: str) -> None:
    ended = wavetank("compare", out, out, "--scheduler-b", "mine")
    assert ended.status == 2
    assert ended.err == "out: no run of a scheduler called 'mine': there is default, first-fit\n"
