from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from wavetank.cluster.fields.csimigration import BY_NAME, InTreePlugin
from wavetank.cluster.fields.volumes import Volume
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.storage import CSINode, PersistentVolumeClaim, VolumeAttachment
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import PROCEED, SKIP, FilterPlugin, PreFilterPlugin, PreFilterResult, Reason
from wavetank.scheduling.framework.podclaims import has_claim
from wavetank.scheduling.framework.storage import Storage

_Csi = tuple[str, str]  # (driver, handle): two volumes with the same are one


class NodeVolumeLimits(PreFilterPlugin, FilterPlugin):
    """Keeps a pod off nodes whose CSI drivers cannot attach so many volumes.

    `needs_driver` also keeps it off nodes without the driver: the gate VolumeLimitScaling, off by default.
    """

    name = "NodeVolumeLimits"
    TOO_MANY = Reason("node(s) exceed max volume count", resolvable=True)

    def __init__(self, storage: Storage, needs_driver: bool = False) -> None:
        self._storage = storage
        self._needs_driver = needs_driver
        self._reasons = [self.TOO_MANY]

    def skips_family(self, spec: PodSpec) -> bool:
        """Passes pods without volumes."""
        return not spec.volumes

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Has nothing to do for a pod without volumes that are attached."""
        return PROCEED if any(_is_attached(volume) for volume in cycle.pod.spec.volumes) else SKIP

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Counts the volumes of each node, and those that the pod would add."""
        found = ((cycle.table.nodes[slot], cycle.table.pods[slot]) for slot in nodes.tolist())
        return np.array([self._code(cycle.pod, node, pods) for node, pods in found if node is not None], np.int64)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the reason of a code."""
        return (self._reasons[code - 1],)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A node's drivers with higher limits, a detached volume, a deleted pod, or the claim itself."""
        return {
            ClusterEvent.CSI_NODE_ADD: always,
            ClusterEvent.CSI_NODE_UPDATE: _limit_grew,
            ClusterEvent.ASSIGNED_POD_DELETE: _had_volumes,
            ClusterEvent.CLAIM_ADD: has_claim,
            ClusterEvent.ATTACHMENT_DELETE: _may_be_own_volume,
        }

    def _code(self, pod: Pod, node: Node, pods: Mapping[str, Pod]) -> int:
        reason = self._check(pod, node, pods)
        if reason is None:
            return 0
        if reason not in self._reasons:
            self._reasons.append(reason)
        return 1 + self._reasons.index(reason)

    def _check(self, pod: Pod, node: Node, pods: Mapping[str, Pod]) -> Reason | None:
        csi_node = self._storage.csi_node(node.name)
        missing = self._missing_claim(pod)
        if missing is not None:
            text = f'looking up PVC {pod.namespace}/{missing}: persistentvolumeclaim "{missing}" not found'
            return Reason(text, resolvable=False)
        new = set(self._attached(pod, csi_node))
        if self._needs_driver:
            for driver in sorted({driver for driver, _ in new}):
                if self._lacks(driver, csi_node):
                    return Reason(f"{driver} CSI driver is not installed on the node", resolvable=True)
        limits = _limits(csi_node)
        if not new or not limits:
            return None
        present = {csi for other in pods.values() if other.spec.volumes for csi in self._attached(other, csi_node)}
        added = Counter(driver for driver, _ in new - present)
        used = Counter(driver for driver, _ in present.union(self._attachments(node.name)))
        exceeded = (used[driver] + count > limits[driver] for driver, count in added.items() if driver in limits)
        return self.TOO_MANY if any(exceeded) else None

    def _missing_claim(self, pod: Pod) -> str | None:
        names = (volume.claim_name(pod.name) for volume in pod.spec.volumes)
        return next((name for name in names if name and self._storage.claim(pod.namespace, name) is None), None)

    def _lacks(self, driver: str, csi_node: CSINode | None) -> bool:
        is_known = self._storage.driver(driver) is not None  # otherwise it may be no CSI driver at all
        return is_known and (csi_node is None or driver not in csi_node.drivers)

    def _attachments(self, node_name: str) -> Iterator[_Csi]:
        for attachment in self._storage.attachments(node_name):
            volume = self._storage.volume(attachment.volume_name)
            if attachment.attacher and volume is not None and volume.csi is not None:
                yield attachment.attacher, volume.csi[1]

    def _attached(self, pod: Pod, csi_node: CSINode | None) -> Iterator[_Csi]:
        """Yields the pod's volumes as a node's CSI drivers see them; a claim that does not exist does not count."""
        for volume in pod.spec.volumes:
            name = volume.claim_name(pod.name)
            if name is None:
                if volume.plugin is not None and _is_migrated(volume.plugin, csi_node):
                    yield volume.plugin.driver, volume.handle
                continue
            claim = self._storage.claim(pod.namespace, name)
            csi = self._csi_of(claim, csi_node) if claim is not None else None
            if csi is not None:
                yield csi

    def _csi_of(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> _Csi | None:
        volume = self._storage.volume(claim.volume_name) if claim.volume_name else None
        if volume is None:
            return self._csi_to_be(claim, csi_node)
        if volume.csi is not None:
            return volume.csi
        return volume.migrated_csi() if volume.plugin and _is_migrated(volume.plugin, csi_node) else None

    def _csi_to_be(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> _Csi | None:
        """Returns what an unbound claim will be bound to: some volume of its own, by the driver of its class."""
        storage_class = self._storage.storage_class(claim.storage_class)
        if storage_class is None:
            return None
        driver = storage_class.provisioner
        plugin = BY_NAME.get(driver)
        if plugin is not None:
            if not _is_migrated(plugin, csi_node):
                return None
            driver = plugin.driver
        return driver, f"claim {claim.namespace}/{claim.name}"


def _is_attached(volume: Volume) -> bool:
    return volume.claim is not None or volume.ephemeral or volume.plugin is not None


def _is_migrated(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    return csi_node is not None and (plugin.always or plugin.name in csi_node.migrated)


def _limits(csi_node: CSINode | None) -> Mapping[str, int]:
    drivers = csi_node.drivers if csi_node else {}
    return {driver: count for driver, count in drivers.items() if count is not None}


def _limit_grew(waiting: Pod, old: CSINode, new: CSINode) -> bool:
    return any((count or 0) > (old.drivers.get(driver) or 0) for driver, count in new.drivers.items())


def _had_volumes(waiting: Pod, old: Pod, new: None) -> bool:
    return bool(old.node_name or old.nominated_node) and any(_is_attached(volume) for volume in old.spec.volumes)


def _may_be_own_volume(waiting: Pod, old: VolumeAttachment, new: None) -> bool:
    return any(
        volume.claim is not None or (volume.plugin is not None and volume.plugin.driver == old.attacher)
        for volume in waiting.spec.volumes
    )
