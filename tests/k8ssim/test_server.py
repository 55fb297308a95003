"""K8sSim's own interface: what its servers answer, whatever carries the requests."""

import json

import pytest
import yaml

from tests.support.objects import a_taint, node_manifest, pod_manifest
from tests.support.waiting import eventually
from wavetank.k8ssim.server import K8sSimServer

CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: gang
- plugins:
  - name: predicates
  - name: nodeorder
    arguments: {leastrequested.weight: %d, mostrequested.weight: %d, balancedresource.weight: 0}
"""
LRP, MRP = CONF % (1, 0), CONF % (0, 1)


def a_k8ssim_node(name, cpu, **fields):
    return node_manifest(name, cpu=cpu, memory="16Gi", labels={"zone": "a"}, **fields)


NODES = yaml.safe_dump({"cluster": [a_k8ssim_node("small", 4), a_k8ssim_node("large", 8)]})


def a_job(name, at=0, replicas=2, epochs=1):
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1.1", "memory": "1Gi"}}
    container = {"name": "c", "image": "i", "command": ["python3", "x", f"--epochs={epochs}"], "resources": resources}
    labels = {"job": name, "jobTaskNumber": str(replicas), "terminationLimit": "0"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "restartPolicy": "OnFailure"}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default", "labels": {"sub-time": str(at)}},
        "spec": {"minAvailable": replicas, "tasks": [{"name": "t", "replicas": replicas, "template": template}]},
    }


JOBS = yaml.safe_dump({"jobs": [a_job("one"), a_job("two", at=30, replicas=1)]})


def a_k8ssim_pod(name, start, scheduler="linc-scheduler-lrp"):
    annotations = {"simSpec": "- seconds: 10\n"}
    return {"pod": pod_manifest(name, annotations=annotations, schedulerName=scheduler), "startTime": start}


PODS = yaml.safe_dump([a_k8ssim_pod("a", 0), a_k8ssim_pod("b", 2), a_k8ssim_pod("c", 4)])


class Client:
    """Speaks to the server as K8sSim's clients do to its server."""

    def __init__(self, **options):
        self.server = K8sSimServer(**options)

    def ask(self, path, **given):
        status, body = self.server.handle(path, json.dumps(given).encode())
        assert status == 200, body
        return json.loads(body)

    def refused(self, path, **given):
        status, body = self.server.handle(path, json.dumps(given).encode())
        assert status in (400, 404)
        return json.loads(body)["error"]

    def step(self, conf):
        assert self.ask("/step", conf=conf) == 1
        return eventually(lambda: self.ask("/stepResult"), "the step never ends")


@pytest.fixture
def client():
    made = Client()
    yield made
    made.server.close()


def nodes_of(state):
    return {name: task["NodeName"] for job in state["Jobs"].values() for name, task in job["Tasks"].items()}


def test_a_reset_tells_the_nodes_and_nothing_else(client):
    state = client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    assert {key: state[key] for key in ("Jobs", "Nodes", "NotCompletion", "done", "pods")} == {
        "Jobs": None,
        "Nodes": None,
        "NotCompletion": False,
        "done": False,
        "pods": None,
    }
    assert state["clock"] == "0001-01-01 00:00:00 +0000 UTC"
    small = state["nodes"][0]
    assert small["metadata"]["name"] == "small"
    assert small["status"]["capacity"]["cpu"] == "0"  # what is used, in K8sSim's way
    assert small["status"]["allocatable"]["cpu"] == 4


def test_a_step_runs_to_the_end_and_tells_what_k8ssims_client_reads(client):
    client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    state = client.step(LRP)
    assert state["done"]
    assert not state["NotCompletion"]
    task = state["Jobs"]["default/one"]["Tasks"]["default-one-t-0"]
    assert (task["NodeName"], task["Status"]) == ("large", 128)
    # made in 2 s; 135 / 0.8 = 169 seconds
    assert task["SimEndTimestamp"] == "0001-01-01T00:02:50Z"
    pod = task["Pod"]
    assert pod["status"]["phase"] == "Succeeded"
    assert pod["metadata"]["creationTimestamp"] is None  # Go's zero time
    assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["startedAt"] is None
    assert pod["metadata"]["labels"]["jobTaskNumber"] == "2"
    assert state["Jobs"]["default/two"]["CreationTimestamp"] == "0001-01-01T00:00:30Z"
    assert len(state["pods"]) == 3


def test_the_algorithm_may_change_from_step_to_step(client):
    client.ask("/reset", period="20", nodes=NODES, workload=JOBS)
    first = client.step(LRP)
    assert first["clock"] == "0001-01-01 00:00:20 +0000 UTC"
    assert not first["done"]
    # by LRP 84 on small and 90 on large; then 84 and 81
    assert nodes_of(first) == {"default-one-t-0": "large", "default-one-t-1": "small"}
    assert first["Nodes"]["large"]["Used"]["MilliCPU"] == 1000
    state = client.step(MRP)  # job two comes at 30: 2 of 4 CPU are more than 2 of 8
    assert nodes_of(state)["default-two-t-0"] == "small"
    steps = 2
    while not state["done"]:
        state = client.step(LRP)
        steps += 1
    assert steps == 10  # job two ends at 200


def test_a_step_in_which_nothing_happens_is_as_long_as_any(client):
    client.ask("/reset", period="20", nodes=NODES, workload=yaml.safe_dump({"jobs": [a_job("late", at=50)]}))
    clocks = [client.step(LRP)["clock"][14:19] for _ in range(3)]
    assert clocks == ["00:20", "00:40", "01:00"]
    assert nodes_of(client.ask("/stepResult")) == {"default-late-t-0": "large", "default-late-t-1": "small"}


def test_another_algorithm_another_place(client):
    client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    assert set(nodes_of(client.step(MRP)).values()) == {"small"}


def test_the_result_anyway_needs_no_end(client):
    client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    state = client.ask("/stepResultAnyway")
    assert state["NotCompletion"]
    assert list(state["Jobs"]) == ["default/one"]
    assert set(state) == {"Jobs", "Nodes", "NotCompletion"}


def test_a_job_that_can_never_run_does_not_hang_the_server(client):
    jobs = yaml.safe_dump({"jobs": [a_job("huge", replicas=20)]})
    client.ask("/reset", period="-1", nodes=NODES, workload=jobs)
    state = client.step(LRP)
    assert not state["done"]
    assert set(nodes_of(state).values()) == {""}


def test_the_kubernetes_half_answers_at_once(client):
    state = client.ask("/reset", nodes=NODES, workload=PODS)
    assert [pod["metadata"]["name"] for pod in state["pods"]] == ["a"]
    assert "nodeName" not in state["pods"][0]["spec"]
    for action in (2, 3, 3, 2, 2):
        state = client.ask("/step", action=action)
    places = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in state["pods"]}
    # b by MRP: 25 and 6 on small, 25 and 12 on large; c by LRP: 75 and 93 on small, 62 and 81 on large
    assert places == {"a": "large", "b": "large", "c": "small"}
    assert state["clock"] == "0001-01-01 00:00:05 +0000 UTC"
    while not state["done"]:
        state = client.ask("/step", action=-1)
    assert state["clock"] == "0001-01-01 00:00:14 +0000 UTC"


def test_compat_is_what_k8ssim_itself_does():
    tainted = a_k8ssim_node("large", 8, taints=[a_taint("a")])
    nodes = yaml.safe_dump({"tick": 5, "cluster": [a_k8ssim_node("small", 2), tainted]})
    for compat, place in ((True, "large"), (False, "small")):
        client = Client(compat=compat)
        client.ask("/reset", nodes=nodes, workload=PODS)
        state = client.ask("/step", action=2)
        assert state["clock"] == "0001-01-01 00:00:05 +0000 UTC"
        assert state["pods"][0]["spec"]["nodeName"] == place


def test_bad_requests_get_one_clear_message(client):
    assert client.refused("/step", conf=LRP) == "no simulation: start one with /reset"
    assert client.refused("/nowhere").startswith("there is no /nowhere: expected one of /reset, /step")
    assert client.refused("/reset", nodes=NODES) == "workload: expected a text, got None"
    assert client.refused("/reset", nodes="x: 1", workload=JOBS).startswith("nodes: expected K8sSim's nodes")
    assert client.refused("/reset", nodes=NODES, workload=JOBS, period="soon").startswith("period: expected a number")
    assert client.refused("/reset", nodes=NODES, workload="jobs: [{}]").startswith("workload: jobs[0]")
    client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    assert "failed to find Action 'enqueu' (did you mean enqueue?)" in client.refused(
        "/step", conf='actions: "enqueu, allocate"\ntiers: []\n'
    )
    assert client.refused("/step", action=1) == "conf: expected a text, got None"
    client.ask("/reset", nodes=NODES, workload=PODS)
    assert client.refused("/step", conf=LRP) == "action: expected a number, got None"
    assert client.refused("/step", action=12).startswith("there is no action 12: expected one of 1 EP, 2 LRP")
    assert json.loads(client.server.handle("/step", b"{").body)["error"].startswith("expected JSON")
    assert json.loads(client.server.handle("/step", b"[]").body)["error"] == "expected a JSON object, got []"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"none": ""}', b"\xff"])
@pytest.mark.parametrize("path", ["/stepResult", "/stepResultAnyway"])
def test_requests_for_results_may_have_any_body(client, path, body):
    client.ask("/reset", period="-1", nodes=NODES, workload=JOBS)
    client.step(LRP)
    status, answer = client.server.handle(path, body)
    assert (status, json.loads(answer)["NotCompletion"]) == (200, False)
    assert set(json.loads(answer)["Jobs"]) == {"default/one", "default/two"}


def test_before_the_first_reset_there_are_no_results(client):
    empty = {"Jobs": {}, "Nodes": {}, "NotCompletion": False}
    assert client.ask("/stepResultAnyway") == empty
    clock = "0001-01-01 00:00:00 +0000 UTC"
    assert client.ask("/stepResult") == {**empty, "done": True, "nodes": None, "pods": None, "clock": clock}
