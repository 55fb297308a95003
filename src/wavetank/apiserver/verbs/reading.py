"""Getting and listing objects, current or at an earlier resource version."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from functools import partial

import msgspec

from wavetank.apiserver.errors import StatusError, bad_request, expired, not_found, version_too_large
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.negotiation import PLAIN, PLAIN_PROTOBUF, Representation
from wavetank.apiserver.requests.protobufwriter import wrap_list
from wavetank.apiserver.verbs.largeobjects import LargeObjects
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.verbs.options import EXACT, ListOptions, parse_list_version, parse_version
from wavetank.apiserver.waiting import HEAVIEST, begin_slice, in_slices, run_beside
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ExpiredError

_META = "meta.k8s.io/v1"
_LONG = 256 * 1024  # bytes of a list
_ROW = 256  # the weight of an object that is shown in another way than as JSON
_LATEST = -1  # the version in a token that continues at the current version
_INVALID = "invalid continue token: continue key is not valid"
_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class _Token(msgspec.Struct):
    """The content of a continue token."""

    v: str = ""
    rv: int = 0
    start: str = ""


Page = tuple[list[Resource], Document]  # the objects and the list's metadata


def get(objects: Objects, kind: Kind, namespace: str, name: str, version: str) -> Resource:
    """Returns an object that is not older than a resource version."""
    asked = parse_version(version)
    if asked > objects.store.version:
        raise version_too_large(asked, objects.store.version)
    found = objects.find(kind, namespace, name)
    if found is None:
        raise not_found(kind.resource, name)
    return found


def page(objects: Objects, kind: Kind, namespace: str, options: ListOptions) -> Page:
    """Returns the objects of a list and the list's metadata."""
    at, start = _position(objects, options)
    items = _from(_items(objects, kind, namespace, at, start, options), start)
    limit = 0 if options.version == "0" else max(options.limit, 0)
    version = at if at is not None else objects.store.version
    found, last = _select(objects, kind, items, options, limit)
    metadata: Document = {"resourceVersion": str(version)}
    if limit and last is not None and last < len(items) - 1:
        metadata["continue"] = _token(items[last][0] + "\0", version)
        if options.selects_all:
            metadata["remainingItemCount"] = len(items) - limit
    return found, metadata


def show_page(objects: Objects, large: LargeObjects, kind: Kind, found: Page, representation: Representation) -> bytes:
    """Encodes a list in a representation."""
    resources, metadata = found
    if representation == PLAIN and kind.custom is not None:
        return _encode_custom(objects, large, kind, found)
    if representation == PLAIN:
        head = {"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": metadata}
        items = large.each(kind, resources, objects.encode_item, objects.has_item)
        return _joined(msgspec.json.encode(head)[:-1] + b',"items":[', items, b"]}\n")
    if representation == PLAIN_PROTOBUF:
        messages = list(large.each(kind, resources, objects.message, objects.has_message))
        _begin_copying(messages)
        return wrap_list(kind, messages, metadata)
    documents, weight, now = [], 0, objects.now
    for resource in in_slices(resources):
        show, is_large = partial(objects.show, kind, resource), resource in large
        documents.append(large.beside(kind, resource, show) if is_large else show())
        weight += HEAVIEST if is_large else _ROW
    return run_beside(lambda: representation.encode(representation.list(kind, documents, metadata, now)), weight)


def _encode_custom(objects: Objects, large: LargeObjects, kind: Kind, found: Page) -> bytes:
    """Encodes a list of custom objects, each of which has its kind and apiVersion."""
    resources, metadata = found
    items = large.each(kind, resources, objects.encode, objects.has_item)
    head = {"kind": kind.list_kind, "metadata": {"continue": "", **metadata}}
    start = msgspec.json.encode({"apiVersion": kind.api_version})[:-1]
    return _joined(start + b',"items":[', items, b"]," + msgspec.json.encode(head)[1:] + b"\n")


def _joined(start: bytes, items: Iterable[bytes], end: bytes) -> bytes:
    """Returns the text of a list."""
    parts = list(items) or [b""]
    parts[0] = start + parts[0]
    parts[-1] += end
    _begin_copying(parts)
    return b",".join(parts)


def _begin_copying(parts: list[bytes]) -> None:
    """Begins a slice before long parts are copied: 10 MB take some milliseconds."""
    if sum(map(len, parts)) > _LONG:
        begin_slice()


def _position(objects: Objects, options: ListOptions) -> tuple[int | None, str]:
    """Returns the resource version to list at (None: the current one) and the key to start from."""
    present = objects.store.version
    if options.continuation:
        version, start = _read_token(options.continuation)
        if options.version not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        return (None if version == _LATEST else version), start
    asked = parse_list_version(options.version)
    if asked > present:
        raise version_too_large(asked, present)
    exactly = options.match == EXACT or (not options.match and options.limit > 0 and asked > 0)
    return (asked if exactly else None), ""


def _items(
    objects: Objects, kind: Kind, namespace: str, at: int | None, start: str, options: ListOptions
) -> list[tuple[str, Resource]]:
    if at is not None and at > objects.store.version:
        raise version_too_large(at, objects.store.version)
    try:
        return objects.sorted(kind, namespace, None if at == objects.store.version else at)
    except ExpiredError:
        if options.continuation:
            raise expired(_CONTINUE_TOO_OLD, _token(start, _LATEST)) from None
        raise expired(_TOO_OLD) from None


def _from(items: list[tuple[str, Resource]], start: str) -> list[tuple[str, Resource]]:
    return [item for item in items if item[0] >= start] if start else items


def _select(
    objects: Objects, kind: Kind, items: list[tuple[str, Resource]], options: ListOptions, limit: int
) -> tuple[list[Resource], int | None]:
    """Returns the selected objects, and the index at which the limit was reached."""
    if options.selects_all and not limit:
        return [resource for _, resource in items], None
    found: list[Resource] = []
    for i, (_, resource) in enumerate(in_slices(items)):
        if objects.selected(kind, options, resource):
            found.append(resource)
        if limit and len(found) >= limit:
            return found, i
    return found, None


def _token(start: str, version: int) -> str:
    text = msgspec.json.encode(_Token(_META, version, start))
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _read_token(text: str) -> tuple[int, str]:
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise bad_request(f"{_INVALID}: illegal base64 data at input byte {_first_illegal(text)}") from None
    try:
        token = msgspec.json.decode(decoded, type=_Token)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _unreadable(decoded) from None
    if token.v != _META:
        raise bad_request(f"{_INVALID}: server does not recognize this encoded version {token.v}")
    if token.rv == 0:
        raise bad_request(f"{_INVALID}: incorrect encoded start resourceVersion (version {_META})")
    if not token.start:
        raise bad_request(f"{_INVALID}: encoded start key empty (version {_META})")
    start = token.start.removeprefix("/")
    if any(part in ("", ".", "..") for part in start.split("/")):
        raise bad_request(f"{_INVALID}: {token.start}")
    return token.rv, start


def _unreadable(decoded: bytes) -> StatusError:
    """Returns the 400 for a token that is not JSON, with Go's message about its first character."""
    first = chr(decoded[0]) if decoded else ""
    shown = first if first.isascii() and first.isprintable() else f"\\u{ord(first):04x}" if first else ""
    if not shown:
        return bad_request(f"{_INVALID}: unexpected end of JSON input")
    return bad_request(f"{_INVALID}: invalid character '{shown}' looking for beginning of value")


def _first_illegal(text: str) -> int:
    legal = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return next((i for i, char in enumerate(text) if char not in legal), len(text) - 1)
