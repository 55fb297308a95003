"""The actions of a session, by the names that a configuration uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.scheduling.volcano.actions.allocate import allocate
from wavetank.scheduling.volcano.actions.backfill import backfill
from wavetank.scheduling.volcano.actions.enqueue import enqueue
from wavetank.scheduling.volcano.actions.preempt import preempt
from wavetank.scheduling.volcano.actions.reclaim import reclaim
from wavetank.scheduling.volcano.session.session import Session

ACTIONS: Mapping[str, Callable[[Session], None]] = {
    "enqueue": enqueue,
    "allocate": allocate,
    "backfill": backfill,
    "preempt": preempt,
    "reclaim": reclaim,
}
