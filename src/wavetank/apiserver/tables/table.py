"""Server-side Tables: what kubectl and k9s show of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.fielderrors import invalid
from wavetank.apiserver.tables.cells import Document
from wavetank.apiserver.tables.columns import Column, column_definitions
from wavetank.apiserver.tables.custom import custom_cells, custom_columns
from wavetank.apiserver.tables.pods import pod_conditions
from wavetank.apiserver.tables.printers import ORDERS, PRINTERS, by_default
from wavetank.cluster.objects.groupkinds import GroupKind

if TYPE_CHECKING:
    from wavetank.apiserver.custom.customtype import CustomType

META = "meta.k8s.io/v1"
META_BETA = "meta.k8s.io/v1beta1"

_CONVERTED = ("DaemonSet", "HorizontalPodAutoscaler")
_CONVERSIONS = ("deprecated.daemonset.template.generation", "autoscaling.alpha.kubernetes.io/")

INCLUDES = ("", "None", "Metadata", "Object")


def check_include(include: str) -> None:
    """Refuses (400) an `includeObject` that is none of the known words."""
    if include not in INCLUDES:
        error = invalid("includeObject", include, "must be 'Metadata', 'Object', 'None', or empty")
        raise bad_request(f"Unable to convert to Table as requested: {error}")


def table_of_list(
    group_kind: GroupKind,
    documents: list[dict[str, Any]],
    metadata: Document,
    now: float,
    include: str = "",
    api: str = META,
    custom: CustomType | None = None,
) -> dict[str, Any]:
    """Returns the Table of a list; `metadata` is that of the list, `group_kind` is such as "Pod", "Deployment.apps".

    `now` is seconds since 1970. Every document has its kind and apiVersion. A `custom` kind has columns of its own.
    """
    if order := ORDERS.get(group_kind):
        documents = sorted(documents, key=order)
    rows = [row(group_kind, document, now, include, api, custom) for document in documents]
    return _table(columns(group_kind, custom), rows, metadata, api)


def table_of_one(
    group_kind: GroupKind,
    document: dict[str, Any],
    now: float,
    include: str = "",
    api: str = META,
    headers: bool = True,
    custom: CustomType | None = None,
) -> dict[str, Any]:
    """Returns the Table of one object; of a watch's events only the first has `headers`."""
    version = (document.get("metadata") or {}).get("resourceVersion")
    metadata = {"resourceVersion": version} if version else {}
    rows = [row(group_kind, document, now, include, api, custom)]
    return _table(columns(group_kind, custom) if headers else None, rows, metadata, api)


def columns(group_kind: GroupKind, custom: CustomType | None = None) -> list[Column]:
    """Returns the column definitions of a kind."""
    definitions = column_definitions()
    if custom is not None:
        return [definitions[""][0], *custom_columns(custom)]
    return definitions.get(_printed(group_kind)) or definitions[""]


def row(
    group_kind: GroupKind,
    document: dict[str, Any],
    now: float,
    include: str = "",
    api: str = META,
    custom: CustomType | None = None,
) -> dict[str, Any]:
    """Returns an object's row: its cells, conditions where it has some, and what of the object is to be included."""
    if custom is not None:
        return {"cells": custom_cells(custom, document, now), "object": _included(document, include, api)}
    made: dict[str, Any] = {"cells": PRINTERS.get(_printed(group_kind), by_default)(document, now)}
    if group_kind == "Pod" and (conditions := pod_conditions(document)):
        made["conditions"] = conditions
    made["object"] = _included(document, include, api)
    return made


def partial(document: Mapping[str, Any], api: str = META) -> dict[str, Any]:
    """Returns the PartialObjectMetadata of an object, without annotations that stand for fields of other versions."""
    metadata = document.get("metadata") or {}
    if document.get("kind") in _CONVERTED and "annotations" in metadata:
        annotations = {key: value for key, value in metadata["annotations"].items() if not key.startswith(_CONVERSIONS)}
        metadata = {**metadata, "annotations": annotations}
        if not annotations:
            del metadata["annotations"]
    return {"kind": "PartialObjectMetadata", "apiVersion": api, "metadata": metadata}


def _included(document: dict[str, Any], include: str, api: str) -> dict[str, Any] | None:
    if include == "Object":
        return document
    annotations = (document.get("metadata") or {}).get("annotations") or {}
    ends_initial_events = annotations.get("k8s.io/initial-events-end") == "true"
    return None if include == "None" and not ends_initial_events else partial(document, api)


def _printed(group_kind: GroupKind) -> str:
    return "Event" if group_kind == "Event.events.k8s.io" else group_kind


def _table(
    definitions: list[Column] | None, rows: list[dict[str, Any]], metadata: Document, api: str
) -> dict[str, Any]:
    head = {"kind": "Table", "apiVersion": api, "metadata": dict(metadata)}
    return {**head, "columnDefinitions": definitions, "rows": rows}
