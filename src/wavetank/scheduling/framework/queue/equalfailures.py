from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wavetank.scheduling.framework.queue.queue import QueuedPod


class EqualFailures:
    """Waiting pods that are equal in all that counts, and failed one right after the other.

    Whatever wakes the first wakes all, and they would be tried in this order with nobody in between: where the first
    fails, so do the others, as long as nothing has changed. So only the first is in the queue; its time of failure
    is everybody's. A pod that has left the line keeps its place in `followers` until it would be its turn.
    """

    __slots__ = ("_absent", "followers", "leader")

    def __init__(self, leader: QueuedPod) -> None:
        self.leader = leader
        self.followers: deque[QueuedPod] = deque()
        self._absent = 0
        leader.line = self

    def __len__(self) -> int:
        return len(self.followers) - self._absent

    def append(self, pod: QueuedPod) -> None:
        """Lets a pod stand at the end, with all who stand behind it."""
        behind = pod.line
        self._take(pod, self.followers.append)
        for follower in behind.present() if behind is not None else ():
            self._take(follower, self.followers.append)

    def lead(self, leader: QueuedPod) -> None:
        """Lets a pod stand at the front, with all who stand behind it."""
        behind = list(leader.line.present()) if leader.line is not None else []
        self.followers.appendleft(self.leader)
        for follower in reversed(behind):
            self._take(follower, self.followers.appendleft)
        self.leader = leader
        leader.line = self

    def leave(self, follower: QueuedPod) -> None:
        """Lets a follower go."""
        follower.line = None
        self._absent += 1

    def next(self) -> QueuedPod | None:
        """Puts the next pod in the leader's place, as it stood there; None if the line is empty."""
        first = self.leader
        first.line = None
        for follower in self._drain():
            follower.timestamp, follower.stamp = first.timestamp, first.stamp
            follower.rejections, follower.rejectors = first.rejections, first.rejectors
            self.leader = follower
            return follower
        return None

    def present(self) -> Iterator[QueuedPod]:
        """Yields the followers that have not left."""
        return (follower for follower in self.followers if follower.line is self)

    def _drain(self) -> Iterator[QueuedPod]:
        while self.followers:
            follower = self.followers.popleft()
            if follower.line is self:
                yield follower
            else:
                self._absent -= 1

    def _take(self, pod: QueuedPod, put: Callable[[QueuedPod], None]) -> None:
        pod.line = self
        put(pod)
