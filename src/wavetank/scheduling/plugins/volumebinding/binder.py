"""Finds the volumes for the claims of a pod on a node: existing ones, ones to be provisioned, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.cluster.fields.volumes import Volume
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.storage import (
    LOST,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from wavetank.cluster.rules.volumematching import Candidates, match_volumes
from wavetank.scheduling.framework.storage import Storage

# bits of PodVolumes.refused
ELSEWHERE, NO_VOLUME, NO_SPACE, LOST_VOLUME = 1, 2, 4, 8


class ClaimError(Exception):
    """A claim with which a pod can run nowhere; the message says why."""


@dataclass(slots=True)
class PodClaims:
    """The claims of a pod: bound ones, unbound ones that wait for a node, and those of these that have one selected.

    `immediate` is whether there is an unbound claim that does not wait, which the volume controller must bind first.
    """

    bound: list[PersistentVolumeClaim] = field(default_factory=list)
    waiting: list[Candidates] = field(default_factory=list)
    selected: list[PersistentVolumeClaim] = field(default_factory=list)
    immediate: bool = False


@dataclass(slots=True)
class PodVolumes:
    """What a pod would get on one node; `refused` has a bit for each reason why it cannot run there."""

    bindings: list[tuple[PersistentVolumeClaim, PersistentVolume]] = field(default_factory=list)
    provisions: list[tuple[PersistentVolumeClaim, CSIStorageCapacity | None]] = field(default_factory=list)
    refused: int = 0


class VolumeBinder:
    """Decides how the claims of pods can be met, by what is known and assumed of the storage."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def claims_of(self, pod: Pod) -> PodClaims:
        """Returns the claims of a pod; ClaimError if one is of no use."""
        claims = [claim for volume in pod.spec.volumes if (claim := self._usable(pod, volume)) is not None]
        found = PodClaims()
        for claim in claims:
            self._sort_in(self._storage.assumed(claim), found)
        return found

    def find(self, claims: PodClaims, node: Node) -> PodVolumes:
        """Returns what a pod with these claims would get on a node."""
        found = PodVolumes(refused=self._check_bound(claims.bound, node))
        if any(claim.selected_node != node.name for claim in claims.selected):
            found.refused |= NO_VOLUME
            return found
        found.bindings, unmatched = match_volumes(claims.waiting, node.labels)
        self._provision([*claims.selected, *unmatched], node, found)
        return found

    # looking up

    def _usable(self, pod: Pod, volume: Volume) -> PersistentVolumeClaim | None:
        name = volume.claim_name(pod.name)
        if name is None:
            return None
        claim = self._storage.claim(pod.namespace, name)
        if claim is None:
            raise ClaimError(_MISSING[volume.ephemeral].format(name))
        if claim.phase == LOST:
            lost = f'bound to non-existent persistentvolume "{claim.volume_name}"'
            raise ClaimError(f'persistentvolumeclaim "{name}" {lost}')
        if claim.deleted is not None:
            raise ClaimError(f'persistentvolumeclaim "{name}" is being deleted')
        if volume.ephemeral and claim.owner != pod.uid:
            of_pod = f"pod {pod.namespace}/{pod.name}"
            raise ClaimError(f"PVC {pod.namespace}/{name} was not created for {of_pod} (pod is not owner)")
        return claim

    def _sort_in(self, claim: PersistentVolumeClaim, found: PodClaims) -> None:
        storage_class = self._storage.storage_class(claim.storage_class)
        if claim.bound:
            found.bound.append(claim)
        elif claim.volume_name or storage_class is None or not storage_class.waits:
            found.immediate = True
        elif claim.selected_node is not None:
            found.selected.append(claim)
        else:
            found.waiting.append(Candidates(claim, self._storage.volumes_of(claim.storage_class)))

    # on a node

    def _check_bound(self, claims: list[PersistentVolumeClaim], node: Node) -> int:
        csi_node = self._storage.csi_node(node.name)
        for claim in claims:
            volume = self._storage.volume(claim.volume_name)
            if volume is None:
                return LOST_VOLUME
            if not _reachable(self._storage.assumed(volume), node.labels, csi_node):
                return ELSEWHERE
        return 0

    def _provision(self, claims: list[PersistentVolumeClaim], node: Node, found: PodVolumes) -> None:
        """Sees whether volumes can be made for the claims; the first one for which it cannot decides the reason."""
        for claim in claims:
            storage_class = self._storage.storage_class(claim.storage_class)
            if storage_class is None or not storage_class.provisions or not storage_class.allows(node.labels):
                found.refused |= NO_VOLUME
            else:
                self._check_capacity(claim, storage_class, node, found)
            if found.refused & (NO_VOLUME | NO_SPACE):
                found.provisions = []
                return

    def _check_capacity(
        self, claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, found: PodVolumes
    ) -> None:
        driver = self._storage.driver(storage_class.provisioner)
        if claim.request is None or driver is None or not driver.tracks_capacity:
            found.provisions.append((claim, None))
            return
        for capacity in self._storage.capacities(storage_class.name):
            enough = capacity.largest is not None and capacity.largest >= claim.request
            if enough and capacity.nodes.matches(node.labels):
                found.provisions.append((claim, capacity))
                return
        found.refused |= NO_SPACE


_MISSING = {
    False: 'persistentvolumeclaim "{}" not found',
    True: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "{}"',
}


def _reachable(volume: PersistentVolume, labels: Mapping[str, str], csi_node: CSINode | None) -> bool:
    if volume.plugin is not None and csi_node is not None and volume.plugin.name in csi_node.migrated:
        affinity = volume.migrated_affinity()
        return affinity is None or affinity.matches(labels, "")
    return volume.reachable(labels)
