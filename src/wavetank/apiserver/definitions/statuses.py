"""Writes of statuses by the controllers inside the server."""

from __future__ import annotations

from functools import partial

import msgspec

from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.preparing import prepare_status
from wavetank.apiserver.registry.validation import validate_status_update
from wavetank.apiserver.requests.request import Request, User
from wavetank.apiserver.verbs.bootstrapping import SERVER
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.write import Write
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.releases import SERVED

SERVER_USER = User("system:apiserver", ("system:masters", "system:authenticated"))


def update_status(writer: Writer, kind: Kind, document: Document, present: Resource) -> None:
    """Replaces the status of an object without a namespace; the server itself becomes its manager."""
    write = _write(kind, present)
    write.weight = len(msgspec.json.encode(document))
    write.beside(partial(writer.field_managers.update, write, kind, present.render(), document, writer.now))
    writer.replace(write, document, present)


def apply_status(writer: Writer, kind: Kind, status: Document, present: Resource, manager: str) -> None:
    """Applies fields of the status of an object without a namespace, as a manager of its own."""
    managers = writer.field_managers
    document = managers.apply_status(kind, present.render(), {"status": status}, manager, writer.now)
    writer.replace(_write(kind, present), document, present)


def _write(kind: Kind, present: Resource) -> Write:
    path = f"/apis/{kind.api_version}/{kind.plural}/{present.name}/status"
    request = Request("PUT", path, headers={"user-agent": f"{SERVER}/{SERVED.tag}"}, user=SERVER_USER)
    return Write(kind, "", present.name, request, WriteOptions(), "status", prepare_status, validate_status_update)
