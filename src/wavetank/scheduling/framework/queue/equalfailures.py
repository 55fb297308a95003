from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wavetank.scheduling.framework.queue.queue import QueuedPod


class EqualFailures:
    """Pending pods that are equal for the scheduler and failed one right after the other.

    An event that requeues the first requeues all, and they would be tried in this order with no other pod in between:
    if the first fails, so do the others, as long as nothing has changed. So only the first is in the queue, and its
    time of failure holds for all. A pod that has left stays in `followers` until it would be its turn.
    """

    __slots__ = ("_absent", "followers", "leader")

    def __init__(self, leader: QueuedPod) -> None:
        self.leader = leader
        self.followers: deque[QueuedPod] = deque()
        self._absent = 0
        leader.equals = self

    def __len__(self) -> int:
        return len(self.followers) - self._absent

    def append(self, pod: QueuedPod) -> None:
        """Adds a pod at the end, with its own followers."""
        behind = pod.equals
        self._take(pod, self.followers.append)
        for follower in behind.present() if behind is not None else ():
            self._take(follower, self.followers.append)

    def prepend(self, leader: QueuedPod) -> None:
        """Makes a pod the leader, followed by its own followers and the present leader."""
        behind = list(leader.equals.present()) if leader.equals is not None else []
        self.followers.appendleft(self.leader)
        for follower in reversed(behind):
            self._take(follower, self.followers.appendleft)
        self.leader = leader
        leader.equals = self

    def leave(self, follower: QueuedPod) -> None:
        """Removes a follower."""
        follower.equals = None
        self._absent += 1

    def next(self) -> QueuedPod | None:
        """Makes the next pod the leader, with the old leader's times and rejections; None if there is none."""
        first = self.leader
        first.equals = None
        for follower in self._drain():
            follower.timestamp, follower.stamp = first.timestamp, first.stamp
            follower.rejections, follower.rejectors = first.rejections, first.rejectors
            self.leader = follower
            return follower
        return None

    def present(self) -> Iterator[QueuedPod]:
        """Yields the followers that have not left."""
        return (follower for follower in self.followers if follower.equals is self)

    def _drain(self) -> Iterator[QueuedPod]:
        while self.followers:
            follower = self.followers.popleft()
            if follower.equals is self:
                yield follower
            else:
                self._absent -= 1

    def _take(self, pod: QueuedPod, put: Callable[[QueuedPod], None]) -> None:
        pod.equals = self
        put(pod)
