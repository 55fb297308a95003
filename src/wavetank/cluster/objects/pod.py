from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource, render_time
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds

PENDING, RUNNING, SUCCEEDED, FAILED = "Pending", "Running", "Succeeded", "Failed"
ENDS = (SUCCEEDED, FAILED)
_SCHEDULED, _GATED = "PodScheduled", "SchedulingGated"
PHASES = (PENDING, RUNNING, SUCCEEDED, FAILED, "Unknown")


class Pod(Resource):
    """One version of a pod: identity, a reference to its interned spec, and its status.

    `unschedulable` is the message of its PodScheduled condition while that is False; `behavior` is what its containers
    do, where the workload says it. `started` and `restarts` are of its main container.
    """

    __slots__ = (
        "behavior",
        "gates",
        "message",
        "node_name",
        "nominated_node",
        "phase",
        "priority",
        "reason",
        "restarts",
        "scheduler_name",
        "spec",
        "started",
        "unschedulable",
    )

    kind = "Pod"
    group_kind = "Pod"

    def __init__(
        self,
        manifest: Manifest,
        spec: PodSpec,
        *,
        name: str = "",
        namespace: str = "",
        behavior: PodBehavior | None = None,
    ) -> None:
        super().__init__(manifest, name=name, namespace=namespace)
        raw = manifest.get("spec") or {}
        self.spec = spec
        self.behavior = behavior
        self.priority = spec.priority or 0
        self.scheduler_name = spec.scheduler_name
        self.node_name = str(raw.get("nodeName") or "")
        self.gates = tuple(str(gate.get("name")) for gate in raw.get("schedulingGates") or ())
        self.restarts = 0
        self.started: Nanoseconds | None = None
        self._read_status(manifest.get("status") or {})

    @classmethod
    def parse(cls, manifest: Manifest, specs: SpecTable) -> Pod:
        """Reads a pod's JSON form."""
        spec = manifest.get("spec")
        if not isinstance(spec, Mapping):
            raise InputError("a Pod needs a spec", path="spec")
        if not spec.get("containers"):
            raise InputError("a Pod needs at least one container", path="spec.containers")
        return cls(manifest, specs.intern(spec).holding(manifest.get("status") or {}))

    def _read_status(self, status: Mapping[str, Any]) -> None:
        self.phase = str(status.get("phase") or PENDING)
        self.reason = str(status.get("reason") or "")
        self.message = str(status.get("message") or "")
        self.nominated_node = str(status.get("nominatedNodeName") or "")
        self.unschedulable = _refusal(_scheduled(status.get("conditions") or ()))

    @property
    def requests(self) -> Amounts:
        """Returns what the pod asks for, in milli-CPU, bytes and counts."""
        return self.spec.requests

    @property
    def finished(self) -> bool:
        """Returns whether the pod has come to its end: it holds nothing any more."""
        return self.phase in ENDS

    def copy(self) -> Pod:
        """Returns a new version that the caller may change; written out, since every write pays for it."""
        new = object.__new__(Pod)
        new.created, new.deleted, new.labels, new.manifest = self.created, self.deleted, self.labels, self.manifest
        new.name, new.namespace, new.uid = self.name, self.namespace, self.uid
        new.resource_version, new.spec, new.behavior, new.gates = (
            self.resource_version,
            self.spec,
            self.behavior,
            self.gates,
        )
        new.priority, new.scheduler_name, new.node_name = self.priority, self.scheduler_name, self.node_name
        new.nominated_node, new.phase, new.reason = self.nominated_node, self.phase, self.reason
        new.message, new.restarts, new.started = self.message, self.restarts, self.started
        new.unschedulable = self.unschedulable
        return new

    def render(self) -> dict[str, Any]:
        """Returns the pod as Kubernetes JSON."""
        rendered = super().render()
        rendered["spec"] = dict(self.spec.manifest)
        if self.node_name:
            rendered["spec"]["nodeName"] = self.node_name
        if self.gates:
            rendered["spec"]["schedulingGates"] = [{"name": gate} for gate in self.gates]
        if self.priority != (self.spec.priority or 0):
            rendered["spec"]["priority"] = self.priority
        if self.resource_version or self.manifest.get("status"):
            rendered["status"] = self._render_status()
        return rendered

    def _render_status(self) -> dict[str, Any]:
        status = dict(self.manifest.get("status") or {})
        if self.phase != PENDING or "phase" in status or "status" not in self.manifest:
            status["phase"] = self.phase
        texts = {"reason": self.reason, "message": self.message, "nominatedNodeName": self.nominated_node}
        for field, text in texts.items():
            if text:
                status[field] = text
            else:
                status.pop(field, None)
        if self.started is not None:
            status["startTime"] = render_time(self.started)
        if self.resource_version:
            conditions = self._render_conditions(status.get("conditions") or ())
            if conditions or "conditions" in status:
                status["conditions"] = conditions
        return status

    def _render_conditions(self, given: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        present, old = self._scheduled_condition(), _scheduled(given)
        if self._scheduled_as_given(old):
            return list(given)  # with whatever else it says, such as its times
        others = [condition for condition in given if condition is not old]
        return [*others, present] if present else others

    def _scheduled_as_given(self, given: Mapping[str, Any]) -> bool:
        """Returns whether the pod has not been bound, rejected or ungated since its manifest was written."""
        if self.gates and not given:
            return False
        spec = self.manifest.get("spec") or {}
        gates = tuple(str(gate.get("name")) for gate in spec.get("schedulingGates") or ())
        stated = (str(spec.get("nodeName") or ""), gates, _refusal(given))
        return stated == (self.node_name, self.gates, self.unschedulable)

    def _scheduled_condition(self) -> Mapping[str, Any]:
        if self.node_name:
            return {"type": _SCHEDULED, "status": "True"}
        if self.gates:
            message = "Scheduling is blocked due to non-empty scheduling gates"
            return {"type": _SCHEDULED, "status": "False", "reason": _GATED, "message": message}
        if self.unschedulable:
            return {"type": _SCHEDULED, "status": "False", "reason": "Unschedulable", "message": self.unschedulable}
        return {}


def _scheduled(conditions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Returns the PodScheduled condition, or an empty one."""
    return next((condition for condition in conditions if condition.get("type") == _SCHEDULED), {})


def _refusal(scheduled: Mapping[str, Any]) -> str:
    """Returns why a PodScheduled condition says that no node was found, or an empty string."""
    refused = scheduled.get("status") == "False" and scheduled.get("reason") != _GATED
    return str(scheduled.get("message") or "") if refused else ""
