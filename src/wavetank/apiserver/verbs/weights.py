"""How heavy requests are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.webhooks.waiting import HEAVIEST, may_wait, run_beside

T = TypeVar("T")

_MANY_VALUES = 2000  # which are checked within a few milliseconds
_COPIES = 1000  # how much longer than itself a patch may make a document


def weight_of(kind: Kind | Subresource, request: Request) -> int:
    """Returns about how many bytes are looked at to read and check the body of a request."""
    custom = kind.custom if isinstance(kind, Kind) else None
    copies = _COPIES if b'"copy"' in request.body else 1  # operations of a JSON patch
    return len(request.body) * (custom.complexity if custom is not None else 1) * copies


def is_large(document: Mapping[str, object]) -> bool:
    """Tells whether a document has very many values; of a large one only some are looked at."""
    left: list[object] = [document]
    seen = 0
    while left:
        each = left.pop()
        inside = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        seen += len(inside)
        if seen > _MANY_VALUES:
            return True
        left.extend(inside)
    return False


def run_large_beside(function: Callable[[], T], document: Mapping[str, object]) -> T:
    """Runs a function without side effects that reads a document, of a large one beside the event loop."""
    return run_beside(function, HEAVIEST) if may_wait() and is_large(document) else function()
