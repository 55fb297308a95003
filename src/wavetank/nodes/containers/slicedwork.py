from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from wavetank.kernel.clock import Clock, Timer

SLICE = 100  # pieces of work in a row; few pods have as many containers

Piece = Callable[[], None]


class SlicedWork:
    """Pieces of work of one instant: done at once if they are few; if they are many, others can act in between.

    `done` is called at the end of work that took several slices.
    """

    def __init__(self, clock: Clock, done: Callable[[], None]) -> None:
        self._clock = clock
        self._done = done
        self._pieces: deque[Piece] = deque()
        self._timer: Timer | None = None
        self._busy = False
        self._several = False

    @property
    def is_sliced(self) -> bool:
        """Tells whether the work takes several slices, and is not done yet."""
        return self._several or len(self._pieces) >= SLICE

    def add(self, pieces: Iterable[Piece]) -> None:
        """Does some work, after what is pending; a piece may add more."""
        self._pieces.extend(pieces)
        if not self._busy and self._timer is None:
            self._do_slice()

    def drop(self) -> None:
        """Forgets what is pending."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pieces.clear()
        self._several = False

    def _do_slice(self) -> None:
        self._busy = True
        for _ in range(SLICE):
            if self._pieces:
                self._pieces.popleft()()
        self._busy = False
        if self._pieces:
            self._several = True
            self._timer = self._clock.at(self._clock.now, self._continue)

    def _continue(self) -> None:
        self._timer = None
        self._do_slice()
        if self._timer is None and self._several:
            self._several = False
            self._done()
