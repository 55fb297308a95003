from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.instance import Instance
from wavetank.microservices.engine.nodecpu import LEAST_WEIGHT, PodCpu
from wavetank.microservices.engine.overload import Overload, OverloadWatch
from wavetank.microservices.engine.queuedcpu import QueuedCpu

WINDOW: Nanoseconds = 15 * SECOND  # over which the use of CPU is measured, as a metrics server does it


@dataclass(eq=False, slots=True)
class PodInstance:
    """A pod as an instance of a service, from `started` to `ended` (None: to the end of the run)."""

    pod: str
    instance: Instance
    node: str
    started: Nanoseconds
    share: PodCpu
    watch: OverloadWatch
    ended: Nanoseconds | None = None
    samples: deque[tuple[Nanoseconds, float]] = field(default_factory=deque)  # (time, CPU time used until then)

    @property
    def requested(self) -> float:
        """Returns the cores that it requests; 0 if it has no request."""
        return self.share.weight / 1024 if self.share.weight > LEAST_WEIGHT else 0.0

    @property
    def overloads(self) -> list[Overload]:
        """Returns the times in which its queue grew."""
        return self.watch.found

    @property
    def queue(self) -> int:
        """Returns how many requests are at its CPU, computed or waiting for it."""
        cpu = self.instance.cpu
        return self.share.cpu.active + (cpu.waiting if isinstance(cpu, QueuedCpu) else 0)

    def totals(self) -> tuple[float, float]:
        """Returns the CPU time used so far, and the requests at its CPU summed up over seconds."""
        used, queueing = self.share.cpu.totals()
        cpu = self.instance.cpu
        return used, queueing + (cpu.queueing_until_now() if isinstance(cpu, QueuedCpu) else 0.0)

    def mean_cpu(self, now: Nanoseconds) -> float:
        """Returns the cores it used on average over the last measuring window."""
        self.share.cpu.advance()
        samples = self.samples
        while len(samples) > 1 and samples[1][0] <= now - WINDOW:
            samples.popleft()
        since, used = samples[0] if samples else (self.started, 0.0)
        samples.append((now, self.share.cpu.used))
        return (self.share.cpu.used - used) * SECOND / (now - since) if now > since else 0.0
