"""A policy that fails ends the command with status 3, and says which it was and on which pod."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment, names_in

MODULE = """
class Broken:
    def score(self, pod, node):
        {body}
"""
JOBS = {
    "nb_res": 4,
    "jobs": [{"id": f"job{i}", "subtime": 0, "res": 1, "profile": "p"} for i in range(3)],
    "profiles": {"p": {"type": "delay", "delay": 5}},
}


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param("return 1 / 0", "ZeroDivisionError: division by zero", id="raises"),
        pytest.param("raise ValueError('a\\nb')", "ValueError: a b", id="raises several lines"),
        pytest.param("return 'best'", "ValueError: could not convert", id="gives no number"),
    ],
)
def test_a_policy_that_fails(wavetank: Wavetank, here: Path, body: str, message: str, workers: str) -> None:
    (here / "broken.py").write_text(MODULE.format(body=body))
    (here / "jobs.json").write_text(json.dumps(JOBS))
    schedulers = [{"name": "mine", "python": "broken:Broken"}]
    experiment = an_experiment(here, workload={"file": "jobs.json"}, schedulers=schedulers)
    ended = wavetank("run", experiment, "-o", "out", "--seeds", "1-2", "--jobs", workers)
    assert ended.status == 3
    assert ended.err.splitlines()[-1].startswith(
        f"mine/seed-1, mine/seed-2: policy mine failed on pod default/job0: {message}"
    )
    assert "Traceback" not in ended.err
    assert set(names_in(here)) <= {"e.yaml", "broken.py", "jobs.json", "__pycache__"}


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        ("score(self, pod, node): return float('nan')", "failed on pod default/p-0: a score is not a finite number"),
        ("choose(self, pod, nodes): return 'nowhere'", "failed on pod default/p-0: chose 'nowhere', which is none of"),
        ("filter_nodes(self, pod, nodes): return [True]", "failed on pod default/p-0: filter_nodes must be"),
    ],
)
def test_runs_with_other_schedulers_go_on(wavetank: Wavetank, here: Path, method: str, problem: str) -> None:
    (here / "broken.py").write_text(f"class Broken:\n    def {method}\n")
    schedulers = [{"name": "mine", "python": "broken:Broken"}, {"name": "default"}]
    generator = {"name": "p", "kind": "burst", "pods": 3, "duration": 5, "requests": {"cpu": 1}}
    experiment = an_experiment(here, workload={"generator": generator}, schedulers=schedulers)
    ended = wavetank("run", experiment, "-o", "out", "--jobs", "1")
    assert ended.status == 3
    assert ended.err.splitlines()[-1].startswith(f"mine/seed-1: policy mine {problem}")
    assert "default" in names_in(here / "out")
    assert "mine" not in names_in(here / "out")


def test_a_pod_that_no_api_server_would_accept(wavetank: Wavetank, here: Path) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c"}], "priorityClassName": "none"},
    }
    (here / "pods.yaml").write_text(json.dumps(pod))
    ended = wavetank("run", an_experiment(here, workload={"file": "pods.yaml"}), "-o", "out")
    assert ended.status == 2
    assert ended.err.startswith("pod default/p: ")
    assert names_in(here) == ["e.yaml", "pods.yaml"]
