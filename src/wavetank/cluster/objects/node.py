from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.load import LOAD, read_load
from wavetank.cluster.fields.resources import Amounts, parse_amounts
from wavetank.cluster.fields.taints import parse_taints
from wavetank.cluster.objects.resource import Manifest, Resource

# Floating point operations per second of one core, for workloads that state work instead of time.
SPEED = "wavetank.dev/speed"

# An annotation of nodes, or a label: what an hour of the node costs, in any currency.
PRICE = "wavetank.dev/price"


class Node(Resource):
    """One version of a node. `allocatable` is in milli-CPU, bytes and counts; `images` gives sizes in bytes.

    `load` is what other programs than pods use of it, in the same units.
    """

    __slots__ = ("_given", "_stated", "allocatable", "images", "load", "ready", "taints", "unschedulable")

    kind = "Node"
    group_kind = "Node"
    namespaced = False

    def __init__(self, manifest: Manifest, *, name: str = "") -> None:
        super().__init__(manifest, name=name)
        spec = manifest.get("spec") or {}
        status = manifest.get("status") or {}
        self.allocatable = _allocatable(status)
        self._given = spec.get("taints")
        self._stated = self.taints = parse_taints(self._given, path="spec.taints")
        self.unschedulable = bool(spec.get("unschedulable"))
        self.images: Mapping[str, int] = _images(status)
        self.ready = _is_ready(status)
        annotations = self.annotations
        self.load = read_load(annotations[LOAD], self.allocatable) if LOAD in annotations else {}

    @property
    def speed(self) -> float:
        """Returns the speed of one core in floating point operations per second; 1 Gflop/s where none is stated."""
        return float(self.annotations.get(SPEED, 1e9))

    def render(self) -> dict[str, Any]:
        """Returns the node as Kubernetes JSON."""
        rendered = super().render()
        spec = dict(rendered.get("spec") or {})
        taints = self._render_taints(spec.get("taints"))
        if taints or spec.get("taints"):
            spec["taints"] = taints
        if self.unschedulable != bool(spec.get("unschedulable")):
            spec["unschedulable"] = self.unschedulable
        if spec:
            rendered["spec"] = spec
        status = rendered.get("status") or {}
        if self.ready != _is_ready(status):
            rendered["status"] = {**status, "conditions": self._render_conditions(status)}
        return rendered

    def _render_taints(self, given: list[Mapping[str, Any]] | None) -> list[Mapping[str, Any]]:
        """Writes the taints, those of the manifest as they stand there: they also say when they were added."""
        stated = self._stated if given is self._given else parse_taints(given)
        if self.taints is stated:
            return list(given or ())
        known = dict(zip(stated, given or (), strict=True))
        return [known.get(taint) or taint.render() for taint in self.taints]

    def _render_conditions(self, status: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        others = [condition for condition in status.get("conditions") or () if condition.get("type") != "Ready"]
        return [*others, _READY if self.ready else _LOST]


_READY = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
_LOST = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}


def _allocatable(status: Mapping[str, Any]) -> Amounts:
    field = "allocatable" if status.get("allocatable") else "capacity"
    return parse_amounts(status.get(field), path=f"status.{field}")


def _images(status: Mapping[str, Any]) -> Mapping[str, int]:
    images = status.get("images")
    if not images:
        return {}
    return {str(name): int(image.get("sizeBytes") or 0) for image in images for name in image.get("names") or ()}


def _is_ready(status: Mapping[str, Any]) -> bool:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") != "True":
            return False
    return True
