"""Which events requeue a pod that a plugin has rejected, beside those of topologies, ports and volumes."""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod, a_taint
from wavetank.scheduling.framework.events import ClusterEvent as E

SSD = {"nodeSelector": {"disk": "ssd"}}
TOLERANT = {"tolerations": [{"key": "k", "operator": "Exists"}]}
FAST = a_node(labels={"disk": "ssd"})
TAINTED = a_node(taints=[a_taint()])


@pytest.mark.parametrize(
    ("plugin", "event", "waiting", "old", "new", "helps"),
    [
        pytest.param("NodeResourcesFit", E.ASSIGNED_POD_DELETE, {}, a_pod("x", "n"), None, True, id="any pod ends"),
        pytest.param("NodeResourcesFit", E.NODE_ADD, {}, None, a_node(), True, id="a node that is large enough"),
        pytest.param(
            "NodeResourcesFit", E.NODE_ADD, {"cpu": "5"}, None, a_node(), False, id="a node that is too small"
        ),
        pytest.param(
            "NodeResourcesFit",
            E.NODE_ALLOCATABLE,
            {"cpu": "5"},
            a_node(),
            a_node(cpu="8"),
            True,
            id="a node that grows",
        ),
        pytest.param(
            "NodeResourcesFit", E.NODE_ALLOCATABLE, {}, a_node(), a_node(pods="200"), True, id="a node takes more pods"
        ),
        pytest.param(
            "NodeResourcesFit",
            E.NODE_ALLOCATABLE,
            {},
            a_node(),
            a_node(extended={"x.io/gpu": "1"}),
            False,
            id="a resource that the pod does not ask for",
        ),
        pytest.param("NodeAffinity", E.NODE_ADD, SSD, None, FAST, True, id="a node as selected"),
        pytest.param("NodeAffinity", E.NODE_ADD, SSD, None, a_node(), False, id="a node not as selected"),
        pytest.param("NodeAffinity", E.NODE_LABEL, SSD, a_node(), FAST, True, id="a node becomes as selected"),
        pytest.param("NodeAffinity", E.NODE_LABEL, SSD, FAST, FAST, False, id="a node was as selected before"),
        pytest.param("TaintToleration", E.NODE_ADD, {}, None, a_node(), True, id="a node without taints"),
        pytest.param("TaintToleration", E.NODE_ADD, {}, None, TAINTED, False, id="a tainted node"),
        pytest.param(
            "TaintToleration", E.NODE_ADD, TOLERANT, None, TAINTED, True, id="a node whose taint is tolerated"
        ),
        pytest.param("TaintToleration", E.NODE_TAINT, {}, TAINTED, a_node(), True, id="a taint is removed"),
        pytest.param("NodeUnschedulable", E.NODE_ADD, {}, None, a_node(), True, id="a node that is not cordoned"),
        pytest.param(
            "NodeUnschedulable", E.NODE_ADD, {}, None, a_node(unschedulable=True), False, id="a cordoned node"
        ),
    ],
)
def test_an_event_requeues_a_pod_only_if_it_may_help(plugin, event, waiting, old, new, helps):
    hint = CachedCluster().framework.hints[plugin][event]
    assert bool(hint(a_pod(**waiting), old, new)) is helps


@pytest.mark.parametrize(
    ("plugin", "event"),
    [
        ("NodeAffinity", E.ASSIGNED_POD_DELETE),
        ("TaintToleration", E.ASSIGNED_POD_DELETE),
        ("NodeUnschedulable", E.ASSIGNED_POD_DELETE),
        ("NodeResourcesFit", E.ASSIGNED_POD_ADD),
        ("NodePorts", E.ASSIGNED_POD_ADD),
        ("NodeResourcesFit", E.NODE_DELETE),
    ],
)
def test_a_plugin_does_not_listen_to_events_that_never_help(plugin, event):
    assert event not in CachedCluster().framework.hints[plugin]
