"""`wavetank replay` on the API server of `wavetank serve`, whose cluster is the real one here."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.apiserver.serving import Served, nodes_file, serving
from tests.cli.commands import Wavetank
from tests.realclusters.replaying import replay_words, rows_of
from tests.support.objects import pod_manifest
from tests.support.waiting import PATIENCE_S, eventually

JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "batch", "annotations": {"wavetank.dev/arrival": "2s", "wavetank.dev/duration": "2s"}},
    "spec": {
        "completions": 3,
        "parallelism": 2,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "job"}]}},
    },
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--cluster", nodes_file(folder)) as server:
        yield server


def write_experiment(folder: Path, pods: int = 8, gap_s: float = 1.0, *more: dict[str, Any]) -> Path:
    documents = [
        pod_manifest(
            f"p-{i}",
            requests={"cpu": "500m"},
            duration="4s",
            annotations={"wavetank.dev/arrival": f"{i * gap_s}s"},
            restartPolicy="Never",
        )
        for i in range(pods)
    ]
    (folder / "workload.yaml").write_text(yaml.safe_dump_all([*documents, *more]))
    spec = {
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]},
        "workload": {"file": "workload.yaml"},
        "schedulers": [{"name": "default"}],
    }
    experiment = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "x"}, "spec": spec}
    (folder / "experiment.yaml").write_text(yaml.safe_dump(experiment))
    return folder / "experiment.yaml"


def test_a_replay_writes_the_results_of_pods_and_jobs_and_cleans_up(
    wavetank: Wavetank, served: Served, tmp_path: Path
) -> None:
    out = tmp_path / "whole"
    ended = wavetank(*replay_words(served.kubeconfig, write_experiment(tmp_path, 8, 1.0, JOB), out, "--speed", "10"))
    assert ended.status == 0, ended.err
    rows = rows_of(out)
    assert [row["phase"] for row in rows] == ["Succeeded"] * 11
    assert sorted(row["name"] for row in rows if row["name"].startswith("p-")) == [f"p-{i}" for i in range(8)]
    for row in rows:
        times = [float(row[column]) for column in ("submitted", "scheduled", "started", "finished")]
        assert times == sorted(times)
    facts = json.loads((out / "experiment.json").read_text())
    assert facts["replay"] == {"server": served.url, "context": "wavetank", "namespace": "ns-whole", "speed": 10.0}
    assert "attempts are empty" in facts["warnings"][0]
    assert json.loads((out / "wall.json").read_text())["runs"]["real/seed-1"]["attempts"] is None
    assert {file.name for file in out.iterdir()} >= {"report.html", "summary.csv"}
    assert {file.name for file in (out / "real" / "seed-1").iterdir()} >= {"pods.csv", "jobs.csv", "schedule.csv"}
    assert served.ask("GET", "/api/v1/namespaces/ns-whole").status == 404
    assert not (tmp_path / "whole.journal").exists()


def start(words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "wavetank", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def count_pods(served: Served, namespace: str) -> int:
    return len(served.ask("GET", f"/api/v1/namespaces/{namespace}/pods").json.get("items") or ())


def test_a_replay_that_was_killed_goes_on_without_losing_or_doubling_a_pod(
    wavetank: Wavetank, served: Served, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    words = replay_words(served.kubeconfig, write_experiment(tmp_path, 10), out, "--speed", "4")
    process = start(words)
    eventually(lambda: count_pods(served, "ns-killed") >= 3)
    process.kill()
    process.communicate()
    again = wavetank(*words)
    assert again.status == 2
    assert "has not ended: give --resume" in again.err
    ended = wavetank(*words, "--resume")
    assert ended.status == 0, ended.err
    rows = rows_of(out)
    assert sorted(row["name"] for row in rows) == sorted(f"p-{i}" for i in range(10))
    assert {row["phase"] for row in rows} == {"Succeeded"}
    assert served.ask("GET", "/api/v1/namespaces/ns-killed").status == 404


def test_ctrl_c_cleans_up(served: Served, tmp_path: Path) -> None:
    out = tmp_path / "interrupted"
    process = start(replay_words(served.kubeconfig, write_experiment(tmp_path, 60), out))
    eventually(lambda: count_pods(served, "ns-interrupted") >= 1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, errors
    assert served.ask("GET", "/api/v1/namespaces/ns-interrupted").status == 404
    assert not out.exists()
    assert not (tmp_path / "interrupted.journal").exists()


def test_a_namespace_that_exists_is_not_used(wavetank: Wavetank, served: Served, tmp_path: Path) -> None:
    served.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "ns-taken"}})
    ended = wavetank(*replay_words(served.kubeconfig, write_experiment(tmp_path, 1), tmp_path / "taken"))
    assert ended.status == 2
    assert "the namespace ns-taken exists and was not made by a replay" in ended.err
    assert served.ask("GET", "/api/v1/namespaces/ns-taken").status == 200


def test_a_dry_run_creates_nothing(wavetank: Wavetank, served: Served, tmp_path: Path) -> None:
    words = replay_words(
        served.kubeconfig, write_experiment(tmp_path, 2), tmp_path / "dry", "--dry-run", "--json", "--speed", "2"
    )
    printed = json.loads(wavetank(*words).out)
    assert [each["time_s"] for each in printed["objects"]] == [0, 1]
    (container,) = printed["objects"][0]["object"]["spec"]["containers"]
    assert container["command"] == ["sleep", "2"]
    assert served.ask("GET", "/api/v1/namespaces/ns-dry").status == 404
