from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.fenceposts import Fenceposts, resolve_fenceposts
from wavetank.controllers.framework.client import Client
from wavetank.controllers.workloads.conditions import Condition, find_condition, without_condition

PROGRESSING, AVAILABLE, REPLICA_FAILURE = "Progressing", "Available", "ReplicaFailure"
_FOR_EVER = 2**31 - 1
_ROLLING = "RollingUpdate"


class Draft:
    """A Deployment during a sync: its spec, and the status and annotations to write."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.spec: Mapping[str, Any] = resource.manifest["spec"]
        self.status: dict[str, Any] = dict(resource.manifest.get("status") or {})
        self.annotations: dict[str, str] = dict(resource.annotations)

    # spec

    @property
    def replicas(self) -> int:
        """Returns the desired number of pods."""
        replicas = self.spec.get("replicas")
        return 1 if replicas is None else int(replicas)

    @property
    def min_ready_s(self) -> int:
        """Returns how long a pod must be ready to be available, in seconds."""
        return int(self.spec.get("minReadySeconds") or 0)

    @property
    def template(self) -> Mapping[str, Any]:
        """Returns the template of the pods."""
        template: Mapping[str, Any] = self.spec["template"]
        return template

    @property
    def paused(self) -> bool:
        """Tells whether rollouts are paused."""
        return bool(self.spec.get("paused"))

    @property
    def rolling(self) -> bool:
        """Tells whether the strategy is RollingUpdate."""
        return bool((self.spec.get("strategy") or {}).get("type", _ROLLING) == _ROLLING)

    @property
    def deadline_s(self) -> int | None:
        """Returns after how many seconds without progress a rollout has failed; None: never."""
        deadline = self.spec.get("progressDeadlineSeconds")
        return None if deadline is None or deadline == _FOR_EVER else int(deadline)

    @property
    def history_limit(self) -> int | None:
        """Returns how many old ReplicaSets are kept; None: all."""
        limit = self.spec.get("revisionHistoryLimit")
        return None if limit is None or limit == _FOR_EVER else int(limit)

    @property
    def generation(self) -> int:
        """Returns the generation of the spec."""
        return int((self.resource.manifest.get("metadata") or {}).get("generation") or 0)

    @property
    def max_surge(self) -> int:
        """Returns how many pods may exist above the desired number."""
        return self._fenceposts().surge if self.rolling else 0

    @property
    def max_unavailable(self) -> int:
        """Returns how many of the desired pods may be unavailable."""
        if not self.rolling or not self.replicas:
            return 0
        return min(self._fenceposts().unavailable, self.replicas)

    def _fenceposts(self) -> Fenceposts:
        rolling = (self.spec.get("strategy") or {}).get("rollingUpdate") or {}
        return resolve_fenceposts(rolling.get("maxSurge"), rolling.get("maxUnavailable"), self.replicas)

    # status

    def condition(self, kind: str) -> Condition | None:
        """Returns the condition of a type."""
        return find_condition(self.status.get("conditions") or (), kind)

    def write(self, client: Client, status: dict[str, Any] | None = None) -> None:
        """Writes the status (a new one, if given) and the annotations, if they have changed."""
        if status is not None:
            self.status = status
        present = self.resource
        changed = self.annotations != dict(present.annotations)
        if changed or self.status != (present.manifest.get("status") or {}):
            self.resource = client.update_status(present, self.status, self.annotations if changed else None)


def set_condition(status: dict[str, Any], condition: Condition) -> None:
    """Sets a condition in a status, unless one with the same status and reason exists."""
    conditions = status.get("conditions") or []
    present = find_condition(conditions, condition["type"])
    if present is not None and present["status"] == condition["status"]:
        if present.get("reason") == condition["reason"]:
            return
        condition = {**condition, "lastTransitionTime": present["lastTransitionTime"]}
    status["conditions"] = [*without_condition(conditions, condition["type"]), condition]


def drop_condition(status: dict[str, Any], kind: str) -> None:
    """Removes a condition from a status."""
    left = without_condition(status.get("conditions") or [], kind)
    if left:
        status["conditions"] = left
    else:
        status.pop("conditions", None)


def a_condition(kind: str, status: str, reason: str, message: str, now: str) -> Condition:
    """Returns a new condition; `now` is the time in the API's format."""
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }
