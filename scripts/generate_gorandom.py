"""Writes src/wavetank/kernel/gorandom.bin: the numbers with which Go's math/rand mixes a seed (its rngCooked).

Go defines them in gen_cooked.go: the state of the generator, seeded with 1, after 7.8e12 draws. A draw is a linear
recurrence modulo 2**64, so these draws are one power of x modulo its characteristic polynomial.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parents[1] / "src" / "wavetank" / "kernel" / "gorandom.bin"
LENGTH, TAP = 607, 273
FEED = LENGTH - TAP
DRAWS = 7_800_000_000_000
Numbers = NDArray[np.uint64]


def main() -> None:
    """Computes the numbers and writes or checks the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether the file is as it would be written")
    with np.errstate(over="ignore"):  # sums and products are meant modulo 2**64
        data = state_after(DRAWS).astype(">u8").tobytes()
    if not parser.parse_args().check:
        FILE.write_bytes(data)
    elif FILE.read_bytes() != data:
        raise SystemExit(f"{FILE} is not as {Path(__file__).name} writes it")


def state_after(draws: int) -> Numbers:
    """Returns the state of the generator, seeded with 1, after some draws.

    Draw k is the sum of the draws k - 607 and k - 273, and is kept at the place 334 - k modulo 607.
    """
    places = (FEED - np.arange(1 - LENGTH, 1)) % LENGTH
    drawn = np.empty(2 * LENGTH, np.uint64)  # the first 607 are those that the seed stands for
    drawn[:LENGTH] = _seeded()[places]
    for i in range(LENGTH, 2 * LENGTH):
        drawn[i] = drawn[i - LENGTH] + drawn[i - TAP]
    factors = _power(draws)
    last = np.array([np.sum(factors * drawn[i : i + LENGTH]) for i in range(LENGTH)], np.uint64)
    state = np.empty(LENGTH, np.uint64)
    state[(FEED - np.arange(draws + 1 - LENGTH, draws + 1)) % LENGTH] = last
    return state


def _seeded() -> Numbers:
    x = 1
    numbers = []
    for i in range(-20, LENGTH):
        x = 48271 * x % (2**31 - 1)
        if i < 0:
            continue
        number = x << 20
        x = 48271 * x % (2**31 - 1)
        number ^= x << 10
        x = 48271 * x % (2**31 - 1)
        numbers.append(number ^ x)
    return np.array(numbers, np.uint64)


def _power(exponent: int) -> Numbers:
    """Returns x**exponent modulo x**607 - x**334 - 1, lowest power first."""
    power = np.zeros(LENGTH, np.uint64)
    power[0] = 1
    for digit in f"{exponent:b}":
        power = _reduced(np.convolve(power, power))
        if digit == "1":
            power = _reduced(np.concatenate(([np.uint64(0)], power)))
    return power


def _reduced(product: Numbers) -> Numbers:
    for i in range(len(product) - 1, LENGTH - 1, -1):
        product[i - LENGTH] += product[i]
        product[i - TAP] += product[i]
    return product[:LENGTH]


if __name__ == "__main__":
    main()
