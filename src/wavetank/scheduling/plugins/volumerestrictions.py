from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from wavetank.cluster.fields.volumes import Disk
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.storage import PersistentVolumeClaim
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import PROCEED, SKIP, FilterPlugin, PreFilterPlugin, PreFilterResult, Reason
from wavetank.scheduling.framework.podclaims import named_claims, names_claim
from wavetank.scheduling.framework.storage import Storage


class VolumeRestrictions(PreFilterPlugin, FilterPlugin):
    """Keeps a pod off nodes where one of its disks is in use, and off all if a ReadWriteOncePod claim is in use."""

    name = "VolumeRestrictions"
    DISK = Reason("node(s) had no available disk", resolvable=True)
    CLAIM = Reason(
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
        "another pod",
        resolvable=True,
    )

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def skips_family(self, spec: PodSpec) -> bool:
        """Passes pods without volumes."""
        return not spec.volumes

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Looks up the pod's claims; has nothing to filter unless there are disks, or claims in use."""
        if not cycle.pod.spec.volumes:
            return SKIP
        in_use = False
        for name in named_claims(cycle.pod):
            claim = self._storage.claim(cycle.pod.namespace, name)
            if claim is None:
                return PreFilterResult(rejected=Reason(f'persistentvolumeclaim "{name}" not found', resolvable=False))
            in_use |= "ReadWriteOncePod" in claim.access_modes and _is_used(cycle, claim)
        cycle.state[self.name] = in_use
        return PROCEED if in_use or _disks(cycle.pod) else SKIP

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes by their disks, then by the claims."""
        disks = _disks(cycle.pod)
        conflicts = [_conflict(disks, cycle.table.pods[slot].values()) for slot in nodes.tolist()]
        return np.where(np.array(conflicts, np.bool_), 1, 2 if cycle.state[self.name] else 0)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the reason of a code."""
        return ((self.DISK, self.CLAIM)[code - 1],)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """The end of a pod that had the disk or the claim, a new node, or the claim itself."""
        return {
            ClusterEvent.ASSIGNED_POD_DELETE: _had_a_wanted_volume,
            ClusterEvent.NODE_ADD: always,
            ClusterEvent.CLAIM_ADD: names_claim,
        }


def _disks(pod: Pod) -> list[Disk]:
    return [volume.disk for volume in pod.spec.volumes if volume.disk is not None]


def _is_used(cycle: Cycle, claim: PersistentVolumeClaim) -> bool:
    return any(cycle.table.nodes[slot] is not None for slot in cycle.table.claims.slots(claim.key))


def _conflict(disks: list[Disk], others: Iterable[Pod]) -> bool:
    return bool(disks) and any(
        disk.conflicts(theirs) for pod in others if pod.spec.volumes for theirs in _disks(pod) for disk in disks
    )


def _had_a_wanted_volume(waiting: Pod, old: Pod, new: None) -> bool:
    if waiting.namespace != old.namespace:
        return False
    return _conflict(_disks(waiting), [old]) or not set(named_claims(waiting)).isdisjoint(named_claims(old))
