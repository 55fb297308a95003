from __future__ import annotations

from wavetank.controllers.clusterautoscaler.nodegroups import Instance, NodeGroups
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds

_REFRESH: Nanoseconds = 120 * SECOND


class InstanceCache:
    """The machines of each group, listed anew every two minutes and when a list was invalidated."""

    def __init__(self, groups: NodeGroups, clock: Clock) -> None:
        self._groups = groups
        self._clock = clock
        self._start = clock.now
        self._lists: dict[str, tuple[int, list[Instance]]] = {}

    def get(self, group: str) -> list[Instance]:
        """Returns the machines of a group as they were last listed."""
        period = (self._clock.now - self._start) // _REFRESH
        known = self._lists.get(group)
        if known is None or known[0] != period:
            known = self._lists[group] = (period, self._groups.instances(group))
        return known[1]

    def invalidate(self, group: str) -> None:
        """Forgets the list of a group."""
        self._lists.pop(group, None)
