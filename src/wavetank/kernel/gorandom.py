from __future__ import annotations

from collections.abc import MutableSequence
from functools import cache
from importlib.resources import files
from struct import unpack
from typing import Any

_LENGTH, _TAP = 607, 273
_MOST_31 = (1 << 31) - 1
_ALL_64 = (1 << 64) - 1


class GoRandom:
    """The random numbers of Go's math/rand for a seed, to repeat what a program in Go has drawn.

    An additive lagged Fibonacci generator by D. P. Mitchell and J. A. Reeds. Its initial state is mixed with the table
    in gorandom.bin, 607 numbers of 64 bits that are part of Go's definition of it (scripts/generate_gorandom.py).
    """

    def __init__(self, seed: int) -> None:
        self._state = _initial(seed)
        self._tap, self._feed = 0, _LENGTH - _TAP

    def int63(self) -> int:
        """Returns a whole number below 2**63, as Int63 and Int do."""
        self._tap = (self._tap - 1) % _LENGTH
        self._feed = (self._feed - 1) % _LENGTH
        number = (self._state[self._feed] + self._state[self._tap]) & _ALL_64
        self._state[self._feed] = number
        return number & (_ALL_64 >> 1)

    def float64(self) -> float:
        """Returns a number from 0 up to 1, as Float64 does."""
        number = self.int63() / (1 << 63)
        while number == 1:  # by rounding
            number = self.int63() / (1 << 63)
        return number

    def intn(self, below: int) -> int:
        """Returns a whole number below a bound of at most 2**31 - 1, as Intn does."""
        if below & (below - 1) == 0:
            return (self.int63() >> 32) & (below - 1)
        most = _MOST_31 - (1 << 31) % below
        number = self.int63() >> 32
        while number > most:
            number = self.int63() >> 32
        return number % below

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Puts items into a random order, as Shuffle does."""
        for i in range(len(items) - 1, 0, -1):
            j = self._below(i + 1)
            items[i], items[j] = items[j], items[i]

    def perm(self, size: int) -> list[int]:
        """Returns the numbers below `size` in random order, as Perm does."""
        numbers = [0] * size
        for i in range(size):
            j = self.intn(i + 1)
            numbers[i] = numbers[j]
            numbers[j] = i
        return numbers

    def _below(self, bound: int) -> int:
        """Returns a whole number below a bound by multiplying, which is how Shuffle draws."""
        product = (self.int63() >> 31) * bound
        if product & 0xFFFFFFFF < bound:
            least = ((1 << 32) - bound) % bound
            while product & 0xFFFFFFFF < least:
                product = (self.int63() >> 31) * bound
        return product >> 32


def _initial(seed: int) -> list[int]:
    x = seed % _MOST_31 or 89482311
    for _ in range(20):
        x = _next(x)
    state = []
    for mixed in _table():
        x = _next(x)
        number = x << 40
        x = _next(x)
        number ^= x << 20
        x = _next(x)
        state.append((number ^ x ^ mixed) & _ALL_64)
    return state


def _next(x: int) -> int:
    """Returns 48271 x modulo 2**31 - 1."""
    return 48271 * x % _MOST_31


@cache
def _table() -> tuple[int, ...]:
    return unpack(f">{_LENGTH}Q", (files("wavetank.kernel") / "gorandom.bin").read_bytes())
