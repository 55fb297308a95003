"""Exchanges with misim-orchestration, written from the formats that its adapter publishes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wavetank.cluster.releases import NEWEST
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.misimadapter.cluster import AdapterCluster
from wavetank.misimadapter.server import AdapterServer

Json = dict[str, Any]

_SET = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
_CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"


def a_server(scheduler: str = "default") -> AdapterServer:
    return AdapterServer(AdapterCluster(parse_entries([entry_of(scheduler)], Path(), NEWEST)[0].schedulers, NEWEST))


def a_node(name: str, cpu: str = "4.0", **spec: Any) -> Json:
    amounts = {"cpu": cpu, "memory": "99999999Ki", "pods": "110"}
    status = {"allocatable": amounts, "capacity": amounts, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec, "status": status}


def a_pod(name: str, cpu: str = "1.0", node: str = "") -> Json:
    resources = {"requests": {"cpu": cpu}, "limits": {"cpu": cpu}}
    spec: Json = {"containers": [{"name": "c", "resources": resources}], "schedulerName": "default-scheduler"}
    if node:
        spec["nodeName"] = node
    metadata = {"name": name, "namespace": "default", "uid": name}
    phase = {"phase": "Running" if node else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": phase}


def a_machine_set(name: str, replicas: int, cpu: str = "4", most: int = 3) -> Json:
    annotations = {f"{_SET}min-size": "0", f"{_SET}max-size": str(most)}
    annotations |= {f"{_CAPACITY}cpu": cpu, f"{_CAPACITY}memory": "64G", f"{_CAPACITY}maxPods": "110"}
    metadata = {"name": name, "namespace": "kube-system", "annotations": annotations}
    kind = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineSet"}
    return {**kind, "metadata": metadata, "spec": {"replicas": replicas}}


def a_machine(name: str, machine_set: str, node: str) -> Json:
    owner = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineSet", "name": machine_set}
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Machine",
        "metadata": {"name": name, "namespace": "kube-system", "ownerReferences": [owner]},
        "spec": {"providerID": f"clusterapi://{node}"},
        "status": {"phase": "Running", "nodeRef": {"apiVersion": "v1", "kind": "Node", "name": node}},
    }


def post(server: AdapterServer, path: str, body: Json) -> Json:
    answer = server.handle("POST", path, json.dumps(body).encode())
    assert answer.status == 200, answer.body
    found: Json = json.loads(answer.body)
    return found


def update_nodes(server: AdapterServer, *nodes: Json, **more: Any) -> Json:
    events = [{"type": "ADDED", "object": node} for node in nodes]
    listed = {"apiVersion": "v1", "kind": "NodeList", "items": list(nodes)}
    return post(
        server, "/updateNodes", {"allNodes": listed, "events": events, "machineSets": [], "machines": [], **more}
    )


def update_pods(server: AdapterServer, running: list[Json], pending: list[Json], *deleted: Json) -> Json:
    events = [{"type": "ADDED", "object": pod} for pod in (*running, *pending)]
    events += [{"type": "DELETED", "object": pod} for pod in deleted]
    body = {"allPods": {"items": [*running, *pending]}, "events": events, "podsToBePlaced": {"items": pending}}
    return post(server, "/updatePods", body)


def test_nodes_are_taken_and_sent_back() -> None:
    answer = update_nodes(a_server(), a_node("n1"), a_node("n2"))
    assert list(answer) == ["Updated NodeList with"]
    assert [node["metadata"]["name"] for node in answer["Updated NodeList with"]["items"]] == ["n1", "n2"]


def test_pods_are_bound_or_failed_with_the_schedulers_message() -> None:
    server = a_server()
    update_nodes(server, a_node("n1", "2.0"))
    answer = update_pods(server, [a_pod("old", "1.0", "n1")], [a_pod("fits"), a_pod("large", "3.0")])
    assert answer["Binded"] == [{"Pod": "fits", "Node": "n1"}]
    assert answer["NewNodes"] == answer["DeletedNodes"] == []
    (failed,) = answer["Failed"]
    assert failed["Pod"] == "large"
    assert failed["Message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")


def test_a_failed_pod_is_tried_again_when_it_is_sent_again() -> None:
    server = a_server()
    update_nodes(server, a_node("n1", "1.0"))
    running, waiting = a_pod("one", node="n1"), a_pod("two")
    assert update_pods(server, [running], [waiting])["Failed"][0]["Pod"] == "two"
    assert update_pods(server, [running], [waiting])["Failed"][0]["Pod"] == "two"
    assert update_pods(server, [], [waiting], running)["Binded"] == [{"Pod": "two", "Node": "n1"}]


def test_pods_that_are_no_longer_listed_are_gone() -> None:
    server = a_server()
    update_nodes(server, a_node("n1", "1.0"))
    update_pods(server, [], [a_pod("one")])
    assert update_pods(server, [], [a_pod("two")])["Binded"] == [{"Pod": "two", "Node": "n1"}]


def test_nodes_may_be_modified_and_deleted() -> None:
    server = a_server()
    update_nodes(server, a_node("n1"), a_node("n2"))
    cordoned = a_node("n1", unschedulable=True)
    body = {"allNodes": {"items": [cordoned, a_node("n2")]}, "events": [{"type": "MODIFIED", "object": cordoned}]}
    post(server, "/updateNodes", body)
    bound = update_pods(server, [], [a_pod("a"), a_pod("b")])["Binded"]
    assert [each["Node"] for each in bound] == ["n2", "n2"]
    body = {"allNodes": {"items": [cordoned]}, "events": [{"type": "DELETED", "object": a_node("n2")}]}
    post(server, "/updateNodes", body)
    assert [each["Pod"] for each in update_pods(server, [], [a_pod("c")])["Failed"]] == ["c"]


def test_the_case_of_letters_in_keys_is_ignored() -> None:
    server = a_server()
    post(server, "/updateNodes", {"ALLNODES": {"Items": [a_node("n1")]}})
    body = {"AllPods": {"items": []}, "Events": [], "podstobeplaced": {"items": [a_pod("p")]}}
    assert post(server, "/updatePods", body)["Binded"] == [{"Pod": "p", "Node": "n1"}]


def test_any_scheduler_may_be_behind_it() -> None:
    for scheduler, node in (("best-fit", "small"), ("worst-fit", "big")):
        server = a_server(scheduler)
        update_nodes(server, a_node("big", "8.0"), a_node("small", "2.0"))
        assert update_pods(server, [], [a_pod("p")])["Binded"] == [{"Pod": "p", "Node": node}], scheduler


def test_with_machine_sets_the_autoscaler_adds_nodes_once_per_call() -> None:
    server = a_server()
    machines = {"machineSets": [a_machine_set("small", 1)], "machines": [a_machine("m", "small", "n1")]}
    update_nodes(server, a_node("n1", providerID="clusterapi://n1"), **machines)
    running = [a_pod(f"old-{i}", node="n1") for i in range(4)]
    answer = update_pods(server, running, [a_pod("a"), a_pod("b")])
    assert [node["metadata"]["name"] for node in answer["NewNodes"]] == ["small-machine-1-node"]
    assert answer["NewNodes"][0]["status"]["allocatable"] == {"cpu": "4", "memory": "64G", "pods": "110"}
    assert [bound["Node"] for bound in answer["Binded"]] == ["small-machine-1-node"] * 2
    assert answer["Failed"] == []


def test_a_pod_that_fits_no_machine_set_fails() -> None:
    server = a_server()
    update_nodes(server, a_node("n1"), machineSets=[a_machine_set("small", 0)], machines=[])
    answer = update_pods(server, [], [a_pod("large", "9.0")])
    assert (answer["Binded"], answer["NewNodes"]) == ([], [])
    assert answer["Failed"][0]["Pod"] == "large"


def test_no_machine_set_grows_above_its_maximum() -> None:
    server = a_server()
    update_nodes(server, a_node("n1", "0.5"), machineSets=[a_machine_set("small", 0, most=1)], machines=[])
    answer = update_pods(server, [], [a_pod(f"p{i}", "3.0") for i in range(2)])
    assert len(answer["NewNodes"]) == len(answer["Binded"]) == len(answer["Failed"]) == 1


def test_events_are_those_of_the_scheduler_and_of_the_autoscaler() -> None:
    server = a_server()
    update_nodes(server, a_node("n1", "0.5"), machineSets=[a_machine_set("small", 0)], machines=[])
    update_pods(server, [], [a_pod("p")])
    scheduler = json.loads(server.handle("GET", "/getEventsApiEvents", b"").body)
    assert scheduler["apiVersion"] == "events.k8s.io/v1"
    assert [event["reason"] for event in scheduler["items"]] == ["FailedScheduling", "Scheduled"]
    assert scheduler["items"][1]["note"] == "Successfully assigned default/p to small-machine-0-node"
    autoscaler = json.loads(server.handle("GET", "/getCoreApiEvents", b"").body)
    assert "TriggeredScaleUp" in {event["reason"] for event in autoscaler["items"]}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/updateNodes", b"{", "expected JSON"),
        ("/updateNodes", b"[]", "expected an object, got []"),
        ("/updateNodes", b'{"allNodes": 3}', "allNodes: expected an object, got 3"),
        ("/updateNodes", b'{"allNodes": {"items": 3}}', "allNodes.items: expected a list, got 3"),
        ("/updateNodes", b'{"allNodes": {"items": [{}]}}', "allNodes.items[0]: expected a Node with metadata.name"),
        ("/updateNodes", b'{"machineSets": [3]}', "machineSets[0]: expected a MachineSet with metadata.name"),
        ("/updatePods", b'{"events": [{"type": "NEW"}]}', "events[0].type: expected ADDED, MODIFIED, DELETED"),
        ("/updatePods", b'{"podsToBePlaced": {"items": [{"kind": "Node", "metadata": {"name": "n"}}]}}', "a Node"),
    ],
)
def test_a_malformed_body_is_answered_with_400_and_changes_nothing(path: str, body: bytes, message: str) -> None:
    server = a_server()
    update_nodes(server, a_node("n1"))
    answer = server.handle("POST", path, body)
    assert answer.status == 400
    assert message in json.loads(answer.body)["error"]
    assert update_pods(server, [], [a_pod("p")])["Binded"] == [{"Pod": "p", "Node": "n1"}]


def test_other_paths_and_methods_are_refused() -> None:
    assert a_server().handle("GET", "/updateNodes", b"").status == 405
    assert a_server().handle("GET", "/api/v1/nodes", b"").status == 404


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("allNodes", {"items": [{**a_node("n"), "status": {"allocatable": {"cpu": "many"}}}]}, "allNodes.items[0]."),
        ("allNodes", {"items": [{**a_node("n"), "status": {"allocatable": 3}}]}, "allNodes.items[0]: not a valid Node"),
        ("allNodes", {"items": [{**a_node("n"), "spec": 3}]}, "allNodes.items[0].spec: "),
        ("allNodes", {"items": [{**a_node("n"), "status": {}}]}, "allNodes.items[0].status.allocatable: a Node needs"),
        (
            "machines",
            [{"metadata": {"name": "m", "ownerReferences": [3]}}],
            "machines[0].metadata.ownerReferences[0]: ",
        ),
        ("machines", [{"metadata": {"name": "m"}, "status": {"nodeRef": 3}}], "machines[0].status.nodeRef: "),
    ],
)
def test_a_bad_object_is_answered_with_400(field: str, value: Any, message: str) -> None:
    answer = a_server().handle("POST", "/updateNodes", json.dumps({field: value}).encode())
    assert answer.status == 400
    assert json.loads(answer.body)["error"].startswith(message)
