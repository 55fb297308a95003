from __future__ import annotations

from collections.abc import Iterator

from wavetank.cluster.run import Job


class Gatherings:
    """Jobs of several pods on their way to their common start: their work begins when the last pod runs."""

    def __init__(self) -> None:
        self._started: dict[int, dict[str, float]] = {}

    def arrived(self, job: Job, uid: str, seconds: float) -> bool:
        """Notes that a pod has started and what its part takes here; tells whether the job is complete now."""
        members = self._started.setdefault(id(job), {})
        members[uid] = seconds
        return len(members) >= job.size

    def left(self, job: Job, uid: str) -> None:
        """Notes that a pod of the job is gone."""
        self._started.get(id(job), {}).pop(uid, None)

    def members(self, job: Job) -> Iterator[str]:
        """Yields the pods that have started."""
        yield from self._started.get(id(job), {})

    def slowest(self, job: Job) -> float:
        """Returns what the slowest part takes, in seconds."""
        return max(self._started[id(job)].values())
