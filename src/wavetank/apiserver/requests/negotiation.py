"""The representation of a response: JSON, YAML or protobuf; the object itself, its metadata or a Table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from wavetank.apiserver.codec.pieces import encode
from wavetank.apiserver.errors import StatusError, not_acceptable
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.media import (
    JSON,
    MEDIA_TYPES,
    PROTOBUF,
    STREAM_TYPES,
    YAML,
    Clause,
    best_match,
    matches_any,
)
from wavetank.apiserver.requests.protobufwriter import watch_event, write_protobuf
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.tables.table import check_include, partial, table_of_list, table_of_one
from wavetank.textcache import cached_texts

TABLE = "Table"
PARTIAL = "PartialObjectMetadata"
PARTIAL_LIST = "PartialObjectMetadataList"

_TARGETS = (TABLE, PARTIAL, PARTIAL_LIST)
_GROUP = "meta.k8s.io"
_VERSIONS = ("v1", "v1beta1")
_TEXTS = (JSON, YAML)
COLLECTION_TYPES = MEDIA_TYPES + STREAM_TYPES
_HUMANS = ("curl", "Wget", "Mozilla/5.0")

# Where the Go package of a group's internal types is not called by the first word of the group.
_PACKAGES = {"": "core", "events.k8s.io": "core", "flowcontrol.apiserver.k8s.io": "flowcontrol"}


@dataclass(frozen=True, slots=True)
class Representation:
    """How an answer is to look: `convert` is empty or one of Table, PartialObjectMetadata(List) in the version `api`.

    `include` says what of the objects a Table's rows carry; a word that is unknown there is refused (400) only when
    there is something to show, as upstream.
    """

    media_type: str = JSON
    convert: str = ""
    api: str = ""
    include: str = ""
    pretty: bool = False

    def object(self, kind: Kind, document: dict[str, Any], now: float, *, headers: bool = True) -> dict[str, Any]:
        """Returns one object as it is to be shown; a Status stays as it is.

        `now` is seconds since 1970. Of a watch's events only the first has the columns of a Table (`headers`).
        """
        check_include(self.include)
        if not self.convert or document.get("kind") == "Status":
            return document
        if self.convert == TABLE:
            return table_of_one(kind.group_kind, document, now, self.include, self.api, headers, kind.custom)
        if self.convert == PARTIAL:
            return partial(document, self.api)
        raise _wrong_conversion(f"{PARTIAL_LIST}, but the requested object is not a list ({go_type(kind)})")

    def list(
        self, kind: Kind, documents: list[dict[str, Any]], metadata: Mapping[str, Any], now: float
    ) -> dict[str, Any]:
        """Returns a list of objects, which have their kinds, as it is to be shown; `metadata` is the list's."""
        check_include(self.include)
        if self.convert == TABLE:
            return table_of_list(kind.group_kind, documents, metadata, now, self.include, self.api, kind.custom)
        if self.convert == PARTIAL:
            raise _wrong_conversion(f"{PARTIAL}, but the requested object is a list ({go_type(kind)}List)")
        if self.convert == PARTIAL_LIST:
            items = [partial(document, self.api) for document in documents]
            return {"kind": PARTIAL_LIST, "apiVersion": self.api, "metadata": dict(metadata), "items": items or None}
        if kind.custom is not None:
            head = {"kind": kind.list_kind, "apiVersion": kind.api_version}
            return {**head, "metadata": {"continue": "", **metadata}, "items": documents}
        items = [
            {key: document[key] for key in document if key not in ("kind", "apiVersion")} for document in documents
        ]
        head = {"kind": f"{kind.kind}List", "apiVersion": kind.api_version}
        return {**head, "metadata": dict(metadata), "items": items}

    def encode(self, document: Any) -> bytes:
        """Writes a document in the media type."""
        if self.media_type == YAML:
            from wavetank.apiserver.codec.yamlwriter import dump

            return dump(document)
        if self.media_type == PROTOBUF:
            return write_protobuf(document)
        body = encode(document)
        return (msgspec.json.format(body, indent=2) if self.pretty else body) + b"\n"

    def encode_event(self, what: str, document: Any) -> bytes:
        """Writes an event of a watch with the document, which is already as it is to be shown."""
        if self.media_type == PROTOBUF:
            return watch_event(what, write_protobuf(document))
        return msgspec.json.encode({"type": what, "object": document}) + b"\n"

    @property
    def stream_type(self) -> str:
        """Returns the media type of a watch."""
        return f"{PROTOBUF};stream=watch" if self.media_type == PROTOBUF else self.media_type


PLAIN = Representation()
PLAIN_PROTOBUF = Representation(PROTOBUF)


def negotiate(request: Request, *, listing: bool = False, watch: bool = False, tables: bool = True) -> Representation:
    """Returns the representation that a request asks for; StatusError (406, 400) if there is none such.

    `listing` is for collections, which can be watched; `watch` for a request that does; without `tables` no
    Table is served.
    """
    check_route(request, COLLECTION_TYPES if listing else MEDIA_TYPES)
    match = _best_conversion(request.headers.get("accept", ""), tables, request.protobuf)
    if match is None or (watch and match[0] == YAML):
        raise not_acceptable(STREAM_TYPES if watch else MEDIA_TYPES)
    media_type, clause = match
    kind, _, version = clause.target or ("", "", "")
    include = request.param("includeObject") if kind == TABLE else ""
    if watch:
        check_include(include)
    pretty = media_type != PROTOBUF and (clause.parameters.get("pretty") == "1" or wants_pretty(request))
    return Representation(media_type, kind, f"{_GROUP}/{version}" if kind else "", include, pretty)


@cached_texts(256)  # clients send the same few headers over and over
def _best_conversion(header: str, tables: bool, protobuf: bool) -> tuple[str, Clause] | None:
    allowed = _convertible if tables else _without_tables
    if protobuf:
        return best_match(header, MEDIA_TYPES, allowed)
    return best_match(header, _TEXTS, allowed) or best_match(header, (PROTOBUF,), allowed)


def use_text(request: Request) -> None:
    """Answers a request for custom objects in JSON or YAML: 406 if the client accepts only protobuf.

    Their metadata alone have a protobuf form.
    """
    request.protobuf = False
    match = _best_conversion(request.headers.get("accept", ""), True, False)
    if match is not None and match[0] == PROTOBUF and match[1].target is None:
        raise not_acceptable(MEDIA_TYPES)


def negotiate_plain(request: Request, *, routed: bool = True) -> Representation:
    """Returns the representation of what cannot be converted, such as discovery; StatusError (406) if there is none.

    Not `routed` are the few paths that answer every method, and whose 406 is another.
    """
    if routed:
        check_route(request, MEDIA_TYPES)
    match = best_match(request.headers.get("accept", ""), _TEXTS, _unconverted)
    if match is None:
        raise not_acceptable(MEDIA_TYPES)
    return Representation(match[0], pretty=wants_pretty(request))


def check_route(request: Request, media_types: tuple[str, ...]) -> None:
    """Refuses (406) an Accept header that names none of the media types of a path."""
    header = request.headers.get("accept", "")
    if header and not matches_any(header, media_types):
        message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(media_types)}"
        raise StatusError(406, "NotAcceptable", message, {})


def of_error(request: Request) -> Representation:
    """Returns the representation of an error: JSON if nothing else is acceptable."""
    accept = request.headers.get("accept", "")
    types = MEDIA_TYPES if request.protobuf else _TEXTS
    match = best_match(accept, types, _unconverted) or best_match(accept, (PROTOBUF,), _unconverted)
    media_type = match[0] if match else JSON
    return Representation(media_type, pretty=media_type != PROTOBUF and wants_pretty(request))


def wants_pretty(request: Request) -> bool:
    """Tells whether a person reads the answer: asked for, or by a program that people use."""
    asked = request.param("pretty")
    if asked:
        return asked in ("1", "t", "T", "true", "TRUE", "True")
    return request.headers.get("user-agent", "").startswith(_HUMANS)


def go_type(kind: Kind) -> str:
    """Returns what Go calls the internal type of a kind, which some messages show: *core.Pod."""
    return f"*{_PACKAGES.get(kind.group) or kind.group.partition('.')[0]}.{kind.kind}"


def _convertible(media_type: str, clause: Clause) -> bool:
    target = clause.target
    if target is None:
        return True
    kind, group, version = target
    if kind == TABLE and media_type == PROTOBUF:
        return False
    return kind in _TARGETS and group == _GROUP and version in _VERSIONS


def _without_tables(media_type: str, clause: Clause) -> bool:
    return _convertible(media_type, clause) and (clause.target is None or clause.target[0] != TABLE)


def _unconverted(media_type: str, clause: Clause) -> bool:
    return clause.target is None


def _wrong_conversion(what: str) -> StatusError:
    return StatusError(406, "NotAcceptable", f"you requested {what}")
