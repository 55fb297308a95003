"""Answers: documents in the representation that a client wants, and refusals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.media import JSON
from wavetank.apiserver.requests.negotiation import Representation, of_error
from wavetank.apiserver.requests.request import Request, Response

PRIVATE = ("cache-control", "no-cache, private")


def answer(
    kind: Kind,
    representation: Representation,
    document: dict[str, Any],
    now: float,
    status: int = 200,
    warnings: Iterable[str] = (),
) -> Response:
    """Answers with one document; `now` is seconds since 1970."""
    shown = representation.object(kind, document, now)
    return Response(status, headers_of(representation, warnings), representation.encode(shown))


def already_written(body: bytes) -> Response:
    """Answers with an object whose JSON is at hand."""
    return Response(200, [("content-type", JSON), PRIVATE], body + b"\n")


def refusal(error: StatusError, request: Request) -> Response:
    """Answers with the Status that tells why not."""
    representation = of_error(request)
    headers = headers_of(representation, request.warnings)
    if error.retry_after_s:
        headers.append(("retry-after", str(error.retry_after_s)))
    return Response(error.code, headers, representation.encode(error.status))


def headers_of(representation: Representation, warnings: Iterable[str]) -> list[tuple[str, str]]:
    """Returns the headers of an answer; each warning is one of its own."""
    headers = [("content-type", representation.media_type), PRIVATE]
    return headers + [warning(text) for text in dict.fromkeys(warnings)]


def warning(text: str) -> tuple[str, str]:
    """Returns the header that warns a client."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return "warning", f'299 - "{quoted}"'
