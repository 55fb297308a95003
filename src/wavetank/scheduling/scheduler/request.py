from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from wavetank.kernel.durations import Nanoseconds


class Request(NamedTuple):
    """A request to the API server: committed after `latency`, when the sender also gets its answer."""

    latency: Nanoseconds
    commit: Callable[[], None]
    answered: Callable[[], None] | None = None
