from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds

REASON = "DeadlineExceeded"
MESSAGE = "Pod was active on the node longer than the specified deadline"


class Deadlines:
    """Ends pods that are on their node for longer than their `activeDeadlineSeconds`, restarts included."""

    def __init__(self, clock: Clock, end: Callable[[str], None]) -> None:
        self._clock = clock
        self._end = end
        self._timers: dict[str, tuple[Nanoseconds, Timer | None]] = {}  # by uid, with the time of the arrival

    def set(self, pod: Pod, since: Nanoseconds | None = None) -> None:
        """Sets the deadline of a pod that has arrived, now or `since` a time, or another one; None is no deadline."""
        arrived, timer = self._timers.get(pod.uid, (self._clock.now if since is None else since, None))
        if timer is not None:
            timer.cancel()
        deadline = pod.spec.deadline_s
        if deadline is not None:
            due = max(self._clock.now, arrived + deadline * SECOND)
            timer = self._clock.at(due, lambda: self._end(pod.uid))
        self._timers[pod.uid] = (arrived, timer)

    def is_over(self, pod: Pod) -> bool:
        """Tells whether the deadline of a pod on its node has passed."""
        arrived, _ = self._timers.get(pod.uid, (self._clock.now, None))
        return pod.spec.deadline_s is not None and arrived + pod.spec.deadline_s * SECOND <= self._clock.now

    def forget(self, uid: str) -> None:
        """Forgets a pod that has left its node."""
        _, timer = self._timers.pop(uid, (0, None))
        if timer is not None:
            timer.cancel()
