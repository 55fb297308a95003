"""Pods whose claims let no node do."""

from __future__ import annotations

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
EPHEMERAL = {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}


def terminating(claim):
    claim.deleted = 0
    return claim


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="no claim"),
        pytest.param(
            [a_claim("c", volumeName="gone", phase="Lost")],
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "gone"',
            id="a lost claim",
        ),
        pytest.param([terminating(a_claim("c"))], 'persistentvolumeclaim "c" is being deleted', id="a terminating one"),
        pytest.param([a_claim("c", storage_class="now")], UNBOUND, id="immediate binding"),
        pytest.param([a_claim("c", storage_class="")], UNBOUND, id="no class"),
        pytest.param([a_claim("c", storage_class="unknown")], UNBOUND, id="an unknown class"),
        pytest.param([a_claim("c", volumeName="v")], UNBOUND, id="a volume named, but not bound"),
        pytest.param([a_claim("c", bound_to="gone")], 'persistentvolume "gone" not found', id="its volume is gone"),
    ],
)
def test_a_pod_is_refused_as_a_whole(claims, reason):
    cluster = CachedCluster(a_node("n"), a_class("local"), a_class("now", mode="Immediate"), a_volume("v"), *claims)
    assert cluster.reasons(a_claiming_pod("p", "c")) == [reason]
    _, outcome = cluster.attempt(a_claiming_pod("p", "c"))
    assert not outcome.pre_filter.resolvable
    assert outcome.message == f"0/1 nodes are available: {reason}. not found"


def test_a_missing_claim_is_told_before_a_lost_one_that_stands_first():
    cluster = CachedCluster(a_node("n"), a_class("local"), a_claim("lost", phase="Lost"))
    assert cluster.reasons(a_claiming_pod("p", "lost", "missing")) == ['persistentvolumeclaim "missing" not found']


@pytest.mark.parametrize(
    ("claims", "reasons"),
    [
        pytest.param(
            [],
            ['waiting for ephemeral volume controller to create the persistentvolumeclaim "p-e"'],
            id="not there yet",
        ),
        pytest.param(
            [a_claim("p-e")],
            ["PVC default/p-e was not created for pod default/p (pod is not owner)"],
            id="another pod's",
        ),
        pytest.param([a_claim("p-e", owner="uid-of-p")], [], id="the pod's own"),
    ],
)
def test_an_ephemeral_volume_needs_its_own_claim(claims, reasons):
    cluster = CachedCluster(a_node("n"), a_class("local"), a_volume("v"), *claims)
    assert cluster.reasons(a_claiming_pod("p", volumes=[EPHEMERAL])) == reasons


def test_a_pod_without_claims_passes_all_volume_plugins_by():
    cycle, _ = CachedCluster(a_node("n")).attempt(a_claiming_pod("p", volumes=[{"name": "cache", "emptyDir": {}}]))
    assert {"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"} <= cycle.skipped
