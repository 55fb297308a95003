"""Runs of Jobs and CronJobs: their pods are started in waves, again after failures, and by the clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulation.experiments import simulate
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.results.recording.recorder import Recorder

NODES = {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]}


def a_job(name: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "annotations": annotations or {}}
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
    template = {"spec": {"restartPolicy": spec.pop("policy", "Never"), "containers": containers}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template, **spec}}


def a_cron_job(name: str, schedule: str, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    spec = {"schedule": schedule, "jobTemplate": {"spec": a_job("j")["spec"]}}
    metadata = {"name": name, "annotations": annotations or {}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec}


def run(folder: Path, *objects: Any, cluster: Any = NODES, **spec: Any) -> Recorder:
    (folder / "app.yaml").write_text(yaml.safe_dump_all(objects))
    return simulate({"cluster": cluster, "workload": {"file": str(folder / "app.yaml")}, **spec})


def spans(recorder: Recorder) -> list[tuple[float, float | None]]:
    """Returns when each pod was submitted and when it ended, in seconds."""
    return [(row.submitted / SECOND, None if row.finished is None else row.finished / SECOND) for row in recorder.rows]


def test_a_job_runs_in_waves(tmp_path: Path) -> None:
    recorder = run(tmp_path, a_job("j", {"wavetank.dev/duration": "30s"}, completions=5, parallelism=2))
    assert spans(recorder) == [(0, 30), (0, 30), (31, 61), (31, 61), (62, 92)]
    assert {row.phase for row in recorder.rows} == {"Succeeded"}
    assert all(row.name.startswith("j-") for row in recorder.rows)


def test_a_failed_pod_is_tried_again_until_there_were_too_many(tmp_path: Path) -> None:
    annotations = {"wavetank.dev/duration": "5s", "wavetank.dev/exit-code": "3"}
    recorder = run(tmp_path, a_job("j", annotations, backoffLimit=2))
    assert spans(recorder) == [(0, 5), (15, 20), (40, 45)]
    assert {row.phase for row in recorder.rows} == {"Failed"}


def test_an_evicted_pod_of_a_job_is_replaced(tmp_path: Path) -> None:
    job = a_job("j", {"wavetank.dev/duration": "60s"}, parallelism=2, completions=2)
    recorder = run(tmp_path, job, faults=[{"at": 10, "drain": "node-0"}])
    phases = [row.phase for row in recorder.rows]
    assert phases.count("Succeeded") == 2
    assert phases.count("Failed") == 1


def test_a_job_that_does_not_tell_runs_a_minute(tmp_path: Path) -> None:
    assert spans(run(tmp_path, a_job("j"))) == [(0, 60)]


def test_a_suspended_job_does_not_begin(tmp_path: Path) -> None:
    assert run(tmp_path, a_job("j", suspend=True)).rows == []


def test_a_cron_job_starts_by_the_clock_until_the_horizon(tmp_path: Path) -> None:
    recorder = run(tmp_path, a_cron_job("c", "*/2 * * * *", {"wavetank.dev/duration": "10s"}), horizon="5m")
    assert [(round(begin), round(end or 0)) for begin, end in spans(recorder)] == [(120, 130), (240, 250)]


def test_without_a_horizon_a_run_does_not_wait_for_the_next_time(tmp_path: Path) -> None:
    recorder = run(tmp_path, a_cron_job("c", "0 * * * *"), a_job("j", {"wavetank.dev/duration": "90m"}))
    assert [row.name.partition("-")[0] for row in recorder.rows] == ["j", "c"]


def test_jobs_become_all_their_pods_at_once_without_a_controller(tmp_path: Path) -> None:
    job = a_job("j", {"wavetank.dev/duration": "30s"}, completions=3, parallelism=2)
    recorder = run(tmp_path, job, controllers="none")
    assert [row.name for row in recorder.rows] == ["j-0", "j-1", "j-2"]
    assert spans(recorder) == [(0, 30)] * 3


def test_a_quota_of_the_cluster_lets_in_only_so_many_pods_at_a_time(tmp_path: Path) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    node["status"] = {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}}
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all([node, quota]))
    job = a_job("j", {"wavetank.dev/duration": "30s", "wavetank.dev/arrival": "1s"}, completions=4, parallelism=4)
    recorder = run(tmp_path, job, cluster={"file": str(tmp_path / "cluster.yaml")})
    assert [round(begin) for begin, _ in spans(recorder)] == [1, 1, 31, 31]


def test_a_limit_range_of_the_cluster_gives_requests(tmp_path: Path) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    node["status"] = {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}}
    limits = {"limits": [{"type": "Container", "defaultRequest": {"memory": "4Gi"}}]}
    bounds = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": limits}
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all([node, bounds]))
    job = a_job("j", {"wavetank.dev/duration": "30s"}, completions=2, parallelism=2)
    recorder = run(tmp_path, job, cluster={"file": str(tmp_path / "cluster.yaml")})
    assert {row.spec.requests["memory"] for row in recorder.rows} == {4 * 2**30}


def test_a_schedule_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"spec\.schedule: expected exactly 5 fields"):
        run(tmp_path, a_cron_job("c", "often"))
    somewhere = a_cron_job("c", "0 * * * *")
    somewhere["spec"]["timeZone"] = "Mars/Olympus"
    with pytest.raises(InputError, match=r"spec\.schedule: unknown time zone Mars/Olympus"):
        run(tmp_path, somewhere)


def test_the_same_seed_gives_the_same_names(tmp_path: Path) -> None:
    first, second = (run(tmp_path, a_job("j", parallelism=3, completions=6)) for _ in range(2))
    assert [row.name for row in first.rows] == [row.name for row in second.rows]
