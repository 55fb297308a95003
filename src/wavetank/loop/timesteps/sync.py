from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import SECOND, Nanoseconds

_MILLISECOND = SECOND // 1000


@dataclass(frozen=True)
class TimestepSync:
    """How the simulation and a scheduler that cannot be quiesced keep step, with the words and defaults of Batkube.

    In each cycle the scheduler has at most `timeout_value` of real time, and at least `min_delay`, to decide; meanwhile
    simulated time passes as real time does. Then the simulation jumps to its next event, but no further than the time
    step: that grows from the base to the maximum, times the multiplier, while there is no decision.

    With a `batsky_endpoint` the scheduler is told the simulated time; otherwise it keeps its own clock.
    """

    timeout_value: Nanoseconds = 20 * _MILLISECOND
    min_delay: Nanoseconds = 0
    base_simulation_timestep: Nanoseconds = 100 * _MILLISECOND
    max_simulation_timestep: Nanoseconds = 20 * SECOND
    backoff_multiplier: float = 2.0
    fast_forward_on_no_pending_jobs: bool = False
    detect_scheduler_deadlock: bool = False
    scheduler_crash_timeout: Nanoseconds = 5 * SECOND
    batsky_endpoint: str | None = None
