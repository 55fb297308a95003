"""How the pods of a node share its CPU."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.cpu import SharedCpu
from wavetank.microservices.engine.events import EventQueue

LEAST_WEIGHT = 2  # CFS shares of a container without a request, in the units of 1024 per core


@dataclass(eq=False, slots=True)
class PodCpu:
    """The CPU of a pod: a weight by its request, and a quota by its limit, in cores (None: no quota)."""

    cpu: SharedCpu
    weight: float
    limit: float | None
    wanted: float = 0.0
    throttled: float = 0.0  # seconds in which the quota held it back
    since: Nanoseconds | None = None

    def demand(self) -> float:
        """Returns the cores it can use now: one for each request, up to its quota."""
        return self.cpu.active if self.limit is None else min(self.cpu.active, self.limit)

    def throttled_until(self, now: Nanoseconds) -> float:
        """Returns the seconds in which the quota has held it back up to `now`."""
        return self.throttled + ((now - self.since) / SECOND if self.since is not None else 0.0)


class NodeCpu:
    """Deals out the cores of a node as CFS does: idle CPU goes to those who want more, by weight, up to their quota.

    Requests are single-threaded. Scheduling periods are not simulated: quotas hold continuously.
    """

    def __init__(self, events: EventQueue, cores: float) -> None:
        self._events = events
        self._cores = cores
        self._pods: list[PodCpu] = []
        self._wanted = 0.0
        self._is_contended = False

    def join(self, request: float, limit: float | None) -> PodCpu:
        """Returns the CPU of a new pod; `request` and `limit` in cores."""
        cpu = SharedCpu(self._events, self._cores, self._cores)
        pod = PodCpu(cpu, max(LEAST_WEIGHT, request * 1024), limit)
        cpu.set_speed(0.0)
        cpu.changed = lambda: self._changed(pod)
        self._pods.append(pod)
        return pod

    def leave(self, pod: PodCpu) -> None:
        """Takes a pod away; its work must have been dropped."""
        self._pods.remove(pod)

    def _changed(self, pod: PodCpu) -> None:
        wanted = pod.demand()
        self._note_throttling(pod)
        self._wanted += wanted - pod.wanted
        pod.wanted = wanted
        was_contended, self._is_contended = self._is_contended, self._wanted > self._cores + 1e-9
        if was_contended or self._is_contended:
            self._deal_out()
        else:
            pod.cpu.set_speed(wanted)

    def _note_throttling(self, pod: PodCpu) -> None:
        now = self._events.now
        if pod.since is not None:
            pod.throttled += (now - pod.since) / SECOND
        is_held_back = pod.limit is not None and pod.cpu.active > pod.limit
        pod.since = now if is_held_back else None

    def _deal_out(self) -> None:
        """Gives each pod its weighted share; what some do not want goes to the others."""
        hungry = [pod for pod in self._pods if pod.wanted > 0]
        left, weights = self._cores, sum(pod.weight for pod in hungry)
        for pod in sorted(hungry, key=lambda each: each.wanted / each.weight):
            share = min(pod.wanted, left * pod.weight / weights)
            left -= share
            weights -= pod.weight
            pod.cpu.set_speed(share)
