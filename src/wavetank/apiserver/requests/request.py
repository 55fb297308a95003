from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class User:
    """An authenticated user: a name and groups; `extra` is what its token says besides."""

    name: str = "kubernetes-admin"
    groups: tuple[str, ...] = ("system:masters", "system:authenticated")
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(slots=True)
class Request:
    """One HTTP request of any transport: a decoded path, the query in order, headers in lower case.

    `warnings` are about its body; the client gets them even if the request is refused afterwards. Without `protobuf`
    the answer is in another media type if the client accepts one. `stated` is the document that the client wants, with
    fields that are empty: the body, or what a patch makes of the present object.
    """

    method: str
    path: str
    query: Query = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User = User()
    protobuf: bool = True
    warnings: list[str] = field(default_factory=list, init=False)
    stated: Any = field(default=None, init=False, repr=False, compare=False)

    def param(self, name: str, default: str = "") -> str:
        """Returns the first value of a query parameter."""
        for key, value in self.query:
            if key == name:
                return value
        return default

    def all(self, name: str) -> list[str]:
        """Returns every value of a query parameter, in order."""
        return [value for key, value in self.query if key == name]

    def has(self, name: str) -> bool:
        """Says whether a query parameter is present, with or without a value."""
        return any(key == name for key, _ in self.query)

    def flag(self, name: str) -> bool:
        """Says whether a query parameter is present and not false; one without a value is true."""
        return self.has(name) and self.param(name).lower() not in ("0", "false")


@dataclass(slots=True)
class Response:
    """One HTTP response; `headers` has the content type and may name a header several times."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
