"""What nodes can be ranked by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.errors import InputError
from wavetank.scheduling.framework.nodes.labelcolumns import FloatArray
from wavetank.scheduling.views import NodesView

FREQUENCY = "wavetank.dev/cpu-frequency"  # a label: GHz, or whatever unit all nodes share
LATENCY = "wavetank.dev/latency"  # an annotation: a duration, to wherever it was measured
BANDWIDTH = "wavetank.dev/bandwidth"  # an annotation: a quantity, in a unit that all nodes share

_BYTES = (MEMORY, EPHEMERAL_STORAGE)

_Values = Callable[[NodesView, str], FloatArray]


@dataclass(frozen=True)
class Criterion:
    """A number for every node, of which more or less is better."""

    name: str
    of: str  # the resource, label or annotation that it is about
    values_of: _Values
    benefit: bool

    def values(self, nodes: NodesView) -> FloatArray:
        """Returns the value of each candidate; one that has none is as bad as the worst of the others.

        InputError if no node of the cluster has any.
        """
        kind = _KINDS.get(self.values_of, "resource")
        if not nodes.any_has(**{kind: self.of}):
            raise InputError(f"no node has the {kind} {self.of}, which the criterion {self.name} needs")
        values = self.values_of(nodes, self.of)
        known = values[np.isfinite(values)]
        if len(known) == len(values):
            return values
        worst = 0.0 if not len(known) else known.min() if self.benefit else known.max()
        return np.where(np.isfinite(values), values, worst)

    @property
    def unit(self) -> tuple[str, float]:
        """Returns the unit in which people read it, empty if it is a plain number, and how many values make one."""
        if self.values_of is _utilisation:
            return "%", 1.0
        if self.of in _BYTES:
            return "GiB", float(1 << 30)
        return ("s", 1.0) if self.of == LATENCY else ("", 1.0)


def _allocatable(nodes: NodesView, resource: str) -> FloatArray:
    return nodes.allocatable[resource] / _unit(resource)


def _used(nodes: NodesView, resource: str) -> FloatArray:
    return (nodes.requested[resource] + nodes.load[resource]) / _unit(resource)


def _free(nodes: NodesView, resource: str) -> FloatArray:
    return _allocatable(nodes, resource) - _used(nodes, resource)


def _utilisation(nodes: NodesView, resource: str) -> FloatArray:
    has = _allocatable(nodes, resource)
    return np.where(has, 100 * _used(nodes, resource) / np.where(has, has, 1), np.nan)


def _label(nodes: NodesView, label: str) -> FloatArray:
    return nodes.label_values(label)


def _annotation(nodes: NodesView, annotation: str) -> FloatArray:
    return nodes.annotation_values(annotation)


def _unit(resource: str) -> int:
    return 1000 if resource == CPU else 1


# What a criterion is about, if it is no resource.
_KINDS: dict[_Values, str] = {_label: "label", _annotation: "annotation"}

# What a prefix says of the resource, label or annotation after it, and whether more of it is better.
_FORMS: dict[str, tuple[_Values, bool]] = {
    "allocatable": (_allocatable, True),
    "free": (_free, True),
    "used": (_used, False),
    "utilisation": (_utilisation, False),
    "label": (_label, True),
    "annotation": (_annotation, True),
}

_SHORT = {
    "cores": f"allocatable:{CPU}",
    "free_cores": f"free:{CPU}",
    "cpu_utilisation": f"utilisation:{CPU}",
    "memory": f"allocatable:{MEMORY}",
    "free_memory": f"free:{MEMORY}",
    "memory_utilisation": f"utilisation:{MEMORY}",
    "disk": f"allocatable:{EPHEMERAL_STORAGE}",
    "free_disk": f"free:{EPHEMERAL_STORAGE}",
    "frequency": f"label:{FREQUENCY}",
    "latency": f"annotation:{LATENCY}",
    "bandwidth": f"annotation:{BANDWIDTH}",
}
_COSTS = {"latency"}  # although more of an annotation is better


def criterion(name: str) -> Criterion:
    """Returns the criterion of a name: one of the short ones, or FORM:RESOURCE, label:LABEL, annotation:ANNOTATION."""
    form, colon, of = _SHORT.get(name, name).partition(":")
    if not colon or not of or form not in _FORMS:
        known = ", ".join([*_SHORT, *(f"{form}:…" for form in _FORMS)])
        raise InputError(f"there is no criterion {name!r:.60}: known are {known}")
    values_of, benefit = _FORMS[form]
    return Criterion(name, of, values_of, benefit and name not in _COSTS)
