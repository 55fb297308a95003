from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wavetank.cluster.store.errors import ApiError

T = TypeVar("T")


def in_batches(items: Sequence[T], do: Callable[[T], object]) -> None:
    """Processes 1 item, then 2, 4 and so on; stops after the first batch with a failure.

    ApiError: the first failure. So an error that affects all items is not repeated thousands of times.
    """
    begun, size = 0, 1
    while begun < len(items):
        problems = []
        for item in items[begun : begun + size]:
            try:
                do(item)
            except ApiError as error:
                problems.append(error)
        if problems:
            raise problems[0]
        begun, size = begun + size, size * 2
