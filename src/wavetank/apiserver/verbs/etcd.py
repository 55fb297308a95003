"""How the real server stores objects in etcd: their keys, and the limits on their size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.apiserver.codec.pieces import encode
from wavetank.apiserver.codec.protobufencoding import varint
from wavetank.apiserver.codec.protobufsizes import field_size, size_of
from wavetank.apiserver.errors import StatusError, plain
from wavetank.apiserver.kinds import Kind
from wavetank.cluster.objects.resource import Resource

LARGE = 512 * 1024  # bytes; the size of an object that is smaller need not be watched
_LARGEST = 1536 * 1024  # bytes of a request, in etcd's log
_LARGEST_SENT = 2 * 1024 * 1024  # bytes of a request, as its client sends it
_LOGGED = 18  # bytes that etcd adds: the id of the request, and a length
_MAGIC, _ENCODINGS = 4, 4  # bytes before and after a stored message
# The prefix of a kind's keys in etcd if it is not the plural; error messages show it.
_FOLDERS = {
    "endpoints": "services/endpoints",
    "ingresses": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
    "apiservices": "apiregistration.k8s.io/apiservices",
    "customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
}

_IN_JSON = frozenset(("apiextensions.k8s.io", "apiregistration.k8s.io"))  # groups whose objects are stored as JSON


def key_of(kind: Kind, namespace: str, name: str) -> str:
    """Returns the key under which the real server stores an object."""
    folder = f"{kind.group}/{kind.plural}" if kind.custom is not None else _FOLDERS.get(kind.plural, kind.plural)
    return "/".join(part for part in ("/registry", folder, namespace, name) if part)


def check_size(kind: Kind, document: Mapping[str, Any], old: Resource | None) -> int:
    """Returns the size of an object in the storage version `kind`, in bytes as it is stored.

    Raises the real server's 500 if it is too large to be stored, in place of `old` if given.
    """
    size, metadata = stored_size(kind, document), document["metadata"]
    key = key_of(kind, metadata.get("namespace", ""), metadata["name"])
    sent = _request_size(len(key.encode()), size, old.resource_version if old is not None else None)
    if sent > _LARGEST_SENT:
        raise _too_large_to_send(sent)
    if sent + _LOGGED > _LARGEST:
        raise plain("etcdserver: request is too large")
    return size


def _too_large_to_send(size: int) -> StatusError:
    why = f"trying to send message larger than max ({size} vs. {_LARGEST_SENT})"
    return plain(f"rpc error: code = ResourceExhausted desc = {why}")


def stored_size(kind: Kind, document: Mapping[str, Any]) -> int:
    """Returns the size of what is stored of an object: its protobuf message in an envelope, or its JSON."""
    metadata = {name: value for name, value in document["metadata"].items() if name != "resourceVersion"}
    stored = {**document, "metadata": metadata}
    if kind.custom is not None or kind.group in _IN_JSON:
        text = encode(stored)
        return len(text) + 5 * sum(map(text.count, (b"<", b">", b"&"))) + 1  # Go writes \u003c, and a line's end
    type_meta = field_size(1, len(kind.api_version)) + field_size(2, len(kind.kind))
    message = size_of(kind.schema.structure)(stored)
    return _MAGIC + field_size(1, type_meta) + field_size(2, message) + _ENCODINGS


def _request_size(key: int, value: int, revision: int | None) -> int:
    """Returns the size of a transaction: if the object has the expected revision, then put it.

    Else, if it is not a new one, get what is there.
    """
    target, named = 2, field_size(3, key)
    compare = target + named + 1 + len(varint(revision or 0))
    put = field_size(2, field_size(1, key) + field_size(2, value))
    get = field_size(3, field_size(1, field_size(1, key))) if revision is not None else 0
    return field_size(1, compare) + field_size(2, put) + get
