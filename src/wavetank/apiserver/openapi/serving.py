"""Answers to /openapi/v2 and to what is below /openapi/v3."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, NamedTuple

import msgspec

from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.openapi.descriptions import descriptions
from wavetank.apiserver.openapi.protobuf import encode_document
from wavetank.apiserver.openapi.protobuf3 import encode_document_3
from wavetank.apiserver.openapi.rootdocuments import root_document, root_places
from wavetank.apiserver.openapi.writing import document_2, document_3
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.schemas.records import Records, StructureTable
from wavetank.apiserver.schemas.schema import Schema
from wavetank.apiserver.waiting import HEAVIEST, run_beside

Json = dict[str, Any]

_ROOT_2, _ROOT_3 = "/openapi/v2", "/openapi/v3"
_JSON, _TEXT = "application/json", "text/plain; charset=utf-8"
_YEAR_S = 365 * 86_400
_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_ASKED = (_PROTOBUF, _PROTOBUF.replace("v2.v1", "v2@v1"))  # the second is what clients send, though it is no media type
_PROTOBUF_3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
_ASKED_3 = (_PROTOBUF_3, _PROTOBUF_3.replace("v3.v1", "v3@v1"))
_SHARED = ("meta.v1.DeleteOptions",)


class _Written(NamedTuple):
    """A document as it is sent, and the tag by which clients cache it."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> _Written:
        return cls(body, f'"{hashlib.sha512(body).hexdigest().upper()}"')


class OpenApi:
    """Serves the OpenAPI documents, which change as kinds are added and removed.

    kubectl reads them before it creates or applies a file, to see that the server validates fields by itself and how
    lists are merged, and for `kubectl explain`, whose texts come with the extra `schema`.
    """

    def __init__(self, kinds: KindTable, now: Callable[[], float]) -> None:
        self._kinds = kinds
        self._now = now  # seconds since 1970
        self._written: dict[str, _Written] = {}
        self._revision = -1

    def respond(self, request: Request) -> Response | None:
        """Returns the answer to a GET, None if it asks for something else."""
        if request.method != "GET" or not request.path.startswith("/openapi/"):
            return None
        if self._revision != self._kinds.revision:
            self._written.clear()
            self._revision = self._kinds.revision
        if request.path.rstrip("/") == _ROOT_2:
            return self._version_2(request)
        if not request.path.startswith(_ROOT_3):
            return None
        place = request.path.removeprefix(_ROOT_3).strip("/")
        versions = self._versions()
        roots = root_places(dict.fromkeys(kind.group for kind in self._kinds if kind.custom is None))
        if not place:
            places = sorted((*versions, *roots))
            paths = {path: {"serverRelativeURL": _link(path, versions.get(path, []))} for path in places}
            return self._root(request, msgspec.json.encode({"paths": paths}))
        if place in versions or place in roots:
            return self._version_3(request, place, versions.get(place, []))
        return None

    def _root(self, request: Request, body: bytes) -> Response:
        """Answers with the list of documents: as upstream as text, and new every second, so that clients ask again."""
        now = formatdate(self._now(), usegmt=True)
        if request.headers.get("if-modified-since") == now:
            return Response(304, [("last-modified", now)])
        return Response(200, [("last-modified", now), ("content-type", _TEXT)], body)

    def _version_3(self, request: Request, place: str, kinds: list[Kind]) -> Response:
        link = _link(place, kinds)
        stated = request.param("hash")
        if stated and not link.endswith(f"={stated}"):
            return Response(301, [("location", link)])
        accept = request.headers.get("accept", "")
        media = _PROTOBUF_3 if any(each in accept for each in _ASKED_3) else _JSON
        key = f"{place} {media}"
        written = self._write(key, lambda: _written_3(place, kinds, media))
        answer = _answer(request, written, media)
        if stated:
            expires = formatdate(self._now() + _YEAR_S, usegmt=True).replace("GMT", "UTC")  # as Go writes it
            answer.headers.extend([("cache-control", "public, immutable"), ("expires", expires)])
        return answer

    def _version_2(self, request: Request) -> Response:
        accept = request.headers.get("accept", "")
        media = _PROTOBUF if any(each in accept for each in _ASKED) else _JSON
        kinds = list(self._kinds)
        return _answer(request, self._write(media, lambda: _written_2(kinds, media)), media)

    def _write(self, key: str, write: Callable[[], _Written]) -> _Written:
        """Returns a document, which is written beside the event loop if the kinds have changed."""
        if key in self._written:
            return self._written[key]
        revision, written = self._revision, run_beside(write, HEAVIEST)
        if revision == self._kinds.revision:
            self._written[key] = written
        return written

    def _versions(self) -> dict[str, list[Kind]]:
        """Returns the kinds by the path of their group and version: api/v1, apis/apps/v1."""
        versions: dict[str, list[Kind]] = {}
        for kind in self._kinds:
            path = f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"
            versions.setdefault(path, []).append(kind)
        return versions


def _written_2(kinds: list[Kind], media: str) -> _Written:
    document = document_2(kinds, _shared())
    return _Written.of(encode_document(document) if media == _PROTOBUF else msgspec.json.encode(document))


def _written_3(place: str, kinds: list[Kind], media: str) -> _Written:
    document = document_3(kinds, _shared()) if kinds else root_document(place)
    return _Written.of(encode_document_3(document) if media == _PROTOBUF_3 else msgspec.json.encode(document))


def _answer(request: Request, written: _Written, media: str) -> Response:
    """Returns a document, or a 304 if the client has it already."""
    headers = [("etag", written.etag), ("vary", "Accept")]
    if request.headers.get("if-none-match") == written.etag:
        return Response(304, headers)
    return Response(200, [*headers, ("content-type", media)], written.body)


def _link(path: str, kinds: list[Kind]) -> str:
    """Names a document with a hash of what it depends on, by which clients cache it."""
    content: list[Any] = [path, bool(descriptions())]
    for kind in kinds:
        content.append([kind.plural, kind.verbs, sorted(kind.subresources)])
        if kind.custom is not None:
            content.append(kind.custom.schema.raw)
    digest = hashlib.sha512(msgspec.json.encode(content)).hexdigest().upper()
    return f"{_ROOT_3}/{path}?hash={digest}"


def _shared() -> list[Schema]:
    structures = StructureTable(Records.load().structures)
    return [structures.schema(name) for name in _SHARED]
