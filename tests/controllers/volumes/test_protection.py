"""Volumes, claims and attribute classes that are in use outlive their deletion until nothing uses them."""

from __future__ import annotations

from typing import Any

from tests.controllers.clusters import ControllerCluster

CLASS = "storage.k8s.io/v1"


class StorageCluster(ControllerCluster):
    """A cluster with a class that provisions volumes at once."""

    def __init__(self) -> None:
        super().__init__()
        head = {"apiVersion": CLASS, "kind": "StorageClass", "metadata": {"name": "now"}}
        self.create({**head, "provisioner": "csi.example.com", "volumeBindingMode": "Immediate"})

    def claim(self, **spec: Any) -> None:
        given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
        head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "default"}}
        self.create({**head, "spec": {"storageClassName": "now", **given}})

    def user(self, name: str = "p") -> None:
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": "c"}}
        spec = {"containers": [{"name": "main", "image": "app"}], "volumes": [volume]}
        self.create(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
        )

    def delete(self, kind: str, name: str, namespace: str = "default") -> None:
        self.client.delete(self.store.get(kind, namespace, name))
        self.run()

    def has(self, kind: str) -> bool:
        return bool(list(self.store.list(kind)))


def test_a_claim_that_no_pod_uses_goes_with_its_volume() -> None:
    cluster = StorageCluster()
    cluster.claim()
    assert cluster.status("PersistentVolumeClaim", "c")["capacity"] == {"storage": "1Gi"}
    cluster.delete("PersistentVolumeClaim", "c")
    assert not cluster.has("PersistentVolumeClaim")
    assert not cluster.has("PersistentVolume")


def test_a_claim_stays_until_its_last_pod_is_gone() -> None:
    cluster = StorageCluster()
    cluster.claim()
    cluster.user("a")
    cluster.user("b")
    cluster.start()
    cluster.delete("PersistentVolumeClaim", "c")
    cluster.end(cluster.pods()[0], "Succeeded")
    cluster.delete("Pod", "a")
    cluster.remove_deleted()
    assert cluster.get("PersistentVolumeClaim", "c").deleted is not None
    cluster.delete("Pod", "b")
    cluster.remove_deleted()
    assert not cluster.has("PersistentVolumeClaim")


def test_a_pod_without_a_node_does_not_keep_its_claim() -> None:
    cluster = StorageCluster()
    cluster.claim()
    cluster.user()
    cluster.delete("PersistentVolumeClaim", "c")
    assert not cluster.has("PersistentVolumeClaim")


def test_a_bound_volume_stays_until_its_claim_is_gone() -> None:
    cluster = StorageCluster()
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}}
    spec = {"capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "now"}
    path = {"hostPath": {"path": "/v"}, "persistentVolumeReclaimPolicy": "Retain"}
    cluster.create({**head, "spec": {**spec, **path}})
    cluster.claim(volumeName="v")
    cluster.delete("PersistentVolume", "v", "")
    assert cluster.store.get("PersistentVolume", "", "v").deleted is not None
    cluster.delete("PersistentVolumeClaim", "c")
    assert not cluster.has("PersistentVolume")


def test_an_attributes_class_stays_while_a_claim_names_it() -> None:
    cluster = StorageCluster()
    head = {"apiVersion": CLASS, "kind": "VolumeAttributesClass", "metadata": {"name": "fast"}}
    cluster.create({**head, "driverName": "csi", "parameters": {"iops": "9000"}})
    cluster.claim(volumeAttributesClassName="fast")
    cluster.delete("VolumeAttributesClass.storage.k8s.io", "fast", "")
    assert cluster.has("VolumeAttributesClass.storage.k8s.io")
    cluster.delete("PersistentVolumeClaim", "c")
    assert not cluster.has("VolumeAttributesClass.storage.k8s.io")
