"""Events of core/v1 and events.k8s.io/v1: the same stored object under other field names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CORE = "v1"
NEW = "events.k8s.io/v1"

Document = Mapping[str, Any]

# (core, events.k8s.io, what both show although it is unset), in the order of core's fields.
_FIELDS: tuple[tuple[str, str, bool], ...] = (
    ("involvedObject", "regarding", True),
    ("reason", "reason", False),
    ("message", "note", False),
    ("source", "deprecatedSource", True),
    ("firstTimestamp", "deprecatedFirstTimestamp", True),
    ("lastTimestamp", "deprecatedLastTimestamp", True),
    ("count", "deprecatedCount", False),
    ("type", "type", False),
    ("eventTime", "eventTime", True),
    ("series", "series", False),
    ("action", "action", False),
    ("related", "related", False),
    ("reportingComponent", "reportingController", False),
    ("reportingInstance", "reportingInstance", False),
)
_STRUCTURES = frozenset({"involvedObject", "source"})
_SHOWN_IN_CORE = ("reportingComponent", "reportingInstance")


def as_core(event: Document) -> dict[str, Any]:
    """Returns an Event of either group as core/v1 shows it, in which form Events are stored."""
    new = event.get("apiVersion") == NEW
    converted = _head(event, CORE)
    for core, other, shown in _FIELDS:
        _carry(event, other if new else core, converted, core, {} if core in _STRUCTURES else None, shown)
    for field in _SHOWN_IN_CORE:
        converted.setdefault(field, "")
    return converted


def as_new(event: Document) -> dict[str, Any]:
    """Returns a stored Event, which is one of core/v1, as events.k8s.io/v1 shows it."""
    converted = _head(event, NEW)
    for core, other, shown in _FIELDS:
        _carry(event, core, converted, other, {} if core in _STRUCTURES else None, shown)
    return converted


def _head(event: Document, api_version: str) -> dict[str, Any]:
    return {"kind": "Event", "apiVersion": api_version, "metadata": event.get("metadata") or {}}


def _carry(event: Document, source: str, converted: dict[str, Any], target: str, unset: Any, shown: bool) -> None:
    value = event.get(source)
    if value is None or value == "" or value == 0:
        if shown:
            converted[target] = unset
    else:
        converted[target] = value
