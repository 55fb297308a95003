"""Responses: documents in the representation that a client wants, and errors."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.media import JSON
from wavetank.apiserver.requests.negotiation import Representation, of_error
from wavetank.apiserver.requests.request import Request, Response

PRIVATE = ("cache-control", "no-cache, private")

_MOST_WARNINGS = 50  # clients refuse responses with more than a hundred headers


def answer(
    kind: Kind,
    representation: Representation,
    document: dict[str, Any],
    now: float,
    status: int = 200,
    warnings: Iterable[str] = (),
) -> Response:
    """Returns the response with one document; `now` is seconds since 1970."""
    shown = representation.object(kind, document, now)
    return Response(status, headers_of(representation, warnings), representation.encode(shown))


def already_written(body: bytes) -> Response:
    """Returns the response with an object that is already encoded as JSON."""
    return Response(200, [("content-type", JSON), PRIVATE], body + b"\n")


def refusal(error: StatusError, request: Request) -> Response:
    """Returns the response with the Status of an error."""
    representation = of_error(request)
    headers = headers_of(representation, request.warnings)
    if error.retry_after_s:
        headers.append(("retry-after", str(error.retry_after_s)))
    return Response(error.code, headers, representation.encode(error.status))


def headers_of(representation: Representation, warnings: Iterable[str]) -> list[tuple[str, str]]:
    """Returns the headers of a response; each warning is a header of its own."""
    headers = [("content-type", representation.media_type), PRIVATE]
    return headers + [warning(text) for text in islice(dict.fromkeys(warnings), _MOST_WARNINGS)]


def warning(text: str) -> tuple[str, str]:
    """Returns the header of a warning."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return "warning", f'299 - "{quoted}"'
