from __future__ import annotations

from collections.abc import Iterable

from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import Resize
from wavetank.kernel.durations import Nanoseconds

_NEVER: Nanoseconds = -(10**18)


class Cooldown:
    """For how long no node is removed after nodes were added, removed or could not be removed.

    With `scale-down-delay-type-local` each group has delays of its own.
    """

    def __init__(self, options: Options) -> None:
        self._local = options.scale_down_delay_type_local
        self._after_add = options.scale_down_delay_after_add
        self._after_delete = options.scale_down_delay_after_delete
        self._after_failure = options.scale_down_delay_after_failure
        self._add = self._delete = self._failure = _NEVER
        self._group_until: dict[str, Nanoseconds] = {}

    def scaled_up(self, plan: Iterable[Resize], now: Nanoseconds) -> None:
        """Nodes were asked for."""
        self._add = now
        for resize in plan:
            self._hold_group(resize.group, now + self._after_add)

    def removal_began(self, now: Nanoseconds) -> None:
        """Nodes are being removed."""
        self._delete = now

    def failed(self, now: Nanoseconds) -> None:
        """Removals could not even begin."""
        self._failure = now

    def removal_ended(self, group: str, done: bool, now: Nanoseconds) -> None:
        """The removal of a node of a group has succeeded or failed."""
        self._hold_group(group, now + (self._after_delete if done else self._after_failure))

    def _hold_group(self, group: str, until: Nanoseconds) -> None:
        self._group_until[group] = max(until, self._group_until.get(group, until))

    def holds(self, now: Nanoseconds) -> bool:
        """Returns whether no node may be removed now."""
        if self._local:
            return False
        ends = (self._add + self._after_add, self._delete + self._after_delete, self._failure + self._after_failure)
        return any(end > now for end in ends)

    def holds_group(self, group: str, now: Nanoseconds) -> bool:
        """Returns whether no node of a group may be looked at now, because of its own delays."""
        return self._local and self._group_until.get(group, _NEVER) > now
