from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.storage import (
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    ClaimRef,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolumeClaim,
    StorageClass,
)
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.config import VolumeBindingArgs
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import (
    PROCEED,
    SKIP,
    FilterPlugin,
    PluginError,
    PreBindPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reason,
    ReservePlugin,
    ScorePlugin,
)
from wavetank.scheduling.framework.podclaims import has_claim
from wavetank.scheduling.framework.storage import Storage
from wavetank.scheduling.plugins.noderesources.kernels import broken_line
from wavetank.scheduling.plugins.volumebinding.binder import (
    ELSEWHERE,
    LOST_VOLUME,
    NO_SPACE,
    NO_VOLUME,
    ClaimError,
    PodClaims,
    PodVolumes,
    VolumeBinder,
)


@dataclass(slots=True)
class _State:
    """The claims of a cycle's pod, and the volumes found for them by slot."""

    claims: PodClaims
    found: dict[int, PodVolumes] = field(default_factory=dict)


class VolumeBinding(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, ReservePlugin, PreBindPlugin):
    """Keeps a pod to nodes that can reach its volumes, and finds or orders the volumes that it still lacks.

    A code is a set of bits, one for each reason. With a `shape` (the gate StorageCapacityScoring, off by default) it
    prefers nodes by how much of the volumes' capacity the claims would use.
    """

    name = "VolumeBinding"
    activity = "binding volumes"
    UNBOUND = Reason("pod has unbound immediate PersistentVolumeClaims", resolvable=False)
    REASONS: Mapping[int, Reason] = {
        ELSEWHERE: Reason("node(s) didn't match PersistentVolume's node affinity", resolvable=False),
        NO_VOLUME: Reason("node(s) didn't find available persistent volumes to bind", resolvable=False),
        NO_SPACE: Reason("node(s) did not have enough free storage", resolvable=False),
        LOST_VOLUME: Reason(
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", resolvable=False
        ),
    }

    def __init__(self, args: VolumeBindingArgs, storage: Storage) -> None:
        self.timeout = args.bind_timeout_s * SECOND
        self._storage = storage
        self._binder = VolumeBinder(storage)
        self._shape = np.array([(point.utilization, 10 * point.score) for point in args.shape], np.int64)

    # filtering

    def skips_family(self, spec: PodSpec) -> bool:
        """Passes pods without volumes."""
        return not spec.volumes

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Sorts the pod's claims; those that the volume controller has to bind must be bound."""
        pod = cycle.pod
        if not any(volume.claim is not None or volume.ephemeral for volume in pod.spec.volumes):
            return SKIP
        try:
            claims = self._binder.claims_of(pod)
        except ClaimError as error:
            return PreFilterResult(rejected=Reason(str(error), resolvable=False))
        if claims.immediate:
            return PreFilterResult(rejected=self.UNBOUND)
        cycle.state[self.name] = _State(claims)
        return PROCEED

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns for each node the set of what is wrong."""
        return np.array([self.volumes_on(cycle, slot).refused for slot in nodes.tolist()], np.int64)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the reasons of a set, in kube-scheduler's order."""
        return tuple(reason for bit, reason in self.REASONS.items() if code & bit)

    def volumes_on(self, cycle: Cycle, slot: int) -> PodVolumes:
        """Returns what the pod would get on a node; nothing for a pod without claims."""
        state: _State | None = cycle.state.get(self.name)
        node = cycle.table.nodes[slot]
        if state is None or node is None:
            return PodVolumes()
        if slot not in state.found:
            state.found[slot] = self._binder.find(state.claims, node)
        return state.found[slot]

    def found(self, cycle: Cycle) -> Mapping[int, PodVolumes]:
        """Returns what the pod would get in the slots that the cycle has looked at."""
        state: _State | None = cycle.state.get(self.name)
        return state.found if state else {}

    # scoring

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Scores only with a shape."""
        return len(self._shape) > 0

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Rates each node by its volumes."""
        return np.array([self._rate(self.volumes_on(cycle, slot)) for slot in nodes.tolist()], np.int64)

    def _rate(self, volumes: PodVolumes) -> int:
        """Returns the mean, over the storage classes, of the score of the used share; existing volumes come first."""
        requested: defaultdict[str, int] = defaultdict(int)
        capacity: defaultdict[str, int] = defaultdict(int)
        for claim, volume in volumes.bindings:
            requested[volume.storage_class] += claim.request or 0
            capacity[volume.storage_class] += volume.capacity
        for claim, left in volumes.provisions if not volumes.bindings else ():
            if left is not None:
                requested[claim.storage_class] += claim.request or 0
                capacity[claim.storage_class] = left.capacity or 0  # one pool, whatever the number of claims
        scores = [self._of_share(requested[name], capacity[name]) for name in requested]
        return math.floor(sum(scores) / len(scores) + 0.5) if scores else 0

    def _of_share(self, requested: int, capacity: int) -> int:
        is_full = capacity == 0 or requested > capacity
        return int(broken_line(self._shape, 100 if is_full else requested * 100 // capacity))

    # reserving

    def reserve(self, cycle: Cycle, node_name: str) -> None:
        """Assumes that volumes are bound to the pod's claims, and that the others are being made for the node."""
        if self.name not in cycle.state:
            return
        volumes = self.volumes_on(cycle, cycle.table.slots[node_name])
        for claim, volume in volumes.bindings:
            assumed = volume.copy()
            assumed.claim = ClaimRef(claim.namespace, claim.name, claim.uid)
            self._storage.assume(assumed)
        for claim, _ in volumes.provisions:
            selected = claim.copy()
            selected.selected_node = node_name
            self._storage.assume(selected)

    def unreserve(self, cycle: Cycle, node_name: str) -> None:
        """Gives up what was assumed."""
        if self.name not in cycle.state:
            return
        volumes = self.volumes_on(cycle, cycle.table.slots[node_name])
        for _, volume in volumes.bindings:
            self._storage.restore(volume)
        for claim, _ in volumes.provisions:
            self._storage.restore(claim)

    # binding

    def has_to_prepare(self, cycle: Cycle, node_name: str) -> bool:
        """Returns whether a claim of the pod is still unbound."""
        if self.name not in cycle.state:
            return False
        volumes = self.volumes_on(cycle, cycle.table.slots[node_name])
        return bool(volumes.bindings or volumes.provisions)

    def prepare(self, cycle: Cycle, node_name: str, store: Store) -> None:
        """Writes into the volumes which claim they are for, and into the claims for which node to provision."""
        volumes = self.volumes_on(cycle, cycle.table.slots[node_name])
        for claim, volume in volumes.bindings:
            ref = {"kind": claim.kind, "namespace": claim.namespace, "name": claim.name, "uid": claim.uid}
            metadata = {} if volume.is_for(claim) else {"annotations": {BOUND_BY_CONTROLLER: "yes"}}
            store.patch(volume.group_kind, "", volume.name, {"metadata": metadata, "spec": {"claimRef": ref}})
        for claim, _ in volumes.provisions:
            selected = {"metadata": {"annotations": {SELECTED_NODE: node_name}}}
            store.patch(claim.group_kind, claim.namespace, claim.name, selected)

    def is_prepared(self, cycle: Cycle, node_name: str, store: Store) -> bool:
        """Returns whether all claims are bound."""
        pod = cycle.pod
        if store.find(pod.group_kind, pod.namespace, pod.name) is None:
            raise PluginError(f'{self.activity}: pod does not exist any more: pod "{pod.name}" not found')
        volumes = self.volumes_on(cycle, cycle.table.slots[node_name])
        static = [_present(store, claim) for claim, _ in volumes.bindings]
        dynamic = [_present(store, claim) for claim, _ in volumes.provisions]
        for claim in dynamic:
            if claim.selected_node != node_name:
                raise PluginError(f'{self.activity}: provisioning failed for PVC "{claim.name}"')
        return all(claim.bound for claim in (*static, *dynamic))

    # queueing hints

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Whatever may provide a volume: its objects, the pod's claims, nodes, and the drivers' capacity."""
        return {
            ClusterEvent.STORAGE_CLASS_ADD: always,
            ClusterEvent.STORAGE_CLASS_UPDATE: _allows_elsewhere,
            ClusterEvent.CLAIM_ADD: has_claim,
            ClusterEvent.CLAIM_UPDATE: has_claim,
            ClusterEvent.VOLUME_ADD: always,
            ClusterEvent.VOLUME_UPDATE: always,
            ClusterEvent.NODE_ADD: always,
            ClusterEvent.NODE_LABEL: always,
            ClusterEvent.CSI_NODE_ADD: always,
            ClusterEvent.CSI_NODE_UPDATE: _migrates_others,
            ClusterEvent.CSI_DRIVER_UPDATE: _stopped_tracking,
            ClusterEvent.STORAGE_CAPACITY_ADD: always,
            ClusterEvent.STORAGE_CAPACITY_UPDATE: _has_more_room,
        }


def _present(store: Store, claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    found = store.find(claim.group_kind, claim.namespace, claim.name)
    if not isinstance(found, PersistentVolumeClaim):
        raise PluginError(
            f'{VolumeBinding.activity}: failed to check binding: persistentvolumeclaims "{claim.name}" not found'
        )
    return found


def _allows_elsewhere(waiting: Pod, old: StorageClass, new: StorageClass) -> bool:
    return old.topologies != new.topologies


def _migrates_others(waiting: Pod, old: CSINode, new: CSINode) -> bool:
    return old.migrated != new.migrated


def _stopped_tracking(waiting: Pod, old: CSIDriver, new: CSIDriver) -> bool:
    is_used = any(volume.csi_driver == new.name for volume in waiting.spec.volumes)
    return is_used and old.tracks_capacity and not new.tracks_capacity


def _has_more_room(waiting: Pod, old: CSIStorageCapacity, new: CSIStorageCapacity) -> bool:
    return new.largest is not None and (old.largest is None or new.largest > old.largest)
