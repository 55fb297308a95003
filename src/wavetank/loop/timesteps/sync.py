from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds


@dataclass(frozen=True)
class TimestepSync:
    """How a scheduler that cannot run in lockstep is synchronized, with Batkube's parameters.

    In each cycle the scheduler has at most `timeout_value` of real time, and at least `min_delay`, to decide; meanwhile
    simulated time passes as real time does. Then the simulation jumps to its next event, but at most by the time step,
    which grows from the base to the maximum by the multiplier while there is no decision.

    With a `batsky_endpoint` the scheduler gets the simulated time; otherwise it has its own clock.
    """

    timeout_value: Nanoseconds
    min_delay: Nanoseconds
    base_simulation_timestep: Nanoseconds
    max_simulation_timestep: Nanoseconds
    backoff_multiplier: float
    fast_forward_on_no_pending_jobs: bool
    detect_scheduler_deadlock: bool
    scheduler_crash_timeout: Nanoseconds
    batsky_endpoint: str | None = None
