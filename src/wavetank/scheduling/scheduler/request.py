from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from wavetank.kernel.durations import Nanoseconds


class Request(NamedTuple):
    """Something sent to the API server: done after `latency`, when the sender also has its answer."""

    latency: Nanoseconds
    commit: Callable[[], None]
    answered: Callable[[], None] | None = None
