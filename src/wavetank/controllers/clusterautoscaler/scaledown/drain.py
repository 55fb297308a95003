"""Empties a node: evicts its pods, then waits until they are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError, NotFoundError
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.framework.pods import is_daemon_set_pod, is_mirror_pod
from wavetank.kernel.durations import SECOND, Nanoseconds

ENABLE_DS_EVICTION = "cluster-autoscaler.kubernetes.io/enable-ds-eviction"

_RETRY: Nanoseconds = 10 * SECOND
_LOOK_UP: Nanoseconds = 5 * SECOND
_HEADROOM: Nanoseconds = 30 * SECOND

Done = Callable[[str], None]  # is called with what went wrong, or an empty string


class Drainer:
    """Evicts the pods of nodes; those of DaemonSets without waiting for them."""

    def __init__(self, context: ControllerContext, evictions: Evictions, options: Options, events: EventWriter) -> None:
        self._context = context
        self._evictions = evictions
        self._options = options
        self._events = events

    def drain(self, node: str, pods: Sequence[Pod], done: Done) -> None:
        """Evicts all pods and calls `done` when they are gone, or when that takes too long."""
        moving = [pod for pod in pods if not is_mirror_pod(pod) and not is_daemon_set_pod(pod)]
        daemons = _to_evict(pods, self._options.daemonset_eviction_for_occupied_nodes)
        _Drain(self, node, moving, daemons, done).start()

    def evict_daemons(self, pods: Sequence[Pod]) -> None:
        """Evicts the DaemonSet pods of a node that has no others, as far as that is wanted."""
        _Drain(
            self, "", [], _to_evict(pods, self._options.daemonset_eviction_for_empty_nodes), lambda why: None
        ).start()


class _Drain:
    """The drain of one node."""

    def __init__(self, owner: Drainer, node: str, pods: list[Pod], daemons: list[Pod], done: Done) -> None:
        self._owner = owner
        self._clock = owner._context.clock
        self._node = node
        self._pods = pods
        self._daemons = daemons
        self._done = done
        self._open = len(pods) + len(daemons)  # evictions without an answer
        self._failed: list[str] = []
        self._until: Nanoseconds = 0

    def start(self) -> None:
        """Sends all evictions."""
        retry_until = self._clock.now + self._owner._options.max_pod_eviction_time
        for pod in (*self._pods, *self._daemons):
            self._owner._events.evicting(pod)
            self._evict(pod, retry_until)
        if not self._pods and not self._daemons:
            self._done("")

    def _evict(self, pod: Pod, retry_until: Nanoseconds) -> None:
        most = self._owner._options.max_graceful_termination_sec
        grace = min(pod.spec.grace_s, most) if most else pod.spec.grace_s
        try:
            present = self._owner._context.store.get(POD, pod.namespace, pod.name)
            assert isinstance(present, Pod)
            self._owner._evictions.evict(present, grace)
        except NotFoundError:
            pass
        except ApiError as error:
            if self._clock.now + _RETRY < retry_until:
                self._clock.after(_RETRY, partial(self._evict, pod, retry_until), background=True)
            else:
                self._clock.after(_RETRY, partial(self._give_up, pod, str(error)), background=True)
            return
        self._answered()

    def _give_up(self, pod: Pod, why: str) -> None:
        if pod in self._pods:
            self._owner._events.eviction_failed(pod)
            name = f"{pod.namespace}/{pod.name}"
            self._failed.append(f"failed to evict pod {name} within allowed timeout (last error: {why})")
        self._answered()

    def _answered(self) -> None:
        self._open -= 1
        if self._open:
            return
        if self._failed:
            reasons = " ".join(self._failed)
            self._done(f"Failed to drain node /{self._node}, due to following errors: [{reasons}]")
            return
        self._until = self._clock.now + self._owner._options.max_graceful_termination_sec * SECOND + _HEADROOM
        self._look()

    def _look(self) -> None:
        """Looks whether the pods are gone, again and again."""
        if not any(self._is_there(pod) for pod in self._pods):
            self._done("")
        elif self._clock.now + _LOOK_UP < self._until:
            self._clock.after(_LOOK_UP, self._look, background=True)
        else:
            self._done(f"Failed to drain node /{self._node}: pods remaining after timeout")

    def _is_there(self, pod: Pod) -> bool:
        found = self._owner._context.store.find(POD, pod.namespace, pod.name)
        return isinstance(found, Pod) and found.node_name == self._node


def _to_evict(pods: Sequence[Pod], by_default: bool) -> list[Pod]:
    return [
        pod
        for pod in pods
        if is_daemon_set_pod(pod) and pod.annotations.get(ENABLE_DS_EVICTION, str(by_default).lower()) == "true"
    ]
