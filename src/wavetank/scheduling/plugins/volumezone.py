from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from wavetank.cluster.fields.csimigration import BETA_ZONE, ZONE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import PROCEED, SKIP, FilterPlugin, PreFilterPlugin, PreFilterResult, Reason
from wavetank.scheduling.framework.podclaims import named_claims, names_claim
from wavetank.scheduling.framework.storage import Storage

_REGION, _BETA_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
_LABELS = (BETA_ZONE, _BETA_REGION, ZONE, _REGION)
_PRESENT_LABEL = {BETA_ZONE: ZONE, _BETA_REGION: _REGION}

_Zones = tuple[str, frozenset[str]]  # a label, and the values that a node may have


class _ClaimError(Exception):
    """A claim that no node can serve; the message says why."""


class VolumeZone(PreFilterPlugin, FilterPlugin):
    """Keeps a pod in the zones and regions that the labels of its volumes name."""

    name = "VolumeZone"
    OTHER_ZONE = Reason("node(s) had no available volume zone", resolvable=False)

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def skips_family(self, spec: PodSpec) -> bool:
        """Passes pods without volumes."""
        return not spec.volumes

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Collects the zones of the volumes that the pod's claims are bound to."""
        if not cycle.pod.spec.volumes:
            return SKIP
        try:
            zones = list(self._zones(cycle.pod))
        except _ClaimError as error:
            return PreFilterResult(rejected=Reason(str(error), resolvable=False))
        cycle.state[self.name] = zones
        return PROCEED if zones else SKIP

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes of other zones; a node without any such label passes."""
        zones: list[_Zones] = cycle.state[self.name]
        found = (cycle.table.nodes[slot] for slot in nodes)
        return np.array([_lies_elsewhere(node.labels, zones) for node in found if node is not None], np.int64)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the one reason there is."""
        return (self.OTHER_ZONE,)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Nodes, the pod's claims, volumes with other zones, and classes that wait for their first consumer."""
        return {
            ClusterEvent.STORAGE_CLASS_ADD: lambda waiting, old, new: new.waits,
            ClusterEvent.NODE_ADD: always,
            ClusterEvent.NODE_LABEL: always,
            ClusterEvent.CLAIM_ADD: names_claim,
            ClusterEvent.CLAIM_UPDATE: names_claim,
            ClusterEvent.VOLUME_ADD: always,
            ClusterEvent.VOLUME_UPDATE: lambda waiting, old, new: list(_zones_of(old)) != list(_zones_of(new)),
        }

    def _zones(self, pod: Pod) -> Iterator[_Zones]:
        for name in named_claims(pod):
            claim = self._storage.claim(pod.namespace, name)
            if claim is None:
                raise _ClaimError(f'persistentvolumeclaim "{name}" not found')
            volume = self._volume_of(claim)
            if volume is not None:
                yield from _zones_of(volume)

    def _volume_of(self, claim: PersistentVolumeClaim) -> PersistentVolume | None:
        """Returns the volume of a claim; None if there will be one only when the pod has its node."""
        if not claim.volume_name:
            _check_waits(claim, self._storage.storage_class(claim.storage_class))
            return None
        volume = self._storage.volume(claim.volume_name)
        if volume is None:
            raise _ClaimError(f'persistentvolume "{claim.volume_name}" not found')
        return volume


def _check_waits(claim: PersistentVolumeClaim, storage_class: StorageClass | None) -> None:
    if not claim.storage_class:
        raise _ClaimError("PersistentVolumeClaim had no pv name and storageClass name")
    if storage_class is None:
        raise _ClaimError(f'storageclass.storage.k8s.io "{claim.storage_class}" not found')
    if not storage_class.waits:
        raise _ClaimError("PersistentVolume had no name")


def _zones_of(volume: PersistentVolume) -> Iterator[_Zones]:
    for label in _LABELS:
        values = [value.strip() for value in volume.labels.get(label, "").split("__")]
        if all(values):  # a label with an empty part says nothing
            yield label, frozenset(values)


def _lies_elsewhere(labels: Mapping[str, str], zones: list[_Zones]) -> bool:
    if not any(label in labels for label in _LABELS):
        return False
    # a volume's beta label may mean the present label of a node, not the other way round
    return any(labels.get(label, labels.get(_PRESENT_LABEL.get(label, label))) not in values for label, values in zones)
