from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.podbehavior import Job
from wavetank.kernel.durations import Nanoseconds


class _JobStart:
    """The started pods of one job, with the duration of each."""

    __slots__ = ("begun", "parts")

    def __init__(self) -> None:
        self.parts: dict[str, Nanoseconds] = {}
        self.begun = False


class JobStarts:
    """Jobs of several pods that start together: their work begins when the last pod runs."""

    def __init__(self) -> None:
        self._gatherings: dict[int, _JobStart] = {}

    def arrived(self, job: Job, uid: str, takes: Nanoseconds) -> Sequence[str]:
        """Adds a started pod and its duration; returns the pods whose work begins now.

        These are all pods of the job when the last one has started, and a single pod that restarts after that.
        """
        gathering = self._gatherings.setdefault(id(job), _JobStart())
        gathering.parts[uid] = takes
        if gathering.begun:
            return [uid]
        gathering.begun = len(gathering.parts) >= job.size
        return list(gathering.parts) if gathering.begun else []

    def left(self, job: Job, uid: str) -> None:
        """Removes a pod of the job."""
        gathering = self._gatherings.get(id(job))
        if gathering is not None:
            gathering.parts.pop(uid, None)
            if not gathering.parts:
                del self._gatherings[id(job)]

    def slowest(self, job: Job) -> Nanoseconds:
        """Returns the longest duration."""
        return max(self._gatherings[id(job)].parts.values())
