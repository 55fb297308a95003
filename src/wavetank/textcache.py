"""Values that are kept by the texts they were made of, without keeping what is long: clients may send megabytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, TypeVarTuple

LONGEST = 1000  # characters of all texts of a key together, and what its value weighs; what has more is long

Key = TypeVar("Key")
Value = TypeVar("Value")
Arguments = TypeVarTuple("Arguments")


class Kept(dict[Key, Value], Generic[Key, Value]):
    """Values by their keys, in two generations: those that are not asked for while the new one fills are forgotten.

    A generation has at most `most` values, and `long` characters of texts that are long.
    """

    def __init__(
        self, make: Callable[[Key], Value], most: int, long: int, weigh: Callable[[Value], int] | None
    ) -> None:
        self._make = make
        self._most = most
        self._most_long = long
        self._weigh = weigh
        self._long = 0
        self.old: dict[Key, Value] = {}  # is replaced, not changed: other threads may read it meanwhile

    def __missing__(self, key: Key) -> Value:
        old = self.old
        value = old[key] if key in old else self._make(key)
        weight = length_of(key) + (self._weigh(value) if self._weigh is not None else 0)
        long = weight if weight > LONGEST else 0
        if long > self._most_long:
            return value
        if len(self) >= self._most or self._long + long > self._most_long:
            self.old, self._long = dict(self), 0
            self.clear()
        self[key] = value
        self._long += long
        return value


def length_of(key: object) -> int:
    """Returns the length of the texts in a key."""
    if isinstance(key, (str, bytes)):
        return len(key)
    return sum(map(length_of, key)) + len(key) if isinstance(key, tuple) else 0


def cached_text(
    most: int, long: int = 0, weigh: Callable[[Any], int] | None = None
) -> Callable[[Callable[[Key], Value]], Callable[[Key], Value]]:
    """Keeps the answers of a function of one argument; one that is kept is found faster than by an lru_cache.

    At least the last `most` are kept, but none to a long text; or if `long` is given, those to long texts with up to
    that many characters together. An answer that takes much memory counts as the characters that `weigh` returns.
    """

    def decorate(function: Callable[[Key], Value]) -> Callable[[Key], Value]:
        return Kept(function, most, long, weigh).__getitem__

    return decorate


def cached_texts(
    most: int, long: int = 0, weigh: Callable[[Any], int] | None = None
) -> Callable[[Callable[[*Arguments], Value]], Callable[[*Arguments], Value]]:
    """Does the same for a function of several arguments."""

    def decorate(function: Callable[[*Arguments], Value]) -> Callable[[*Arguments], Value]:
        def make(arguments: tuple[*Arguments]) -> Value:
            return function(*arguments)

        kept: Kept[tuple[*Arguments], Value] = Kept(make, most, long, weigh)

        @wraps(function)
        def call(*arguments: *Arguments) -> Value:
            return kept[arguments]

        return call

    return decorate
