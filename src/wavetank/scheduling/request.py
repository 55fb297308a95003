from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from wavetank.kernel.durations import Nanoseconds


class Request(NamedTuple):
    """Something sent to the API server: done after `latency`, when the sender also has its answer."""

    latency: Nanoseconds
    commit: Callable[[], None]
    answered: Callable[[], None] | None = None
    is_binding: bool = False


def comes_after_bindings(request: Request) -> bool:
    """Tells whether the API server takes a request only after all bindings of its turn."""
    return not request.is_binding
