"""The attacks of `make attack` that are quick, in their short form; and that their checker finds what is wrong."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.attack.campaign import experiments, heavy, inputfiles
from tests.attack.campaign.checking import problems_of_run, problems_of_summary
from tests.attack.campaign.outcome import Attack, Budget
from tests.cli.commands import Wavetank, an_experiment

LONG_S = 3600.0  # rounds end an attack, not the time that they take
CAPACITIES = {"n": {"cpu": Fraction(4), "pods": Fraction(2)}}


@pytest.mark.parametrize(
    ("attack", "rounds"),
    [
        pytest.param(experiments.attack, 4, id="random experiments"),
        pytest.param(inputfiles.attack, 1, id="mutated files"),
    ],
)
def test_nothing_breaks(attack: Attack, rounds: int) -> None:
    outcome = attack(Random(13), Budget(LONG_S, rounds))
    assert outcome.ran >= rounds
    assert outcome.broke == []


def test_heavy_objects_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heavy, "_SIZES", (100_000,))
    monkeypatch.setattr(heavy, "_REST_S", 0.2)
    monkeypatch.setattr(heavy, "_LONG_S", LONG_S)  # no test depends on how busy the machine is
    outcome = heavy.attack(Random(13), Budget(LONG_S, 6))
    assert (outcome.ran, outcome.broke) == (6, [])


def a_row(name: str, scheduled: str, finished: str, **cells: str) -> dict[str, str]:
    usual = {"namespace": "default", "name": name, "submitted": "0", "scheduled": scheduled, "started": scheduled}
    ended = {"finished": finished, "phase": "Succeeded" if finished else "Running", "reason": ""}
    return {
        **usual,
        **ended,
        "node": "n" if scheduled else "",
        "requests": "cpu=2500m",
        "gpu_milli": "",
        "gpus": "",
        **cells,
    }


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        pytest.param([a_row("a", "0", "5"), a_row("b", "5", "9")], None, id="one after the other"),
        pytest.param(
            [a_row("a", "0", "5"), a_row("b", "4", "9")], "n: 5 of 4 cpu are held at 4", id="a node is over-committed"
        ),
        pytest.param(
            [a_row(name, "0", "5", requests="cpu=1") for name in "abc"], "n: 3 of 2 pods are held at 0", id="pods"
        ),
        pytest.param(
            [a_row(name, "0", "5", requests="cpu=1", gpu_milli="600", gpus="1") for name in "ab"],
            "n: 1.2 of 1 gpu 1 are held at 0",
            id="a GPU is over-committed",
        ),
        pytest.param(
            [a_row("a", "0", "5"), a_row("b", "1", "1", phase="Failed", reason="OutOfcpu")], None, id="rejected"
        ),
        pytest.param([a_row("a", "5", "4")], "a: times are not in order: [0.0, 5.0, 5.0, 4.0]", id="order of times"),
        pytest.param([a_row("b", "0", "4")], "a is lost", id="a pod is lost"),
    ],
)
def test_the_checker_finds_what_is_wrong(tmp_path: Path, rows: list[dict[str, str]], problem: str | None) -> None:
    with (tmp_path / "pods.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert list(problems_of_run(tmp_path, CAPACITIES, ["a"])) == ([problem] if problem else [])


def test_a_summary_that_the_pods_contradict_is_found(tmp_path: Path) -> None:
    pods = [a_row("a", "1", "5"), a_row("b", "3", "9")]
    said = {
        "pods": 2,
        "scheduled_pods": 2,
        "unscheduled_pods": 0,
        "succeeded_pods": 2,
        "failed_pods": 0,
        "nodes_used": 1,
    }
    said |= {"mean_waiting_time_s": 2, "max_waiting_time_s": 3, "mean_turnaround_s": 7, "makespan_s": 9}
    summary = {name: str(value) for name, value in said.items()}
    assert list(problems_of_summary(summary, pods)) == []
    wrong = summary | {"makespan_s": "8"}
    assert list(problems_of_summary(wrong, pods)) == ["makespan_s is 8.0, the pods say 9.0"]


def test_pods_of_a_generator_run_on_the_nodes_of_k8ssim(wavetank: Wavetank, here: Path) -> None:
    an_experiment(here, execution="k8ssim", schedulers=[{"name": "LRP"}])
    ended = wavetank("run", "e.yaml", "-o", "out")
    assert (ended.status, ended.err) == (0, "1/1 runs, 3 pods finished\n")
