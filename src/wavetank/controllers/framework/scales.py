"""The scale subresource over the store of a run: where the figures of workloads and of custom objects stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wavetank.cluster.objects.groupkinds import DEPLOYMENT, REPLICA_SET, REPLICATION_CONTROLLER, STATEFUL_SET
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import NoKindMatchError, NotFoundError
from wavetank.cluster.store.store import Store

_DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"
_WORKLOADS = (DEPLOYMENT, REPLICA_SET, STATEFUL_SET, REPLICATION_CONTROLLER)

Json = Mapping[str, Any]


class _Paths(NamedTuple):
    """Where a kind has its wanted replicas, its present ones and its selector."""

    wanted: Sequence[str]
    present: Sequence[str]
    selector: Sequence[str]


_OF_WORKLOADS = _Paths(("spec", "replicas"), ("status", "replicas"), ("spec", "selector"))


def read_scale(store: Store, group: str, kind: str, namespace: str, name: str) -> Scale:
    """Returns the scale of an object.

    NoKindMatchError if the kind is none, NotFoundError if there is no such object or if it has no scale.
    """
    group_kind = f"{kind}.{group}" if group else kind
    paths = _paths(store, group_kind)
    found = store.find(group_kind, namespace, name)
    if found is None:
        raise NotFoundError(f'{store.resource_name(group_kind)} "{name}" not found')
    if paths is _OF_WORKLOADS:
        return _workload_scale(group_kind, found)
    wanted = _value(found.manifest, paths.wanted) or 0
    selector = _value(found.manifest, paths.selector) if paths.selector else ""
    return Scale(found, int(wanted), int(_value(found.manifest, paths.present) or 0), str(selector or ""))


def _workload_scale(group_kind: str, found: Resource) -> Scale:
    spec, status = found.manifest.get("spec") or {}, found.manifest.get("status") or {}
    wanted = spec.get("replicas")
    selector = _selector_text(group_kind, spec.get("selector") or {})
    return Scale(found, 1 if wanted is None else wanted, status.get("replicas") or 0, selector)


def with_replicas(store: Store, old: Resource, replicas: int) -> dict[str, Any]:
    """Returns the document of an object with other wanted replicas."""
    document = old.render()
    *steps, last = _paths(store, old.group_kind).wanted
    holder = document
    for step in steps:
        holder[step] = dict(holder.get(step) or {})
        holder = holder[step]
    holder[last] = replicas
    return document


def _paths(store: Store, group_kind: str) -> _Paths:
    if group_kind in _WORKLOADS:
        return _OF_WORKLOADS
    kind, _, group = group_kind.partition(".")
    for definition in store.list(_DEFINITION):
        spec = definition.manifest.get("spec") or {}
        if spec.get("group") == group and (spec.get("names") or {}).get("kind") == kind:
            return _custom_paths(spec)
    if store.has(group_kind):
        raise NotFoundError("the server could not find the requested resource")
    raise NoKindMatchError(group, kind)


def _custom_paths(spec: Json) -> _Paths:
    for version in spec.get("versions") or ():
        scale = (version.get("subresources") or {}).get("scale")
        if scale:
            fields = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
            return _Paths(*(_steps(str(scale.get(field) or "")) for field in fields))
    raise NotFoundError("the server could not find the requested resource")


def _steps(path: str) -> Sequence[str]:
    return tuple(step for step in path.split(".") if step)


def _value(document: Any, path: Sequence[str]) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, Mapping) else None
    return document


def _selector_text(group_kind: str, selector: Json) -> str:
    if group_kind == REPLICATION_CONTROLLER:
        selector = {"matchLabels": selector}
    terms = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    terms += [(each["key"], _expression_text(each)) for each in selector.get("matchExpressions") or ()]
    return ",".join(text for _, text in sorted(terms))


def _expression_text(expression: Json) -> str:
    key, operator = expression["key"], expression["operator"]
    if operator in ("Exists", "DoesNotExist"):
        return str(key) if operator == "Exists" else f"!{key}"
    return f"{key} {operator.lower()} ({','.join(sorted(expression.get('values') or ()))})"
