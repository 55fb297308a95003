"""Objects that the server creates itself."""

from __future__ import annotations

import msgspec

from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.preparing import prepare_create
from wavetank.apiserver.strategies.strategy import WriteContext
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.writing import Writer

_KNOWN: dict[tuple[object, ...], bytes] = {}
_MOST_KNOWN = 1000
SERVER = "kube-apiserver"  # manages what the server itself writes


def bootstrap(writer: Writer, kind: Kind, document: Document, manager: str = SERVER, status_manager: str = "") -> None:
    """Creates an object of the server itself, of a stored kind and with the given status, without admission.

    `manager` manages its fields, and `status_manager` has applied its status, if it is not empty.
    """
    status, now = document.pop("status", None), writer.now
    managed = _managers(writer, kind, document, status, (manager, status_manager))
    document["metadata"]["uid"], document["metadata"]["creationTimestamp"] = writer.objects.store.next_uid, now
    writer.default(kind, document)
    prepare_create(kind, document, WriteContext(now))
    if status is not None:
        document["status"] = status
        writer.default(kind, document)
    document["metadata"]["managedFields"] = [entry | {"time": now} for entry in managed]
    writer.objects.store.create(writer.resource(kind, document))


def _managers(
    writer: Writer, kind: Kind, document: Document, status: Document | None, managers: tuple[str, str]
) -> list[Document]:
    """Returns the managedFields of a new object; they are found once for all servers of a process, as it takes long."""
    key = kind.group_kind, *managers, msgspec.json.encode(document), status is None
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        new, fields, now = copied(document), writer.field_managers, writer.now
        writer.default(kind, new)
        fields.of(kind, kind.group_kind).update(None, new, managers[0], now)
        if status is not None and managers[1]:
            new = fields.apply_status(kind, new, {"status": status}, managers[1], now)
        _KNOWN[key] = msgspec.json.encode(new["metadata"].get("managedFields") or [])
    found: list[Document] = msgspec.json.decode(_KNOWN[key])
    return found
