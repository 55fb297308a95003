from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the workload: `size` pods that do their work together, from when the last of them has started."""

    id: str
    workload: str
    profile: str
    size: int
    walltime: Nanoseconds | None = None


@dataclass(slots=True, eq=False)  # frozen in all but name: one is made for every pod, and freezing costs a microsecond
class PodBehavior:
    """What a pod's containers do once they have started.

    They end by themselves after `duration` (None: never) with `exit_code`; asked to stop, they need `termination`.
    `flops` is work that takes its time from the node's speed, on top of `duration`.
    """

    duration: Nanoseconds | None
    exit_code: int = 0
    termination: Nanoseconds = 0
    flops: float = 0.0
    job: Job | None = None

    def work_time(self, speed: float) -> float:
        """Returns the seconds that the flops take on a node of that speed, in flop/s."""
        return self.flops / speed
