"""What schedulers do in clusters, done by the real one in the loop."""

from __future__ import annotations

import json
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.loop.programs import (
    REAL,
    an_experiment,
    assert_nothing_over_allocated,
    rows_by_name,
    run_entry,
    run_real,
    told,
)
from tests.support.objects import pod_manifest
from wavetank.loop.processes.configuration import HEAD


def arriving(pod: Any, at: str) -> Any:
    pod["metadata"]["annotations"]["wavetank.dev/arrival"] = at
    return pod


def pods_file(folder, *pods: Any) -> dict[str, Any]:
    path = folder / "pods.yaml"
    path.write_text("---\n".join(json.dumps(pod) + "\n" for pod in pods))
    return {"file": str(path)}


def test_two_processes_each_with_its_own_pods():
    generators = [
        {"name": name, "kind": "poisson", "pods": 40, "rate": 1, "duration": 30, "requests": {"cpu": 1}, **scheduler}
        for name, scheduler in (("a", {}), ("b", {"schedulerName": "other"}))
    ]
    together = [{"name": "first", "process": REAL}, {"name": "second", "process": REAL, "schedulerName": "other"}]
    experiment = an_experiment(
        cluster={"nodes": [{"count": 4, "cpu": 4, "memory": "8Gi"}]},
        workload={"generators": generators},
        schedulers=[{"name": "both", "together": together}],
    )
    recorder = run_entry(experiment)
    assert Counter(row.scheduler for row in recorder.rows) == {"first": 40, "second": 40}
    assert all(row.scheduled is not None for row in recorder.rows)
    assert told(run_entry(experiment).rows) == told(recorder.rows)


def test_a_process_beside_a_built_in_scheduler():
    usual = {"kind": "burst", "pods": 6, "duration": 30, "requests": {"cpu": 1}}
    generators = [{"name": "a", **usual}, {"name": "b", **usual, "schedulerName": "other"}]
    together = [{"name": "real", "process": REAL}, {"name": "default", "schedulerName": "other"}]
    experiment = an_experiment(workload={"generators": generators}, schedulers=[{"name": "both", "together": together}])
    recorder = run_entry(experiment)
    assert Counter(row.scheduler for row in recorder.rows) == {"real": 6, "default": 6}
    assert all(row.phase in ("Succeeded", "Failed") for row in recorder.rows)


def test_preemption(tmp_path):
    important = {"priority": 1000, "terminationGracePeriodSeconds": 5}
    small = [pod_manifest(f"low-{i}", memory=None, duration="1000", terminationGracePeriodSeconds=5) for i in range(8)]
    workload = pods_file(
        tmp_path, *small, arriving(pod_manifest("high", memory=None, duration="100", cpu="3", **important), "50")
    )
    recorder = run_real(workload=workload)
    rows = rows_by_name(recorder)
    evicted = [row for row in recorder.rows if row.phase == "Failed"]
    assert len(evicted) == 3
    assert rows["high"].phase == "Succeeded"
    assert rows["high"].node == evicted[0].node
    assert rows["high"].scheduled == max(row.finished for row in evicted)
    assert_nothing_over_allocated(recorder)
    assert told(run_real(workload=workload).rows) == told(recorder.rows)


def test_topology_spread(tmp_path):
    constraint = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    pods = [
        pod_manifest(
            f"web-{i}", memory=None, duration="100", labels={"app": "web"}, topologySpreadConstraints=[constraint]
        )
        for i in range(9)
    ]
    cluster = {"nodes": [{"count": 6, "cpu": 4, "memory": "8Gi", "zone": ["a", "b", "c"]}]}
    recorder = run_real(cluster=cluster, workload=pods_file(tmp_path, *pods))
    zones = {node.name: node.labels["topology.kubernetes.io/zone"] for node in recorder.nodes}
    assert Counter(zones[row.node] for row in recorder.rows) == {"a": 3, "b": 3, "c": 3}


@pytest.fixture
def extender():
    """An extender that lets nothing but node-1 through, and counts its calls."""
    calls = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            calls.append(self.path)
            names = [node["metadata"]["name"] for node in asked["Nodes"]["items"]]
            kept = [node for node in asked["Nodes"]["items"] if node["metadata"]["name"] == "node-1"]
            failed = {name: "not mine" for name in names if name != "node-1"}
            body = json.dumps({"Nodes": {"items": kept}, "FailedNodes": failed}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", calls
        server.shutdown()


def test_an_extender_is_called_through_a_proxy(extender):
    url, calls = extender
    config = {**HEAD, "extenders": [{"urlPrefix": url, "filterVerb": "filter", "weight": 1}]}
    recorder = run_real(schedulers=[{"name": "real", "process": {**REAL, "config": config}}])
    assert {row.node for row in recorder.rows} == {"node-1"}
    assert calls == ["/filter"] * 3


def test_an_extender_that_is_not_there_leaves_pods_waiting():
    config = {**HEAD, "extenders": [{"urlPrefix": "http://127.0.0.1:9", "filterVerb": "filter", "weight": 1}]}
    recorder = run_real(schedulers=[{"name": "real", "process": {**REAL, "config": config}}])
    assert all(row.scheduled is None for row in recorder.rows)


def test_500_nodes_and_5000_pods():
    recorder = run_real(
        cluster={"nodes": [{"count": 500, "cpu": 8, "memory": "32Gi"}]},
        workload={"generator": {"kind": "poisson", "pods": 5000, "rate": 50, "duration": 60, "requests": {"cpu": 1}}},
    )
    assert len(recorder.rows) == 5000
    assert all(row.phase == "Succeeded" for row in recorder.rows)
    assert_nothing_over_allocated(recorder)


def test_attempts_cost_what_the_latency_model_says():
    model = {"attempt": 0.5, "bind": 0.1}
    recorder = run_real(latency=model, cluster={"nodes": [{"count": 1, "cpu": 4, "memory": "8Gi"}]})
    assert sorted(row.scheduled for row in recorder.rows) == [600_000_000, 1_100_000_000, 1_600_000_000]
