"""The volume controllers and the provisioner of a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.cluster.fields.volumes import Volume
from wavetank.cluster.objects.groupkinds import CSI_STORAGE_CAPACITY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.objects.storage import (
    AVAILABLE,
    BIND_COMPLETED,
    BOUND,
    SELECTED_NODE,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
)
from wavetank.cluster.store.patch import merge_patch
from wavetank.errors import InputError
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.verification.decisions.recording import Attempt, Recording, Step


class RecordedVolumeControllers:
    """Keeps volumes and claims as recorded, without delays; a claim's uid is namespace/name."""

    def __init__(self, recording: Recording, listers: Listers, table: NodeTable) -> None:
        self._listers = listers
        self._table = table
        self._provisioner = recording.provisioner
        self._fails = set(recording.provisioner.fail_first)
        self._has_equal_volumes = recording.options.get("pv_size_ties", False)
        for manifest in recording.persistentVolumes:
            self._set(PersistentVolume(_with_real_uid(manifest)))
        for manifest in recording.persistentVolumeClaims:
            self._set_claim(manifest, terminating=bool(manifest.get("_terminating")))

    # steps

    def bind_new_volume(self, step: Step) -> None:
        """Creates the volume of a step and binds a claim to it."""
        volume = PersistentVolume(_given(step.pv, "pv"))
        self._set(volume)
        self._bind(f"{step.namespace}/{step.name}", volume.name)

    def patch(self, step: Step) -> None:
        """Changes a CSIStorageCapacity."""
        found = self._listers.find(CSI_STORAGE_CAPACITY, (step.namespace or "", step.name or ""))
        if step.resource != "csistoragecapacities" or found is None:
            raise InputError(f"object_patch of {step.resource} {step.name!r}, which is not there", path="steps")
        self._set(CSIStorageCapacity(merge_patch(found.manifest, _given(step.patch, "patch"))))

    def create_claims(self, pod: Pod) -> None:
        """Creates the claims of a pod's ephemeral volumes, unless they exist."""
        templates = {volume.get("name"): volume for volume in pod.spec.manifest.get("volumes") or ()}
        for volume in pod.spec.volumes:
            if volume.ephemeral and self._claim(f"{pod.namespace}/{volume.claim_name(pod.name)}") is None:
                self._create_claim(pod, volume, templates[volume.name]["ephemeral"]["volumeClaimTemplate"])

    def _create_claim(self, pod: Pod, volume: Volume, template: Manifest) -> None:
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
        metadata = {
            **(template.get("metadata") or {}),
            "name": volume.claim_name(pod.name),
            "namespace": pod.namespace,
            "ownerReferences": [owner],
        }
        self._set_claim({**template, "metadata": metadata})

    # attempts

    def prefer_recorded(self, attempt: Attempt) -> None:
        """Lists the recorded volumes first: among equal ones the real choice depends on Go's map order."""
        if self._has_equal_volumes:
            storage = self._listers.storage
            found = dict.fromkeys(name for matches in attempt.pv_matches.values() for name in matches.values())
            others = (volume.name for volume in storage.volumes() if volume.name not in found)
            for name in (*found, *others):
                volume = storage.volume(name)
                if volume is not None:
                    self._set(volume)

    def objection(self, claims: Iterable[str]) -> str:
        """Returns why volumes for these claims are not provisioned in time, or ""; `prebind_error` in the record."""
        for claim in sorted(claims):
            if claim in self._provisioner.never:
                return "binding volumes: context deadline exceeded"
            if claim in self._fails:
                return f'binding volumes: provisioning failed for PVC "{claim.partition("/")[2]}"'
        return ""

    def settle(self, attempt: Attempt) -> None:
        """Binds and provisions the volumes of an attempt, as far as the record says that it succeeded."""
        for claim, volume in attempt.pv_bindings.items():
            self._bind(claim, volume)
        for claim, node_name in attempt.provision.items():
            if claim in self._fails:
                self._fails.discard(claim)
            elif claim in self._provisioner.never:
                self._change(claim, {"metadata": {"annotations": {SELECTED_NODE: node_name}}})
            else:
                self._provision(claim, node_name)

    def _provision(self, key: str, node_name: str) -> None:
        claim = self._existing(key)
        spec = {
            **{field: claim.manifest["spec"].get(field) for field in ("accessModes", "storageClassName", "volumeMode")},
            "capacity": {"storage": str(claim.request or 0)},
            "csi": {"driver": self._driver(claim), "volumeHandle": f"handle-{key}"},
        }
        topology = self._provisioner.topologyKey
        node = self._table.nodes[self._table.slots[node_name]]
        if topology is not None and isinstance(node, Node) and topology in node.labels:
            expression = {"key": topology, "operator": "In", "values": [node.labels[topology]]}
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
        name = f"pvc-{claim.namespace}-{claim.name}"
        self._set(PersistentVolume({"metadata": {"name": name}, "spec": spec, "status": {"phase": AVAILABLE}}))
        self._bind(key, name)

    def _driver(self, claim: PersistentVolumeClaim) -> str:
        storage_class = self._listers.storage.storage_class(claim.storage_class)
        return storage_class.provisioner if storage_class else ""

    def _bind(self, key: str, volume_name: str) -> None:
        namespace, _, name = key.partition("/")
        claim_ref = {"namespace": namespace, "name": name, "uid": key}
        bound = {"spec": {"claimRef": claim_ref}, "status": {"phase": BOUND}}
        volume = self._listers.storage.volume(volume_name)
        if volume is None:
            raise InputError(f"{key} is bound to a volume {volume_name!r} that is not there", path="results")
        self._set(PersistentVolume(merge_patch(volume.manifest, bound)))
        metadata, spec = {"annotations": {BIND_COMPLETED: "yes"}}, {"volumeName": volume_name}
        self._change(key, {"metadata": metadata, "spec": spec, "status": {"phase": BOUND}})

    # objects

    def _change(self, key: str, patch: Mapping[str, Any]) -> None:
        self._set_claim(merge_patch(self._existing(key).manifest, patch))

    def _existing(self, key: str) -> PersistentVolumeClaim:
        claim = self._claim(key)
        if claim is None:
            raise InputError(f"there is no claim {key}", path="results")
        return claim

    def _claim(self, key: str) -> PersistentVolumeClaim | None:
        namespace, _, name = key.partition("/")
        return self._listers.storage.claim(namespace, name)

    def _set_claim(self, manifest: Manifest, terminating: bool = False) -> None:
        claim = PersistentVolumeClaim(manifest)
        claim.uid = f"{claim.namespace}/{claim.name}"
        claim.deleted = 0 if terminating else None
        self._set(claim)

    def _set(self, resource: Resource) -> None:
        self._listers.set(resource)
        self._table.version += 1


def _with_real_uid(manifest: Manifest) -> Manifest:
    """Fills in the uid of the claim that a volume is bound to, where the record has a placeholder for it."""
    ref = manifest["spec"].get("claimRef") or {}
    if ref.get("uid") != "-":
        return manifest
    filled: Manifest = merge_patch(manifest, {"spec": {"claimRef": {"uid": f"{ref['namespace']}/{ref['name']}"}}})
    return filled


def _given(value: dict[str, Any] | None, field: str) -> dict[str, Any]:
    if value is None:
        raise InputError(f"a step lacks its {field}", path="steps")
    return value
