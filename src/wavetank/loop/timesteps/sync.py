from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import SECOND, Nanoseconds

_MILLISECOND = SECOND // 1000


@dataclass(frozen=True)
class TimestepSync:
    """How a scheduler that cannot run in lockstep is synchronized, with Batkube's parameters and defaults.

    In each cycle the scheduler has at most `timeout_value` of real time, and at least `min_delay`, to decide; meanwhile
    simulated time passes as real time does. Then the simulation jumps to its next event, but at most by the time step,
    which grows from the base to the maximum by the multiplier while there is no decision.

    With a `batsky_endpoint` the scheduler gets the simulated time; otherwise it has its own clock.
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
