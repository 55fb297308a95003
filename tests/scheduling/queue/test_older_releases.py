"""What the queues of 1.19 to 1.31 did otherwise: which events wake a pod, and when it is tried without one."""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster, ScheduledCluster
from tests.support.objects import a_node, a_pod, node_manifest
from wavetank.scheduling.framework.events import ClusterEvent as E


@pytest.mark.parametrize(
    ("version", "tried"),
    [
        pytest.param((1, 19), [0, 90, 180, 270, 360], id="until 1.23 after a minute, at the next tick of 30 s"),
        pytest.param((1, 23), [0, 90, 180, 270, 360], id="1.23"),
        pytest.param((1, 24), [0, 330], id="from 1.24 after five minutes"),
    ],
)
def test_a_pod_that_no_event_wakes_is_tried_again(version, tried):
    cluster = ScheduledCluster(node_manifest("n"), version=version)
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(400)
    assert cluster.tried("large") == tried


@pytest.mark.parametrize(
    ("version", "tried"),
    [
        pytest.param((1, 20), [0, 0.25], id="until 1.20 at once"),
        pytest.param((1, 21), [0, 2], id="from 1.21 after its back-off"),
        pytest.param((1, 32), [0], id="from 1.32 only if a plugin hopes for it"),
    ],
)
def test_a_new_label_wakes_the_pod_itself(version, tried):
    cluster = ScheduledCluster(node_manifest("n"), version=version)
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(0.25)
    new = cluster.pod("large").copy()
    new.labels = {"app": "web"}
    cluster.store.update(new)
    cluster.run(20)
    assert cluster.tried("large") == tried


SSD = {"nodeSelector": {"disk": "ssd"}}


@pytest.mark.parametrize(
    ("version", "plugin", "event", "waiting", "old", "new", "wakes"),
    [
        pytest.param(
            (1, 21), "NodeAffinity", E.ASSIGNED_POD_DELETE, SSD, a_pod("x", "n"), None, True, id="1.21: any pod ends"
        ),
        pytest.param(
            (1, 22), "NodeAffinity", E.ASSIGNED_POD_DELETE, SSD, a_pod("x", "n"), None, False, id="1.22: not registered"
        ),
        pytest.param((1, 21), "NodeAffinity", E.NODE_ADD, SSD, None, a_node(), True, id="1.21: any node"),
        pytest.param((1, 22), "NodeAffinity", E.NODE_ADD, SSD, None, a_node(), False, id="1.22: a node that fits"),
        pytest.param(
            (1, 31), "PodTopologySpread", E.ASSIGNED_POD_ADD, {}, None, a_pod("x", "n"), False, id="1.31: no affinity"
        ),
        pytest.param(
            (1, 31), "NodeAffinity", E.POD_LABEL, SSD, a_pod("w"), a_pod("w"), True, id="1.31: its own change"
        ),
        pytest.param((1, 32), "NodeAffinity", E.POD_LABEL, SSD, a_pod("w"), a_pod("w"), False, id="1.32: as hinted"),
        pytest.param((1, 31), "NodeAffinity", E.POD_OTHER, SSD, a_pod("w"), a_pod("w"), False, id="only its status"),
    ],
)
def test_events_wake_pods_by_the_rules_of_the_release(version, plugin, event, waiting, old, new, wakes):
    hint = CachedCluster(version=version).framework.hints[plugin].get(event)
    if event is E.POD_OTHER:
        old, new = (status := a_pod("w")), status.copy()
    assert (hint is not None and hint(a_pod("w", **waiting), old, new)) is wakes
