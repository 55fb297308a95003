from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Stream(Protocol):
    """A response without an end: the pending data of a watch, or of a log that is followed.

    `notify` is called when data is pending or the stream has been closed. `timeout_s` is how long the client wants the
    stream to last; None: the transport decides.
    """

    headers: list[tuple[str, str]]
    timeout_s: float | None
    notify: Callable[[], None] | None
    closed: bool

    def take(self) -> bytes:
        """Returns the pending data, and forgets it."""

    def bookmark(self) -> None:
        """Adds a bookmark, if the client allows them."""

    def close(self) -> None:
        """Ends the stream; pending data can still be taken."""
