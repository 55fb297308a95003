from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Stream(Protocol):
    """An answer that goes on: a watch, or a log that is followed; what waits to be sent, as bytes.

    `notify` is called when something is waiting or the stream has been closed. `timeout_s` is how long the client
    wants to hear, None for a while of the transport's choice.
    """

    headers: list[tuple[str, str]]
    timeout_s: float | None
    notify: Callable[[], None] | None
    closed: bool

    def take(self) -> bytes:
        """Returns what is waiting, and forgets it."""

    def bookmark(self) -> None:
        """Adds a bookmark, if the client likes them."""

    def close(self) -> None:
        """Ends the stream; what waits can still be taken."""
