"""Reads the answers of extenders: field names in any case, as Go's decoder accepts them, null for nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from wavetank.scheduling.framework.plugin import PluginError, Reason

T = TypeVar("T")


class ExtenderError(PluginError):
    """A call to an extender failed, or it answered with an error; the text is that of kube-scheduler."""


class FilterAnswer(NamedTuple):
    """The names of the nodes that an extender keeps, as names or as whole nodes, and why it rejects others."""

    names: Sequence[str] | None
    nodes: Sequence[str] | None
    refused: Mapping[str, Reason]


class _Filter(msgspec.Struct):
    nodes: list[str] | None = None
    nodenames: list[str] | None = None
    failednodes: dict[str, str] | None = None
    failedandunresolvablenodes: dict[str, str] | None = None
    error: str | None = None


class _HostPriority(msgspec.Struct):
    host: str = ""
    score: int = 0


class _Pod(msgspec.Struct):
    uid: str = ""


class _Victims(msgspec.Struct):
    pods: list[_Pod] | None = None
    numpdbviolations: int = 0


class _Bind(msgspec.Struct):
    error: str | None = None


def read_filter(answer: object) -> FilterAnswer:
    """Reads an ExtenderFilterResult; ExtenderError if it says that something went wrong."""
    fields = _folded(answer, "ExtenderFilterResult")
    found = _converted({**fields, "nodes": _names_of(fields.get("nodes"))}, _Filter)
    _raise_if(found.error)
    for_good = {name: Reason(text, resolvable=False) for name, text in (found.failedandunresolvablenodes or {}).items()}
    refused = {name: Reason(text, resolvable=True) for name, text in (found.failednodes or {}).items()}
    return FilterAnswer(found.nodenames, found.nodes, refused | for_good)


def read_priorities(answer: object) -> Mapping[str, int]:
    """Reads a HostPriorityList into scores by node; the scores of a node that is listed twice are added."""
    if not isinstance(answer, list | None):
        raise ExtenderError(f"json: cannot unmarshal {_kind(answer)} into Go value of type v1.HostPriorityList")
    scores: dict[str, int] = {}
    for item in _converted([_folded(item, "HostPriority") for item in answer or ()], list[_HostPriority]):
        scores[item.host] = scores.get(item.host, 0) + item.score
    return scores


def read_victims(answer: object) -> Mapping[str, tuple[Sequence[str], int]]:
    """Reads an ExtenderPreemptionResult into (uids of victims, violated disruption budgets) by node."""
    fields = _folded(answer, "ExtenderPreemptionResult")
    nodes = _converted(fields.get("nodenametometavictims") or {}, dict[str, Any])
    found = {name: _converted(_folded_victims(raw), _Victims) for name, raw in nodes.items()}
    return {name: ([pod.uid for pod in item.pods or ()], item.numpdbviolations) for name, item in found.items()}


def read_refusal(answer: object) -> None:
    """Reads an ExtenderBindingResult; ExtenderError if the pod was not bound."""
    _raise_if(_converted(_folded(answer, "ExtenderBindingResult"), _Bind).error)


def _raise_if(error: str | None) -> None:
    if error:
        raise ExtenderError(error)


def _names_of(nodes: object) -> list[object] | None:
    if nodes is None:
        return None
    items = _folded(nodes, "NodeList").get("items") or ()
    return [_folded(_folded(item, "Node").get("metadata"), "ObjectMeta").get("name") for item in items]


def _folded_victims(raw: object) -> dict[str, Any]:
    fields = _folded(raw, "MetaVictims")
    return {**fields, "pods": [_folded(pod, "MetaPod") for pod in fields.get("pods") or ()]}


def _folded(raw: object, struct: str) -> dict[str, Any]:
    if not isinstance(raw, Mapping | None):
        raise ExtenderError(f"json: cannot unmarshal {_kind(raw)} into Go value of type v1.{struct}")
    return {str(name).lower(): value for name, value in (raw or {}).items()}


def _converted(raw: object, into: type[T]) -> T:
    try:
        return msgspec.convert(raw, into)
    except msgspec.ValidationError as error:
        raise ExtenderError(f"json: cannot unmarshal the answer: {error}") from None


def _kind(raw: object) -> str:
    kinds = {str: "string", bool: "bool", list: "array", dict: "object"}
    return kinds.get(type(raw), "number")
