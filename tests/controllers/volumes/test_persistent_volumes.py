"""What becomes of claims and volumes in a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.objects import ZONE, node_manifest, pod_manifest
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.volumes.attaching import attach_volume_controllers
from wavetank.kernel.clock import Clock

SELECTED = "volume.kubernetes.io/selected-node"


def a_store(*manifests: dict[str, Any], on_demand: bool = False) -> Store:
    store = Store(Clock())
    for manifest in manifests:
        store.create(parse_resource(manifest, store.specs))
    attach_volume_controllers(store, on_demand)
    return store


def add(store: Store, manifest: dict[str, Any]) -> None:
    store.create(parse_resource(manifest, store.specs))


def a_class(name: str = "now", mode: str = "Immediate", provisioner: str = "csi.example.com", **fields: Any):
    metadata = {"name": name, **fields.pop("metadata", {})}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata}
    return {**head, "provisioner": provisioner, "volumeBindingMode": mode, **fields}


def a_volume(name: str, size: str = "10Gi", **spec: Any):
    given = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": "now", **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": given}


def a_claim(name: str = "c", size: str = "5Gi", storage_class: str | None = "now", **spec: Any):
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    if storage_class is not None:
        given["storageClassName"] = storage_class
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": given}


def claim(store: Store, name: str = "c") -> Any:
    return store.get("PersistentVolumeClaim", "default", name)


def volume(store: Store, name: str) -> Any:
    return store.get("PersistentVolume", "", name)


def volume_names(store: Store) -> list[str]:
    return [item.name for item in store.list("PersistentVolume")]


def test_a_claim_is_bound_to_the_smallest_volume_that_fits():
    store = a_store(
        a_class(provisioner="kubernetes.io/no-provisioner"), a_volume("big", "50Gi"), a_volume("fit", "6Gi")
    )
    add(store, a_claim())
    assert claim(store).bound
    assert claim(store).volume_name == "fit"
    assert (volume(store, "fit").phase, volume(store, "fit").claim.uid) == ("Bound", claim(store).uid)
    assert volume(store, "big").phase == "Available"


def test_a_volume_that_comes_later_is_taken_too():
    store = a_store(a_class(provisioner="kubernetes.io/no-provisioner"), a_claim())
    assert not claim(store).bound
    add(store, a_volume("late"))
    assert claim(store).volume_name == "late"


def test_two_claims_never_share_a_volume():
    store = a_store(a_class(provisioner="kubernetes.io/no-provisioner"), a_claim("c"), a_claim("d"), a_volume("v"))
    assert sorted([claim(store, "c").volume_name, claim(store, "d").volume_name]) == ["", "v"]


def test_a_volume_is_made_for_a_claim_that_need_not_wait():
    store = a_store(a_class(), a_claim(size="3Gi"))
    made = volume(store, f"pvc-{claim(store).uid}")
    assert claim(store).bound
    assert (made.capacity, made.phase, made.csi[0]) == (3 << 30, "Bound", "csi.example.com")


def test_a_claim_that_waits_gets_its_volume_when_a_node_is_selected():
    waits = a_class(mode="WaitForFirstConsumer")
    topology = {"name": "csi.example.com", "nodeID": "n", "topologyKeys": [ZONE]}
    csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"}}
    store = a_store(waits, a_claim(), node_manifest("n", zone="z1"), {**csi_node, "spec": {"drivers": [topology]}})
    assert volume_names(store) == []
    store.patch("PersistentVolumeClaim", "default", "c", {"metadata": {"annotations": {SELECTED: "n"}}})
    made = volume(store, claim(store).volume_name)
    assert claim(store).bound
    assert made.reachable({ZONE: "z1"})
    assert not made.reachable({ZONE: "z2"})


def test_a_volume_that_a_scheduler_has_claimed_is_bound():
    store = a_store(a_class(mode="WaitForFirstConsumer"), a_volume("v"), a_claim())
    assert not claim(store).bound
    ref = {"namespace": "default", "name": "c", "uid": claim(store).uid}
    store.patch("PersistentVolume", "", "v", {"spec": {"claimRef": ref}})
    assert (claim(store).volume_name, volume(store, "v").phase) == ("v", "Bound")


def test_a_claim_without_a_class_gets_the_default_one():
    default = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    store = a_store(a_class("other"), a_class("standard", metadata=default), a_claim(storage_class=None))
    assert claim(store).storage_class == "standard"
    assert claim(store).bound


def test_a_claim_of_no_class_stays_without():
    default = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    store = a_store(a_class("standard", metadata=default), a_claim(storage_class=""))
    assert not claim(store).bound


@pytest.mark.parametrize(("policy", "left"), [("Delete", []), ("Retain", [("pv", "Released")])])
def test_the_volume_of_a_claim_that_is_gone_is_reclaimed(policy, left):
    store = a_store(a_class(), a_volume("pv", persistentVolumeReclaimPolicy=policy), a_claim())
    store.delete(claim(store))
    assert [(item.name, item.phase) for item in store.list("PersistentVolume")] == left


def test_a_snapshot_stays_what_it_is():
    pending = {**a_volume("v"), "status": {"phase": "Pending"}}
    store = a_store(a_class(), pending, a_claim(), on_demand=True)
    assert (volume(store, "v").phase, claim(store).bound) == ("Pending", False)


EPHEMERAL = {"name": "e", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}}}}


def a_pod_with_its_own_claim():
    template = {**EPHEMERAL["ephemeral"]["volumeClaimTemplate"], "spec": a_claim()["spec"]}
    return pod_manifest("p", volumes=[{**EPHEMERAL, "ephemeral": {"volumeClaimTemplate": template}}])


def test_an_ephemeral_volume_lives_as_long_as_its_pod():
    store = a_store(a_class())
    add(store, a_pod_with_its_own_claim())
    pod = store.get("Pod", "default", "p")
    assert (claim(store, "p-e").owner, claim(store, "p-e").labels) == (pod.uid, {"a": "b"})
    assert claim(store, "p-e").bound
    store.delete(pod)
    assert list(store.list("PersistentVolumeClaim")) == []
    assert volume_names(store) == []


def test_a_claim_of_that_name_with_another_owner_is_not_changed():
    store = a_store(a_class(), a_claim("p-e"))
    add(store, a_pod_with_its_own_claim())
    assert claim(store, "p-e").owner == ""
    store.delete(store.get("Pod", "default", "p"))
    assert claim(store, "p-e").bound
