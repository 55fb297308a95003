from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.nodes.nominator import Nominator
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED, DefaultPreemption, Running
from wavetank.scheduling.scheduler.request import Request

_Call = tuple[Nanoseconds, Callable[[], None]]  # its latency, and the request


class Evictions:
    """Carries out preemptions concurrently with the scheduling loop, one request after the other.

    First pods of lower priority lose their nomination to the node, then each victim is marked and deleted. The
    preemptor is `running`, and so kept out of the queue, until its last victim is being deleted.
    """

    def __init__(
        self,
        store: Store,
        nominator: Nominator,
        send: Callable[[Request], None],
        draw: Callable[[], tuple[Nanoseconds, Nanoseconds]],
    ) -> None:
        self._store = store
        self._nominator = nominator
        self._send = send
        self._draw = draw  # returns how long a patch and a deletion take

    def begin(self, preemptor: Pod, node_name: str, victims: tuple[Pod, ...], running: Running) -> None:
        """Evicts the victims of a preemptor, except those that are terminating already."""
        staying = [victim for victim in victims if victim.deleted is None]
        if staying:
            self._go_on(self._calls(preemptor, node_name, staying, running))

    def _go_on(self, calls: Iterator[_Call]) -> None:
        for latency, commit in calls:
            self._send(Request(latency, commit, lambda: self._go_on(calls)))
            return

    def _calls(self, preemptor: Pod, node_name: str, victims: list[Pod], running: Running) -> Iterator[_Call]:
        running[preemptor.uid] = lambda: True
        for pod in self._nominator.on(node_name):
            if pod.priority < preemptor.priority and pod.nominated_node:
                yield self._draw()[0], lambda pod=pod: self._clear(pod)  # type: ignore[misc]
        for victim in victims:
            if victim is victims[-1]:
                running[preemptor.uid] = lambda: self._stays(victims[-1])
            yield from self._eviction(victim)
        running.pop(preemptor.uid, None)

    def _eviction(self, victim: Pod) -> Iterator[_Call]:
        yield self._draw()[0], _nothing  # the condition DisruptionTarget, which is written with the deletion
        if self._present(victim) is not None:
            yield self._draw()[1], lambda: self._evict(victim)

    def _present(self, pod: Pod) -> Pod | None:
        present = self._store.find(POD, pod.namespace, pod.name)
        return present if isinstance(present, Pod) and present.uid == pod.uid else None

    def _stays(self, victim: Pod) -> bool:
        present = self._present(victim)
        return present is not None and present.deleted is None

    def _clear(self, pod: Pod) -> None:
        present = self._present(pod)
        if present is not None and present.nominated_node:
            new = present.copy()
            new.nominated_node = ""
            self._store.update(new)

    def _condition(self, victim: Pod) -> dict[str, Any]:
        message = f"{victim.scheduler_name}: preempting to accommodate a higher priority pod"
        since = render_time(self._store.clock.now)
        head = {"type": "DisruptionTarget", "status": "True", "lastProbeTime": None, "lastTransitionTime": since}
        return {**head, "reason": "PreemptionByScheduler", "message": message}

    def _evict(self, victim: Pod) -> None:
        try:
            self._store.evict(victim, PREEMPTED, condition=self._condition(victim))
        except ApiError:
            return  # it is deleted already


def _nothing() -> None:
    return


def gates_of(framework: Framework) -> Running:
    """Returns the pods that a profile's preemption keeps out of the queue."""
    plugins = (plugin for plugin in framework.post_filter if isinstance(plugin, DefaultPreemption))
    return next((plugin.running for plugin in plugins), {})
