from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wavetank.cluster.rules.cron import Schedule
from wavetank.kernel.durations import SECOND, Nanoseconds

EMPTY, UNDERUTILIZED, DRIFTED = "Empty", "Underutilized", "Drifted"
REASONS = (UNDERUTILIZED, EMPTY, DRIFTED)
UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """How many nodes of a pool may be disrupted at the same time.

    `nodes` is a number or a percentage. A budget with a `schedule` counts for `duration` from each of its times on.
    Without `reasons` it counts for all of them.
    """

    nodes: str = "10%"
    reasons: tuple[str, ...] = ()
    schedule: Schedule | None = None
    duration: Nanoseconds = 0
    cron: str = ""  # the schedule as it was written

    def allowed(self, now: Nanoseconds, count: int) -> int:
        """Returns how many of `count` nodes may be disrupted; percentages are rounded up."""
        if not self._is_active(now):
            return UNLIMITED
        if self.nodes.endswith("%"):
            return -(-count * int(self.nodes[:-1]) // 100)
        return int(self.nodes)

    def _is_active(self, now: Nanoseconds) -> bool:
        if self.schedule is None:
            return True
        begins = self.schedule.next(now - self.duration)
        return begins is not None and begins <= now

    def render(self) -> dict[str, Any]:
        """Returns the JSON form."""
        timed = {"schedule": self.cron, "duration": f"{self.duration // (60 * SECOND)}m"} if self.schedule else {}
        return {"nodes": self.nodes, **timed, **({"reasons": list(self.reasons)} if self.reasons else {})}


def allowed_disruptions(budgets: tuple[Budget, ...], now: Nanoseconds, count: int, reason: str) -> int:
    """Returns what the strictest budget for a reason allows."""
    of_reason = [budget for budget in budgets if not budget.reasons or reason in budget.reasons]
    return min((budget.allowed(now, count) for budget in of_reason), default=UNLIMITED)
