from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import repeat
from typing import TypeVar

from wavetank.kernel.clock import Clock, Timer

SLICE = 100  # pieces of work in a row; few pods have as many containers

T = TypeVar("T")


class SlicedWork:
    """Pieces of work of one instant: done at once if they are few; if they are many, others can act in between.

    `done` is called at the end of work that took several slices.
    """

    def __init__(self, clock: Clock, done: Callable[[], None]) -> None:
        self._clock = clock
        self._done = done
        self._pieces: deque[Iterator[Callable[[], object]]] = deque()
        self._left = 0  # pieces that are not done yet
        self._timer: Timer | None = None
        self.is_busy = False  # with a piece
        self._several = False

    @property
    def is_sliced(self) -> bool:
        """Tells whether the work takes several slices, and is not done yet."""
        return self._several or self._left >= SLICE

    def add(self, do: Callable[[T], object], items: Collection[T]) -> None:
        """Does something with each of some items, after what is pending; it may add more."""
        self._pieces.append(map(partial, repeat(do), items))
        self._left += len(items)
        if not self.is_busy and self._timer is None:
            self._do_slice()

    def drop(self) -> None:
        """Forgets what is pending."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pieces.clear()
        self._left = 0
        self._several = False

    def _do_slice(self) -> None:
        self.is_busy = True
        try:
            for _ in range(SLICE):
                piece = self._next()
                if piece is None:
                    break
                piece()
        finally:
            self.is_busy = False
            if self._left:
                self._several = True
                self._timer = self._clock.at(self._clock.now, self._continue)

    def _next(self) -> Callable[[], object] | None:
        while self._pieces:
            piece = next(self._pieces[0], None)
            if piece is not None:
                self._left -= 1
                return piece
            self._pieces.popleft()
        return None

    def _continue(self) -> None:
        self._timer = None
        self._do_slice()
        if self._timer is None and self._several:
            self._several = False
            self._done()
