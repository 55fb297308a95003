"""`sync:` of a program: how it keeps step with the simulation if it takes no turns."""

from __future__ import annotations

from wavetank.errors import InputError
from wavetank.experiments.document.structures.schedulers import LOCKSTEP, SyncSpec
from wavetank.loop.timesteps.batsky import parse_endpoint
from wavetank.loop.timesteps.sync import TimestepSync


def make_sync(spec: SyncSpec | None) -> TimestepSync | None:
    """Returns how a program in time steps keeps step, with Batkube's words and defaults; None for lockstep."""
    if spec is None or spec.mode == LOCKSTEP:
        return None
    try:
        parse_endpoint(spec.batsky_endpoint) if spec.batsky_endpoint else None
    except InputError as error:
        raise error.inside(path="sync.batsky-endpoint") from None
    return TimestepSync(
        timeout_value=spec.timeout_value,
        min_delay=spec.min_delay,
        base_simulation_timestep=spec.base_simulation_timestep,
        max_simulation_timestep=spec.max_simulation_timestep,
        backoff_multiplier=spec.backoff_multiplier,
        fast_forward_on_no_pending_jobs=spec.fast_forward_on_no_pending_jobs,
        detect_scheduler_deadlock=spec.detect_scheduler_deadlock,
        scheduler_crash_timeout=spec.scheduler_crash_timeout,
        batsky_endpoint=spec.batsky_endpoint,
    )
