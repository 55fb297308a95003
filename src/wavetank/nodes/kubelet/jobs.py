from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.podbehavior import Job
from wavetank.kernel.durations import Nanoseconds


class _JobStart:
    """The pods of one job that have started, with what each one's part takes."""

    __slots__ = ("begun", "parts")

    def __init__(self) -> None:
        self.parts: dict[str, Nanoseconds] = {}
        self.begun = False


class JobStarts:
    """Jobs of several pods on their way to their common start: their work begins when the last pod runs."""

    def __init__(self) -> None:
        self._gatherings: dict[int, _JobStart] = {}

    def arrived(self, job: Job, uid: str, takes: Nanoseconds) -> Sequence[str]:
        """Notes that a pod has started and what its part takes here; returns the pods whose work begins now.

        These are all of the job when the last one has come, and a pod alone that is started again after that.
        """
        gathering = self._gatherings.setdefault(id(job), _JobStart())
        gathering.parts[uid] = takes
        if gathering.begun:
            return [uid]
        gathering.begun = len(gathering.parts) >= job.size
        return list(gathering.parts) if gathering.begun else []

    def left(self, job: Job, uid: str) -> None:
        """Notes that a pod of the job is gone."""
        gathering = self._gatherings.get(id(job))
        if gathering is not None:
            gathering.parts.pop(uid, None)
            if not gathering.parts:
                del self._gatherings[id(job)]

    def slowest(self, job: Job) -> Nanoseconds:
        """Returns what the slowest part takes."""
        return max(self._gatherings[id(job)].parts.values())
