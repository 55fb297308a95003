"""NodePorts: two host ports conflict if protocol and port are equal and the addresses overlap."""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod
from wavetank.scheduling.framework.events import ClusterEvent as E

TAKEN = "node(s) didn't have free ports for the requested pod ports"


def port(number=80, protocol=None, ip=None):
    given = {"containerPort": 8080, "hostPort": number, "protocol": protocol, "hostIP": ip}
    return {key: value for key, value in given.items() if value is not None}


@pytest.mark.parametrize(
    ("held", "wanted", "conflict"),
    [
        pytest.param([port()], [port()], True, id="the same port"),
        pytest.param([port()], [port(81)], False, id="another port"),
        pytest.param([port()], [port(protocol="TCP")], True, id="TCP is the default"),
        pytest.param([port()], [port(protocol="UDP")], False, id="another protocol"),
        pytest.param([port(protocol="SCTP")], [port(protocol="SCTP")], True, id="the same protocol"),
        pytest.param([port(ip="127.0.0.1")], [port(ip="127.0.0.1")], True, id="the same address"),
        pytest.param([port(ip="127.0.0.1")], [port(ip="127.0.0.2")], False, id="two addresses"),
        pytest.param([port(ip="127.0.0.1")], [port()], True, id="all addresses include this one"),
        pytest.param([port()], [port(ip="127.0.0.1")], True, id="this one is in all addresses"),
        pytest.param([port(ip="127.0.0.1")], [port(ip="0.0.0.0")], True, id="0.0.0.0 is all addresses"),
        pytest.param([port(80), port(443)], [port(8443), port(443)], True, id="one of several"),
        pytest.param([{"containerPort": 8080}], [port(8080)], False, id="a container port takes no host port"),
        pytest.param([], [port()], False, id="no ports in use"),
    ],
)
def test_a_port_is_free_unless_one_conflicts(held, wanted, conflict):
    cluster = CachedCluster(a_node("busy"), a_node("free"), a_pod("there", "busy", ports=held))
    assert cluster.feasible(a_pod(ports=wanted)) == ({"free"} if conflict else {"busy", "free"})


@pytest.mark.parametrize(
    ("policy", "conflict"),
    [
        pytest.param({"restartPolicy": "Always"}, True, id="a sidecar keeps its port"),
        pytest.param({}, False, id="an init container does not"),
    ],
)
def test_of_init_containers_only_sidecars_hold_ports(policy, conflict):
    starting = {"name": "i", "image": "app:1", "ports": [port()], **policy}
    cluster = CachedCluster(a_node("n"), a_pod("there", "n", initContainers=[starting]))
    assert cluster.feasible(a_pod(ports=[port()])) == (set() if conflict else {"n"})


def test_the_reason_names_the_ports():
    cluster = CachedCluster(a_node("n"), a_pod("there", "n", ports=[port()]))
    assert cluster.reasons(a_pod(ports=[port()])) == [f"1 {TAKEN}"]


def test_a_port_is_free_again_when_its_pod_is_gone():
    cluster = CachedCluster(a_node("n"), holder := a_pod("there", "n", ports=[port()]))
    cluster.table.remove_pod(holder.uid)
    assert cluster.feasible(a_pod(ports=[port()])) == {"n"}


def test_a_less_important_pod_that_holds_the_port_is_a_victim():
    cluster = CachedCluster(a_node("n"), a_pod("there", "n", ports=[port()]), a_pod("other", "n"))
    preemption = cluster.schedule(a_pod(ports=[port()], priority=10)).preemption
    assert [pod.name for pod in preemption.victims] == ["there"]


@pytest.mark.parametrize(
    ("event", "old", "new", "helps"),
    [
        pytest.param(E.ASSIGNED_POD_DELETE, a_pod("x", "n", ports=[port()]), None, True, id="the holder ends"),
        pytest.param(E.ASSIGNED_POD_DELETE, a_pod("x", "n", ports=[port(81)]), None, False, id="another holder ends"),
        pytest.param(E.ASSIGNED_POD_DELETE, a_pod("x", "n"), None, False, id="a pod without ports ends"),
        pytest.param(E.NODE_ADD, None, a_node("new"), True, id="a node comes"),
    ],
)
def test_an_event_requeues_a_pod_if_it_may_free_the_port(event, old, new, helps):
    hint = CachedCluster().framework.hints["NodePorts"][event]
    assert hint(a_pod(ports=[port()]), old, new) is helps
