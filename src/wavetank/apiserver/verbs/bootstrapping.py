"""Objects that the server creates itself."""

from __future__ import annotations

from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.preparing import prepare_create
from wavetank.apiserver.strategies.strategy import WriteContext
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.writing import Writer

SERVER = "kube-apiserver"  # manages what the server itself writes


def bootstrap(writer: Writer, kind: Kind, document: Document, manager: str = SERVER, status_manager: str = "") -> None:
    """Creates an object of the server itself, of a stored kind and with the given status, without admission.

    `manager` manages its fields, and `status_manager` has applied its status, if it is not empty.
    """
    status, now = document.pop("status", None), writer.now
    document["metadata"]["uid"], document["metadata"]["creationTimestamp"] = writer.objects.store.next_uid, now
    writer.default(kind, document)
    writer.field_managers.of(kind, kind.group_kind).update(None, document, manager, now)
    prepare_create(kind, document, WriteContext(now))
    if status is not None and status_manager:
        document = writer.field_managers.apply_status(kind, document, {"status": status}, status_manager, now)
    elif status is not None:
        document["status"] = status
    writer.objects.store.create(writer.resource(kind, document))
