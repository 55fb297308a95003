from __future__ import annotations

from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroups
from wavetank.controllers.clusterautoscaler.nodewatch import NodeWatch
from wavetank.controllers.clusterautoscaler.options import GroupOptions
from wavetank.controllers.clusterautoscaler.scaledown.drainability import DrainRules
from wavetank.controllers.clusterautoscaler.scaledown.utilization import Utilization, utilization
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.kernel.durations import Nanoseconds


class Occupancy:
    """How much of each node of a group is requested in the snapshot: `below` names those under their threshold.

    Only nodes that changed are looked at again, and those with terminating pods, which no longer count after a time.
    """

    def __init__(self, snapshot: ClusterSnapshot, groups: NodeGroups, nodes: NodeWatch, rules: DrainRules) -> None:
        self._snapshot = snapshot
        self._groups = groups
        self._nodes = nodes
        self._rules = rules
        self._options: dict[str, GroupOptions] = {}
        self._terminating: dict[str, None] = {}
        self._stamps: dict[str, int] = {}
        self.used: dict[str, Utilization] = {}
        self.below: dict[str, None] = {}
        self.empty: set[str] = set()  # without pods that would have to move

    def update(self, now: Nanoseconds) -> None:
        """Follows the snapshot."""
        changed = self._nodes.take_changed()
        for name in changed:
            self._stamps.pop(name, None)
        names = {**dict.fromkeys(self._snapshot.take_touched()), **changed, **self._terminating}
        options = {group.id: group.options for group in self._groups.all().values()}
        if options != self._options:
            self._options = options
            names |= dict.fromkeys(self._nodes.all)
            self._stamps = {}
        for name in names:
            if self._stamps.get(name) != self._snapshot.stamp(name) or name in self._terminating:
                self._forget(name)
                self._look_at(name, now)

    def _forget(self, name: str) -> None:
        for known in (self._terminating, self._stamps, self.used, self.below):
            known.pop(name, None)
        self.empty.discard(name)

    def _look_at(self, name: str, now: Nanoseconds) -> None:
        node, group = self._nodes.all.get(name), self._nodes.group_of(name)
        if node is None or group is None:
            return
        self._stamps[name] = self._snapshot.stamp(name)
        pods = self._snapshot.pods_on(name)
        used = self.used[name] = utilization(node, pods, group.options.ignore_daemonsets_utilization, now)
        if used.share <= group.options.scale_down_utilization_threshold:
            self.below[name] = None
        if not any(self._rules.must_move(pod, now) for pod in pods):
            self.empty.add(name)
        if any(pod.deleted is not None for pod in pods):
            self._terminating[name] = None
