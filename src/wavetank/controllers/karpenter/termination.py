"""Drains nodes whose NodeClaims are deleted, then terminates their instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.karpenter import DISRUPTED
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError, NotFoundError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.framework.pods import is_daemon_set_pod
from wavetank.controllers.karpenter.podrules import is_evictable, is_waiting_for_eviction
from wavetank.controllers.karpenter.settings import InstanceProvider
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.kernel.durations import SECOND, Nanoseconds

_TICK: Nanoseconds = SECOND
_SHORTEST_DRAIN: Nanoseconds = 5 * SECOND
_FIRST_RETRY: Nanoseconds = SECOND // 10
_LAST_RETRY: Nanoseconds = 10 * SECOND
_CRITICAL = ("system-cluster-critical", "system-node-critical")


class Terminator:
    """Ends nodes; `done` is called for each whose instance is terminated."""

    def __init__(
        self,
        store: Store,
        state: ClusterState,
        evictions: Evictions,
        provider: InstanceProvider,
        done: Callable[[ManagedNode], None],
    ) -> None:
        self._store = store
        self._clock = store.clock
        self._state = state
        self._evictions = evictions
        self._provider = provider
        self._done = done
        self._evicting: set[str] = set()  # uids

    def terminate(self, managed: ManagedNode) -> None:
        """Taints and drains a node; a claim without a node ends at once."""
        node = self._state.node(managed.name)
        if node is None:
            self._release(managed)
            return
        taint(self._store, self._state, managed.name)
        self._drain(managed, self._clock.now)

    def _drain(self, managed: ManagedNode, since: Nanoseconds) -> None:
        if self._state.node(managed.name) is None:
            return
        now = self._clock.now
        self._delete_overdue(managed, since)
        waiting = [pod for pod in self._state.pods_on(managed.name) if is_waiting_for_eviction(pod, now)]
        for pod in _first_group(waiting):
            if pod.uid not in self._evicting and is_evictable(pod, now):
                self._evicting.add(pod.uid)
                self._evict(pod, _FIRST_RETRY)
        if waiting or now - since < _SHORTEST_DRAIN:
            self._clock.after(_TICK, partial(self._drain, managed, since), background=True)
        else:
            self._release(managed)

    def _evict(self, pod: Pod, retry: Nanoseconds) -> None:
        """Evicts a pod; if its budget does not allow it, again later, after ever longer times."""
        try:
            present = self._store.get(POD, pod.namespace, pod.name)
            if isinstance(present, Pod) and present.uid == pod.uid and present.deleted is None:
                self._evictions.evict(present, present.spec.grace_s)
        except NotFoundError:
            pass
        except ApiError:
            later = min(2 * retry, _LAST_RETRY)
            self._clock.after(retry, partial(self._evict, pod, later), background=True)
            return
        self._evicting.discard(pod.uid)

    def _delete_overdue(self, managed: ManagedNode, since: Nanoseconds) -> None:
        """Deletes pods, budgets or not, so early that they can end within the terminationGracePeriod of the node."""
        period = managed.pool.termination_grace_period
        if period is None:
            return
        end, now = since + period, self._clock.now
        for pod in self._state.pods_on(managed.name):
            waiting = is_waiting_for_eviction(pod, now) and pod.deleted is None
            if waiting and now > end - pod.spec.grace_s * SECOND:
                self._store.evict(pod, "Evicted", max((end - now) // SECOND, 0))

    def _release(self, managed: ManagedNode) -> None:
        managed.released = True
        self._clock.after(self._provider.halt(managed.pool), partial(self._done, managed))


def taint(store: Store, state: ClusterState, name: str, wanted: bool = True) -> None:
    """Adds the taint `karpenter.sh/disrupted` to a node, or removes it."""
    node = state.node(name)
    if node is None or (DISRUPTED in node.taints) == wanted:
        return
    new = node.copy()
    others = tuple(each for each in node.taints if each != DISRUPTED)
    new.taints = (*others, DISRUPTED) if wanted else others
    store.update(new)


def _first_group(pods: Iterable[Pod]) -> list[Pod]:
    """Returns the pods that go next: those of DaemonSets after others, critical ones at last."""
    groups: dict[tuple[bool, bool], list[Pod]] = {}
    for pod in pods:
        groups.setdefault((pod.spec.priority_class in _CRITICAL, is_daemon_set_pod(pod)), []).append(pod)
    return groups[min(groups)] if groups else []
