"""Answers: documents in the representation that a client wants, and refusals."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.media import JSON
from wavetank.apiserver.http.negotiation import Representation, of_error
from wavetank.apiserver.http.request import Request, Response
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.verbs.objects import Document, Objects

PRIVATE = ("cache-control", "no-cache, private")


def answer(
    objects: Objects,
    kind: Kind,
    representation: Representation,
    document: Document,
    status: int = 200,
    warnings: Iterable[str] = (),
) -> Response:
    """Answers with one document."""
    shown = representation.object(kind, document, objects.now)
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
