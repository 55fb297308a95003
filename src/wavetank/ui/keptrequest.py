from __future__ import annotations

import zlib

import msgspec

from wavetank.apiserver.requests.request import Query, Request, Response, User
from wavetank.apiserver.requests.stream import Stream
from wavetank.simulation.served.cluster import ServedCluster

_LARGE = 4096  # bytes from which on a request is compressed
_VERBS = {"POST": "create", "PUT": "replace", "PATCH": "change", "DELETE": "delete"}
_Parts = tuple[str, str, Query, dict[str, str], bytes, User, bool]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Parts).decode


class KeptRequest:
    """A request that can be made again, in little memory: a session may keep thousands of them."""

    __slots__ = ("_packed", "_size", "_title")

    def __init__(self, request: Request) -> None:
        headers = dict(request.headers)
        parts: _Parts = (
            request.method,
            request.path,
            request.query,
            headers,
            request.body,
            request.user,
            request.protobuf,
        )
        packed = _encode(parts)
        self._size = len(packed)
        is_large = len(packed) >= _LARGE
        self._packed = zlib.compress(packed, level=1) if is_large else packed
        self._title = _title_of(request) if is_large else ""  # a hundred of them would take long to unpack

    @property
    def size(self) -> int:
        """Returns the bytes that it takes."""
        return len(self._packed)

    def repeat(self, served: ServedCluster) -> Response | Stream:
        """Makes the request again."""
        return served.api.handle(self._request())

    def title(self) -> str:
        """Says what the request does: change deployments/web/scale."""
        return self._title or _title_of(self._request())

    def _request(self) -> Request:
        return Request(*_decode(self._packed if self._size < _LARGE else zlib.decompress(self._packed)))


def _title_of(request: Request) -> str:
    parts = [part for part in request.path.split("/") if part]
    parts = parts[2 if parts[:1] == ["api"] else 3 :]
    if parts[:1] == ["namespaces"] and len(parts) > 2:
        parts = parts[2:]
    if request.method == "POST" and len(parts) == 1:
        parts.append(_name_in(request.body))
    return f"{_VERBS.get(request.method, request.method)} {'/'.join(filter(None, parts))}"


def _name_in(body: bytes) -> str:
    """Returns the name of an object in JSON; an empty string if there is none, or the body is something else."""
    try:
        metadata = msgspec.json.decode(body, type=_Named).metadata
    except (msgspec.DecodeError, RecursionError):
        return ""
    return metadata.name or metadata.generateName


class _Metadata(msgspec.Struct):
    name: str = ""
    generateName: str = ""  # noqa: N815


class _Named(msgspec.Struct):
    metadata: _Metadata
