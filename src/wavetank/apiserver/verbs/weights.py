"""How heavy requests are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from wavetank.apiserver.codec.sizes import is_large
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.waiting import HEAVIEST, may_wait, run_beside

T = TypeVar("T")

_COPIES = 1000  # how much longer than itself a patch may make a document


def weight_of(kind: Kind | Subresource, request: Request) -> int:
    """Returns about how many bytes are looked at to read and check the body of a request."""
    if _has_aliases(request):
        return HEAVIEST
    custom = kind.custom if isinstance(kind, Kind) else None
    copies = _COPIES if b'"copy"' in request.body else 1  # operations of a JSON patch
    return len(request.body) * (custom.complexity if custom is not None else 1) * copies


def _has_aliases(request: Request) -> bool:
    """Tells whether a body may have aliases, which stand for up to a million values."""
    return "yaml" in request.headers.get("content-type", "") and b"&" in request.body and b"*" in request.body


def run_large_beside(function: Callable[[], T], document: Mapping[str, object]) -> T:
    """Runs a function without side effects that reads a document, of a large one beside the event loop."""
    return run_beside(function, HEAVIEST) if may_wait() and is_large(document) else function()
