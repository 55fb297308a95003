from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.distributions import INSTANT, Distribution


@dataclass(frozen=True, slots=True)
class SchedulerLatency:
    """How long a scheduler and the API server take, in seconds: for one attempt, a binding, a patch, a deletion.

    Attempts follow one another; a binding is in flight while the next attempt runs; a status patch blocks the
    scheduling loop up, as it does in kube-scheduler.
    """

    attempt: Distribution = INSTANT
    bind: Distribution = INSTANT
    patch: Distribution = INSTANT
    delete: Distribution = INSTANT
