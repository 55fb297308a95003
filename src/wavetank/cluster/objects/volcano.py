"""The kinds that Volcano adds to a cluster and its scheduler reads: queues and groups of pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import POD_GROUP, QUEUE
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.errors import InputError

API_VERSION = "scheduling.volcano.sh/v1beta1"
POD_GROUPS = POD_GROUP  # their tables in the store
QUEUES = QUEUE
GROUP_NAME = "scheduling.k8s.io/group-name"  # the annotation that makes a pod a member of a group


class PodGroup(Resource):
    """Pods that are scheduled together: at least `min_member` of them, or none.

    `min_resources` is None where nothing is said of it, which is not the same as nothing being asked for.
    """

    __slots__ = ("min_member", "min_resources", "min_task_member", "priority_class", "queue", "status")
    kind = "PodGroup"
    group_kind = POD_GROUPS
    api_version = API_VERSION

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = _mapping(manifest, "spec")
        self.min_member = _number(spec, "minMember", 1)
        self.min_task_member: Mapping[str, int] = _mapping(spec, "minTaskMember", "spec.")
        self.min_resources: Mapping[str, Any] | None = spec.get("minResources")
        self.queue = str(spec.get("queue") or "")
        self.priority_class = str(spec.get("priorityClassName") or "")
        self.status = _mapping(manifest, "status")

    def with_status(self, status: Mapping[str, Any]) -> PodGroup:
        """Returns a new version with another status, to be written."""
        new = self.copy()
        new.status = status
        new.manifest = {**self.manifest, "status": status}
        return new


class Queue(Resource):
    """A share of the cluster that jobs wait for."""

    __slots__ = ("parent", "priority", "reclaimable", "spec", "state", "weight")
    kind = "Queue"
    group_kind = QUEUES
    api_version = API_VERSION
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.spec = _mapping(manifest, "spec")
        self.weight = _number(self.spec, "weight", 0)
        self.priority = _number(self.spec, "priority", 0)
        self.reclaimable = self.spec.get("reclaimable") is not False
        self.parent = str(self.spec.get("parent") or "")
        self.state = str(_mapping(manifest, "status").get("state") or "")

    @property
    def guarantee(self) -> Mapping[str, Any]:
        """Returns what is guaranteed to this queue."""
        return _mapping(_mapping(self.spec, "guarantee", "spec."), "resource", "spec.guarantee.")

    def with_status(self, status: Mapping[str, Any]) -> Queue:
        """Returns a new version with another status, to be written."""
        new = self.copy()
        new.state = str(status.get("state") or "")
        new.manifest = {**self.manifest, "status": status}
        return new


VOLCANO_KINDS: tuple[type[Resource], ...] = (PodGroup, Queue)


def _mapping(holder: Mapping[str, Any], field: str, path: str = "") -> Mapping[str, Any]:
    value = holder.get(field)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"expected a mapping, got {value!r:.60}", path=f"{path}{field}")
    return value


def _number(spec: Mapping[str, Any], field: str, default: int) -> int:
    value = spec.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected an integer, got {value!r:.60}", path=f"spec.{field}")
    return value
