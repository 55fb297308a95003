from __future__ import annotations

from collections.abc import Callable

LARGEST = 16 * 1024 * 1024  # bytes that may be pending for one client


class Mailbox:
    """What is to be sent to one client, in order; bounded, so that a client that does not read costs little memory.

    `notify` is called when there is something to take and when the mailbox was closed. A mailbox that would hold more
    than `largest` bytes (LARGEST) is emptied and closed: `overflowed` is true then.
    """

    def __init__(self, largest: int | None = None) -> None:
        self.closed = False
        self.overflowed = False
        self.notify: Callable[[], None] | None = None
        self._largest = LARGEST if largest is None else largest
        self._size = 0
        self._pending: list[bytes] = []

    def put(self, message: bytes) -> None:
        """Adds a message, unless the mailbox is closed."""
        if self.closed:
            return
        self._pending.append(message)
        self._size += len(message)
        if self._size > self._largest:
            self._pending.clear()
            self.overflowed = True
            self.closed = True
        self._wake()

    def take_all(self) -> list[bytes]:
        """Returns the pending messages, and forgets them."""
        taken, self._pending, self._size = self._pending, [], 0
        return taken

    def close(self) -> None:
        """Takes nothing more; what is pending can still be taken."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        if self.notify is not None:
            self.notify()
