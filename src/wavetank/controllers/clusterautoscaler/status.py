"""The status ConfigMap of the autoscaler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import yaml

from wavetank.cluster.objects.groupkinds import CONFIG_MAP, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.clusterautoscaler.clusterstate import ClusterState, Readiness
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup, NodeGroups
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import Nanoseconds

Json = dict[str, Any]
_CONDITIONS = ("health", "scaleUp", "scaleDown")
_TRANSITION = "lastTransitionTime"


class StatusWriter:
    """Writes how the cluster and each group are, whenever that has changed; not if no client can read it."""

    def __init__(self, context: ControllerContext, options: Options, groups: NodeGroups, state: ClusterState) -> None:
        self._context = context
        self._options = options
        self._groups = groups
        self._state = state
        nothing = {"health": {"nodeCounts": _node_counts(Readiness())}, "scaleDown": {}, "scaleUp": {}}
        self.current: Json = {"autoscalerStatus": "Initializing", "clusterWide": nothing}
        self._candidates: Counter[str] = Counter()  # by group
        self._looked_at: Nanoseconds | None = None  # when nodes were last looked at for removal
        self._active = options.write_status_configmap and context.observed
        if self._active:
            self._save()

    def note_candidates(self, unneeded: Collection[str]) -> None:
        """Notes which nodes were found unneeded in this loop."""
        if self._active:
            self._candidates = self._by_group(unneeded)
            self._looked_at = self._context.clock.now

    def write(self) -> None:
        """Writes the present status."""
        if not self._active:
            return
        status = self._build()
        self._keep_transitions(status)
        if status != self.current:
            self.current = status
            self._save()

    def _save(self) -> None:
        name, namespace = self._options.status_config_map_name, self._options.namespace
        old = self._context.store.find(CONFIG_MAP, namespace, name)
        document = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": namespace},
            "data": {"status": yaml.safe_dump(self.current)},
        }
        try:
            if old is None:
                self._context.client.create(document)
            else:
                self._context.client.update(old, {**old.render(), "data": document["data"]})
        except ApiError:
            return  # written again with the next change

    def _build(self) -> Json:
        candidates = self._candidates
        groups = [self._group(group, candidates[group.id]) for group in self._state.groups.values()]
        growing = any(group["scaleUp"]["status"] == "InProgress" for group in groups)
        wide = {
            "health": self._health(self._state.is_healthy(), self._state.total),
            "scaleUp": {"status": "InProgress" if growing else "NoActivity"},
            "scaleDown": _scale_down(sum(candidates.values())),
        }
        groups.sort(key=lambda group: str(group["name"]))
        return {"autoscalerStatus": "Running", "clusterWide": wide, "nodeGroups": groups}

    def _by_group(self, unneeded: Collection[str]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for name in unneeded:
            node = self._context.store.find(NODE, "", name)
            group = self._groups.of_node(node) if isinstance(node, Node) else None
            if group is not None:
                counts[group.id] += 1
        return counts

    def _group(self, group: NodeGroup, candidates: int) -> Json:
        readiness = self._state.readiness.get(group.id)
        health = self._health(self._state.is_group_healthy(group), readiness or Readiness())
        health |= {"cloudProviderTarget": group.target, "minSize": group.min_size, "maxSize": group.max_size}
        return {
            "name": group.id,
            "health": health,
            "scaleUp": self._scale_up(group),
            "scaleDown": _scale_down(candidates),
        }

    def _health(self, healthy: bool, readiness: Readiness) -> Json:
        return {"status": "Healthy" if healthy else "Unhealthy", "nodeCounts": _node_counts(readiness)}

    def _scale_up(self, group: NodeGroup) -> Json:
        reason = self._state.backoff.reason(group.id, self._context.clock.now)
        if group.id in self._state.requests and self._state.upcoming_in(group.id):
            return {"status": "InProgress"}
        if not self._state.is_group_healthy(group):
            return {"status": "Unhealthy"}
        if reason is not None:
            return {"status": "Backoff", "backoffInfo": {"errorCode": reason.code, "errorMessage": reason.message}}
        return {"status": "NoActivity"}

    def _keep_transitions(self, status: Json) -> None:
        now = self._context.clock.now
        old_groups = {group["name"]: group for group in self.current.get("nodeGroups", ())}
        _keep(self.current.get("clusterWide", {}), status["clusterWide"], now, self._looked_at)
        for group in status["nodeGroups"]:
            counted = now if group["name"] in self._state.readiness else None
            _keep(old_groups.get(group["name"], {}), group, counted, self._looked_at)


def _node_counts(readiness: Readiness) -> Json:
    registered = {
        "total": readiness.registered,
        "ready": readiness.ready,
        "notStarted": len(readiness.not_started),
        "unready": {"total": readiness.unready, "resourceUnready": 0},
    }
    waiting = {"longUnregistered": readiness.long_unregistered, "unregistered": readiness.unregistered}
    return {"registered": registered, **waiting}


def _scale_down(candidates: int) -> Json:
    return {"status": "CandidatesPresent", "candidates": candidates} if candidates else {"status": "NoCandidates"}


def _keep(old: Json, new: Json, counted: Nanoseconds | None, looked_at: Nanoseconds | None) -> None:
    """Keeps the time of the last transition of conditions that have not changed.

    That of others is when nodes were last `counted` or `looked_at` for removal, if ever.
    """
    for condition in _CONDITIONS:
        before = old.get(condition, {})
        time = looked_at if condition == "scaleDown" else counted
        changed = None if time is None else render_time(time)
        same = before.get("status") == new[condition]["status"]
        transition = before.get(_TRANSITION) if same else changed
        if transition is not None:
            new[condition][_TRANSITION] = transition
