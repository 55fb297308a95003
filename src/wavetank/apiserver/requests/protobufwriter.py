"""Responses in protobuf: objects, lists, Statuses and watch events. Only built-in kinds have a protobuf form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from wavetank.apiserver.codec.protobuf import PREFIX
from wavetank.apiserver.codec.protobufencoding import Document, encoder_of, field
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.schemas.schema import Schema, Structure


def write_protobuf(document: Document) -> bytes:
    """Writes an object, a list, a Status or PartialObjectMetadata(List), which name their kinds."""
    structure = _structure_of(document["apiVersion"], document["kind"])
    return body_of(document["apiVersion"], document["kind"], structure, document)


def body_of(api_version: str, kind: str, structure: Structure, document: Document) -> bytes:
    """Returns a whole body: four magic bytes and an envelope that names the kind."""
    return wrap(api_version, kind, encoder_of(structure)(document))


def wrap(api_version: str, kind: str, message: bytes) -> bytes:
    """Returns a body with a message that is already written."""
    type_meta = field(1, api_version.encode()) + field(2, kind.encode())
    return PREFIX + field(1, type_meta) + field(2, message)


def wrap_list(kind: Kind, items: Iterable[bytes], metadata: Mapping[str, Any]) -> bytes:
    """Returns the body of a list whose items are already written."""
    head = field(1, encoder_of(_LIST_META)(metadata))
    return wrap(kind.api_version, f"{kind.kind}List", head + b"".join([field(2, item) for item in items]))


def watch_event(what: str, body: bytes) -> bytes:
    """Returns one event of a watch, whose object is a whole body, after its length in four bytes."""
    event = field(1, what.encode()) + field(2, field(1, body))
    return len(event).to_bytes(4, "big") + event


@cache
def _structure_of(api_version: str, kind: str) -> Structure:
    table = KindTable.builtin()
    if kind == "Status":
        return _STATUS
    if kind.startswith("PartialObjectMetadata"):
        pod = table.named("v1", "Pod")
        assert pod is not None
        single = Structure(
            "PartialObjectMetadata", {"metadata": pod.schema.fields["metadata"]}, numbers={1: "metadata"}
        )
        return _list_of(single) if kind.endswith("List") else single
    for each in table:
        if each.api_version == api_version and kind == f"{each.kind}List":
            return _list_of(each.schema.structure)
    return next(structure for structure in _named(table, api_version, kind))


def _named(table: KindTable, api_version: str, kind: str) -> Iterator[Structure]:
    for each in table:
        candidates: list[Kind | Subresource] = [each, *each.subresources.values()]
        for candidate in candidates:
            if (candidate.api_version, candidate.kind) == (api_version, kind):
                yield candidate.schema.structure


def _list_of(items: Structure) -> Structure:
    fields = {"metadata": _object(_LIST_META), "items": Schema("array", items=_object(items))}
    return _numbered(f"{items.name}List", fields)


def _object(structure: Structure) -> Schema:
    return Schema("object", resolve=lambda: structure)


def _numbered(name: str, fields: dict[str, Schema]) -> Structure:
    """Returns a structure whose fields have the numbers 1, 2, ..."""
    return Structure(name, fields, numbers=dict(enumerate(fields, 1)))


_TEXT, _NUMBER = Schema("string"), Schema("integer")
_LIST_META = _numbered(
    "meta.v1.ListMeta",
    {"selfLink": _TEXT, "resourceVersion": _TEXT, "continue": _TEXT, "remainingItemCount": _NUMBER},
)
_CAUSE = _numbered("meta.v1.StatusCause", {"reason": _TEXT, "message": _TEXT, "field": _TEXT})
_CAUSES = Schema("array", items=_object(_CAUSE))
_DETAILS = _numbered(
    "meta.v1.StatusDetails",
    {"name": _TEXT, "group": _TEXT, "kind": _TEXT, "causes": _CAUSES, "retryAfterSeconds": _NUMBER, "uid": _TEXT},
)
_HEAD = {"metadata": _object(_LIST_META), "status": _TEXT, "message": _TEXT, "reason": _TEXT}
_STATUS = _numbered("meta.v1.Status", {**_HEAD, "details": _object(_DETAILS), "code": _NUMBER})
