"""How heavy requests are."""

from __future__ import annotations

from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.requests.request import Request

_COPIES = 1000  # how much longer than itself a patch may make a document


def weight_of(kind: Kind | Subresource, request: Request) -> int:
    """Returns about how many bytes are looked at to read and check the body of a request."""
    custom = kind.custom if isinstance(kind, Kind) else None
    copies = _COPIES if b'"copy"' in request.body else 1  # operations of a JSON patch
    return len(request.body) * (custom.complexity if custom is not None else 1) * copies
