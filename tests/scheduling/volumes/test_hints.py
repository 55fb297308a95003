"""Which events let a pod try again that a volume plugin has refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume, made
from tests.support.clusters import CachedCluster
from wavetank.scheduling.framework.events import ClusterEvent

CSI = {"name": "inline", "csi": {"driver": "csi.example.com"}}
EPHEMERAL = {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
WAITING = a_claiming_pod("p", "c", volumes=[CSI, EPHEMERAL])


def topologies(zone):
    return a_class("x", allowedTopologies=[{"matchLabelExpressions": [{"key": "zone", "values": [zone]}]}])


def a_driver(tracks):
    return made("CSIDriver", "csi.example.com", spec={"storageCapacity": tracks})


def a_capacity(**fields: Any):
    return made("CSIStorageCapacity", "left", storageClassName="x", **fields)


def a_csi_node(count, migrated=""):
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated}
    drivers = [{"name": "d", "allocatable": {"count": count}}]
    return made("CSINode", "n", metadata={"annotations": annotations}, spec={"drivers": drivers})


def bound(name, *claims):
    pod = a_claiming_pod(name, *claims)
    pod.node_name = "n"
    return pod


E = ClusterEvent


@pytest.mark.parametrize(
    ("plugin", "event", "old", "new", "helps"),
    [
        ("VolumeBinding", E.CLAIM_ADD, None, a_claim("c"), True),
        ("VolumeBinding", E.CLAIM_ADD, None, a_claim("p-e"), True),
        ("VolumeBinding", E.CLAIM_UPDATE, a_claim("d"), a_claim("d"), False),
        ("VolumeBinding", E.VOLUME_ADD, None, a_volume("v"), True),
        ("VolumeBinding", E.STORAGE_CLASS_UPDATE, topologies("a"), topologies("b"), True),
        ("VolumeBinding", E.STORAGE_CLASS_UPDATE, topologies("a"), topologies("a"), False),
        ("VolumeBinding", E.CSI_NODE_UPDATE, a_csi_node(1), a_csi_node(2), False),
        ("VolumeBinding", E.CSI_NODE_UPDATE, a_csi_node(1), a_csi_node(1, "kubernetes.io/aws-ebs"), True),
        ("VolumeBinding", E.CSI_DRIVER_UPDATE, a_driver(True), a_driver(False), True),
        ("VolumeBinding", E.CSI_DRIVER_UPDATE, a_driver(False), a_driver(True), False),
        ("VolumeBinding", E.STORAGE_CAPACITY_UPDATE, a_capacity(capacity="1Gi"), a_capacity(capacity="2Gi"), True),
        ("VolumeBinding", E.STORAGE_CAPACITY_UPDATE, a_capacity(capacity="2Gi"), a_capacity(capacity="1Gi"), False),
        ("VolumeBinding", E.STORAGE_CAPACITY_UPDATE, a_capacity(), a_capacity(capacity="1Gi"), True),
        ("VolumeRestrictions", E.CLAIM_ADD, None, a_claim("c"), True),
        ("VolumeRestrictions", E.CLAIM_ADD, None, a_claim("p-e"), False),
        ("VolumeRestrictions", E.ASSIGNED_POD_DELETE, bound("other", "c"), None, True),
        ("VolumeRestrictions", E.ASSIGNED_POD_DELETE, bound("other", "d"), None, False),
        ("NodeVolumeLimits", E.CSI_NODE_UPDATE, a_csi_node(1), a_csi_node(2), True),
        ("NodeVolumeLimits", E.CSI_NODE_UPDATE, a_csi_node(2), a_csi_node(1), False),
        ("NodeVolumeLimits", E.ASSIGNED_POD_DELETE, bound("other", "d"), None, True),
        ("NodeVolumeLimits", E.ASSIGNED_POD_DELETE, bound("other"), None, False),
        ("NodeVolumeLimits", E.ATTACHMENT_DELETE, made("VolumeAttachment", "va", spec={}), None, True),
        ("VolumeZone", E.STORAGE_CLASS_ADD, None, a_class("x"), True),
        ("VolumeZone", E.STORAGE_CLASS_ADD, None, a_class("x", mode="Immediate"), False),
        (
            "VolumeZone",
            E.VOLUME_UPDATE,
            a_volume("v"),
            a_volume("v", labels={"topology.kubernetes.io/zone": "z"}),
            True,
        ),
        ("VolumeZone", E.VOLUME_UPDATE, a_volume("v"), a_volume("v", labels={"tier": "gold"}), False),
    ],
)
def test_an_event_wakes_a_pod_only_if_it_may_help(plugin, event, old, new, helps):
    hint = CachedCluster().framework.hints[plugin][event]
    assert hint(WAITING, old, new) is helps
