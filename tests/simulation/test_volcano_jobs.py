"""Volcano's Jobs in runs and in a served cluster: its scheduler, its job controller and kubelets together."""

import csv
import json

import pytest

import wavetank
from tests.workloads.inputs import cluster_of
from wavetank.apiserver.requests.request import Request, User
from wavetank.cluster.releases import SERVED
from wavetank.controllers.descriptors import all_names
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import parse_entries
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

NODES = [{"count": 2, "cpu": 4, "memory": "8Gi"}]


def a_task(name, replicas, sleep=10, exit_code=0, cpu="1", **more):
    container = {"name": "c", "image": "i", "command": ["sleep", str(sleep)], "resources": {"requests": {"cpu": cpu}}}
    annotations = {"wavetank.dev/exit-code": str(exit_code)}
    spec = {"containers": [container], "restartPolicy": "Never"}
    return {
        "name": name,
        "replicas": replicas,
        "template": {"metadata": {"annotations": annotations}, "spec": spec},
    } | more


def a_job(*tasks, name="train", **spec):
    metadata = {"name": name, "namespace": "default"}
    head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata}
    return {**head, "spec": {"tasks": list(tasks), **spec}}


@pytest.fixture
def pods(tmp_path):
    """Runs jobs; returns the rows of their pods by name."""

    def run(*jobs, schedulers="GANG_LRP"):
        file = tmp_path / "jobs.json"
        file.write_text(json.dumps(list(jobs)))
        out = tmp_path / "out"
        wavetank.run(cluster={"nodes": NODES}, workload=file, schedulers=[schedulers], out=out, jobs=1)
        with (out / schedulers / "seed-1" / "pods.csv").open() as table:
            return list(csv.DictReader(table))

    return run


def times(rows, column):
    return {row["name"]: float(row[column]) for row in rows if row[column]}


def test_a_task_waits_for_the_one_that_it_depends_on(pods):
    rows = pods(a_job(a_task("master", 1), a_task("worker", 2, dependsOn={"name": ["master"]}), minAvailable=1))
    submitted = times(rows, "submitted")
    assert submitted["train-worker-0"] >= times(rows, "started")["train-master-0"]
    assert {row["phase"] for row in rows} == {"Succeeded"}


def test_what_a_job_says_to_wavetank_goes_for_its_pods_unless_their_template_says_otherwise(pods):
    job = a_job(a_task("long", 1), a_task("short", 1), minAvailable=2)
    job["metadata"]["annotations"] = {"wavetank.dev/duration": "5m"}
    job["spec"]["tasks"][1]["template"]["metadata"]["annotations"]["wavetank.dev/duration"] = "20"
    rows = pods(job)
    started, finished = times(rows, "started"), times(rows, "finished")
    lasted = {name: finished[name] - started[name] for name in started}
    assert lasted == {"train-long-0": 300, "train-short-0": 20}


def test_a_failed_pod_restarts_the_job_until_it_has_failed_too_often(pods):
    rows = pods(
        a_job(a_task("worker", 2, exit_code=1), policies=[{"event": "PodFailed", "action": "RestartJob"}], maxRetry=3)
    )
    attempts = [row for row in rows if row["name"] == "train-worker-0"]
    assert len(attempts) == 3
    assert all(row["phase"] == "Failed" for row in attempts)


def test_a_completed_task_ends_the_others(pods):
    server = a_task("server", 1, sleep=1000)
    rows = pods(a_job(a_task("worker", 2), server, policies=[{"event": "TaskCompleted", "action": "CompleteJob"}]))
    ended = times(rows, "finished")
    assert ended["train-server-0"] <= ended["train-worker-0"] + 31


def test_gangs_wait_for_each_other(pods):
    rows = pods(a_job(a_task("w", 6), name="one"), a_job(a_task("w", 6), name="two"))
    scheduled = times(rows, "scheduled")
    assert len({scheduled[f"one-w-{i}"] for i in range(6)}) == 1
    assert scheduled["two-w-0"] >= times(rows, "finished")["one-w-0"]


def test_other_schedulers_get_the_pods_at_once(pods):
    rows = pods(a_job(a_task("worker", 2)), schedulers="LRP")
    assert [row["phase"] for row in rows] == ["Succeeded", "Succeeded"]


def test_a_circle_is_refused(pods):
    circle = a_job(a_task("a", 1, dependsOn={"name": ["b"]}), a_task("b", 1, dependsOn={"name": ["a"]}))
    with pytest.raises(InputError, match=r"doesn't form a directed acyclic graph\(DAG\); these wait .*: a, b"):
        pods(circle)


class Served:
    """A served cluster with Volcano, spoken to through its API."""

    def __init__(self):
        (entry,) = parse_entries([{"name": "GANG_LRP"}], None, SERVED.version)
        setting = ServedSetting(cluster_of(NODES), entry.schedulers, kubelets=True, controllers=all_names())
        self.cluster = ServedCluster(setting, lambda token: User())
        for group, kind, scope, version in (
            ("batch.volcano.sh", "Job", "Namespaced", "v1alpha1"),
            ("scheduling.volcano.sh", "PodGroup", "Namespaced", "v1beta1"),
            ("scheduling.volcano.sh", "Queue", "Cluster", "v1beta1"),
        ):
            self.ask(
                "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _crd(group, kind, scope, version)
            )
        self.wait(1)

    def ask(self, method, path, document=None):
        body = b"" if document is None else json.dumps(document).encode()
        answer = self.cluster.api.handle(Request(method, path, (), {"content-type": "application/json"}, body))
        assert answer.status < 300, answer.body
        return json.loads(answer.body)

    def wait(self, seconds):
        clock = self.cluster.clock
        clock.run(clock.now + seconds * SECOND)


def _crd(group, kind, scope, version):
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    served = {"name": version, "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "names": names, "scope": scope, "versions": [served]},
    }


def test_a_served_cluster_brings_jobs_to_life():
    served = Served()
    jobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs"
    served.ask("POST", jobs, a_job(a_task("worker", 2, sleep=30)))
    served.wait(5)
    status = served.ask("GET", f"{jobs}/train")["status"]
    assert (status["state"]["phase"], status["running"]) == ("Running", 2)
    (group,) = served.ask("GET", "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups")["items"]
    assert group["status"]["phase"] == "Running"
    served.wait(60)
    assert served.ask("GET", f"{jobs}/train")["status"]["state"]["phase"] == "Completed"
    served.ask("DELETE", f"{jobs}/train")
    served.wait(60)
    assert not served.ask("GET", "/api/v1/namespaces/default/pods")["items"]
