"""Launches nodes for pending pods, and for the pods of nodes that are being deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.karpenter.batcher import Batcher
from wavetank.controllers.karpenter.nodeclaims import NodeClaims
from wavetank.controllers.karpenter.packing import Packed, Packer
from wavetank.controllers.karpenter.podrules import DisruptionLimits, is_provisionable
from wavetank.controllers.karpenter.settings import Settings
from wavetank.controllers.karpenter.state import ClusterState
from wavetank.kernel.durations import SECOND, Nanoseconds

_AGAIN: Nanoseconds = 10 * SECOND  # a pod or node that still needs help triggers again


class Provisioner:
    """Collects pods for which no node was found and creates NodeClaims for them, a batch at a time."""

    def __init__(
        self, store: Store, state: ClusterState, packer: Packer, claims: NodeClaims, settings: Settings
    ) -> None:
        self._store = store
        self._clock = store.clock
        self._state = state
        self._packer = packer
        self._claims = claims
        self._settings = settings
        self._batcher = Batcher(store.clock, settings, self._provision)
        self._pending: dict[str, Pod] = {}
        store.subscribe(POD, added=self._pod_seen, modified=self._pod_modified, deleted=self._pod_deleted)
        for pod in store.list(POD):
            self._pod_seen(pod)

    def pending(self) -> list[Pod]:
        """Returns the pods that a new node might help."""
        return list(self._pending.values())

    def displaced(self) -> list[Pod]:
        """Returns the pods of nodes that are being deleted, which will need another node."""
        limits = DisruptionLimits(self._store, self._clock.now)
        pods = (pod for each in self._state.deleting() for pod in self._state.pods_on(each.name))
        return [pod for pod in pods if limits.currently_reschedulable(pod)]

    def nominate(self, packed: Packed) -> None:
        """Keeps the present nodes on which pods were packed from being disrupted for a while."""
        self._state.nominate(packed.placed, self._clock.now + self._settings.nomination)

    def follow_node(self, name: str) -> None:
        """Triggers for the pods of a node that is being deleted, until it is gone."""
        self._repeat(name, lambda: name in self._state.managed and self._state.managed[name].marked_for_deletion)

    def _provision(self) -> None:
        pods = [*self.pending(), *self.displaced()]
        if pods:
            packed = self._packer.pack(pods)
            self.nominate(packed)
            for planned in packed.claims:
                self._claims.create(planned)

    def _repeat(self, uid: str, needed: Callable[[], bool]) -> None:
        if needed():
            self._batcher.trigger(uid)
            self._clock.after(_AGAIN, partial(self._repeat, uid, needed), background=True)

    # what the store tells

    def _pod_seen(self, pod: Pod) -> None:
        if not is_provisionable(pod):
            self._pending.pop(pod.uid, None)
            return
        known = pod.uid in self._pending
        self._pending[pod.uid] = pod
        if known:
            self._batcher.trigger(pod.uid)
        else:
            self._repeat(pod.uid, lambda: pod.uid in self._pending)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if not (old.node_name and new.node_name):
            self._pod_seen(new)

    def _pod_deleted(self, old: Pod) -> None:
        self._pending.pop(old.uid, None)
