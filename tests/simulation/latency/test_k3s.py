"""The preset `k3s` against the ten real runs that it was fitted to, and against workloads that it was not."""

from __future__ import annotations

import csv
import json
import statistics

import pytest

import wavetank
from tests.support.paths import ROOT, SHARED, needs_shared
from wavetank.simulation.latency.k3s import K3S

DATA = SHARED / "data" / "batkube-real-k3s"

SYSTEM_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {
        "nodeName": "node-0",
        "containers": [{"name": "coredns", "image": "coredns", "resources": {"requests": {"cpu": "100m"}}}],
    },
}
CLUSTER = {"nodes": [{"count": 16, "cpu": 1, "memory": "4Gi"}], "objects": [SYSTEM_POD]}

needs_data = needs_shared(DATA)


def simulated(workload, **options):
    rows = wavetank.run(cluster=CLUSTER, workload=workload, latency="k3s", seeds="1-3", jobs=1, **options)
    return {
        metric: statistics.mean(row[metric] for row in rows.summary(frame="rows"))
        for metric in ("makespan_s", "mean_waiting_time_s")
    }


def real():
    texts = [path.read_text() for path in sorted(DATA.glob("real_*_jobs.csv"))]
    runs = [list(csv.DictReader(text.splitlines())) for text in texts]
    ends = [max(float(job["finish_time"]) for job in jobs) for jobs in runs]
    starts = [min(float(job["submission_time"]) for job in jobs) for jobs in runs]
    waits = [statistics.mean(float(job["waiting_time"]) for job in jobs) for jobs in runs]
    return {
        "makespan_s": statistics.mean(end - start for end, start in zip(ends, starts, strict=True)),
        "mean_waiting_time_s": statistics.mean(waits),
    }


@needs_data
def test_the_spaced_workload_takes_as_long_as_it_really_took():
    simulation, reality = simulated(DATA / "spaced_200_delay170.workload.json"), real()
    assert simulation["makespan_s"] == pytest.approx(reality["makespan_s"], rel=0.01)
    assert simulation["mean_waiting_time_s"] == pytest.approx(reality["mean_waiting_time_s"], rel=0.05)


def test_a_burst_takes_as_long_as_published(tmp_path):
    # 200 jobs of 170 s at once on the same cluster; published means: 2467.2 s and 1076.7 s
    jobs = [{"id": str(i), "subtime": 0, "res": 1, "profile": "delay"} for i in range(200)]
    workload = tmp_path / "burst.json"
    workload.write_text(json.dumps({"nb_res": 1, "jobs": jobs, "profiles": {"delay": {"type": "delay", "delay": 170}}}))
    simulation = simulated(workload, kubernetes_version="1.29")  # whose queue waits out its back-offs, as k3s' did
    assert simulation["makespan_s"] == pytest.approx(2467.2, rel=0.01)
    assert simulation["mean_waiting_time_s"] == pytest.approx(1076.7, rel=0.05)


def test_the_system_pod_keeps_one_node_free_of_jobs():
    generator = {"kind": "burst", "pods": 30, "duration": 10, "requests": {"cpu": 1}}
    results = wavetank.run(cluster=CLUSTER, workload={"generator": generator}, latency="k3s", jobs=1)
    jobs = [pod for pod in results.pods("default", 1, frame="rows") if pod["namespace"] == "default"]
    assert {pod["node"] for pod in jobs} == {f"node-{i}" for i in range(1, 16)}


@needs_data
def test_the_preset_is_what_the_script_fits(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import fit_k3s

    runs = [fit_k3s.read_run(path) for path in sorted(DATA.glob("real_*_jobs.csv"))]
    assert fit_k3s.fit(runs) == K3S
