from __future__ import annotations

from collections import deque
from collections.abc import Callable

from wavetank.cluster.pod import Pod
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.nominator import Nominator
from wavetank.scheduling.plugins.defaultpreemption import PREEMPTED
from wavetank.scheduling.request import Request


class Evictions:
    """Carries out preemptions beside the scheduling loop, one request after the other.

    First less important pods lose their nomination to the node, then each victim is marked and deleted. The
    preemptor stays in `running`, and so out of the queue, until its last victim is on its way out.
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

    def begin(self, preemptor: Pod, node_name: str, victims: tuple[Pod, ...], running: set[str]) -> None:
        """Makes room for a pod; victims that are going already are left alone."""
        staying = [victim for victim in victims if victim.deleted is None]
        if not staying:
            return
        running.add(preemptor.uid)
        steps: deque[tuple[int, Callable[[], None]]] = deque()
        for pod in self._nominator.on(node_name):
            if pod.priority < preemptor.priority and pod.nominated_node:
                steps.append((0, lambda pod=pod: self._clear(pod)))  # type: ignore[misc]
        for victim in staying:
            last = running if victim is staying[-1] else None
            steps.append((0, _nothing))  # the condition DisruptionTarget, which takes its time
            steps.append((1, lambda victim=victim, last=last: self._evict(victim, preemptor, last)))  # type: ignore[misc]
        self._next(steps)

    def _next(self, steps: deque[tuple[int, Callable[[], None]]]) -> None:
        if steps:
            which, commit = steps.popleft()
            self._send(Request(self._draw()[which], commit, lambda: self._next(steps)))

    def _clear(self, pod: Pod) -> None:
        present = self._store.find("Pod", pod.namespace, pod.name)
        if isinstance(present, Pod) and present.uid == pod.uid and present.nominated_node:
            new = present.copy()
            new.nominated_node = ""
            self._store.update(new)

    def _evict(self, victim: Pod, preemptor: Pod, running: set[str] | None) -> None:
        if running is not None:
            running.discard(preemptor.uid)
        try:
            self._store.evict(victim, PREEMPTED)
        except ApiError:
            return  # it is gone already


def _nothing() -> None:
    return
