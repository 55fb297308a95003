"""Kubernetes quantities: `500m` of a core, `2Gi` of memory, read exactly and written in canonical form."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from wavetank.errors import InputError

INT64_MAX = 2**63 - 1

_NANO = 10**9
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*)"
    r"(?:(?P<suffix>[numkMGTPE]?|[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]+))"
)
_LONGEST = 256  # characters; keeps a hostile document from making us multiply giant numbers


def parse_quantity(value: str | int | float) -> Fraction:
    """Returns the exact value, in units (cores, bytes, things).

    As in Kubernetes, amounts finer than a nano are rounded away from zero; magnitudes are capped at 2⁶³-1.
    Unlike Kubernetes, which reads a suffix without a number (`Mi`) as zero, at least one digit is required.
    """
    return Fraction(_nanos(str(value)), _NANO)


def value_of(amount: str | None) -> Fraction:
    """Returns the exact value of a quantity; no digits and no quantity are zero, as for Kubernetes."""
    try:
        return parse_quantity(amount or "0")
    except InputError:
        return Fraction(0)


def milli(value: str | int | float) -> int:
    """Returns thousandths of the unit (millicores for CPU), rounded away from zero and capped at 2⁶³-1."""
    return _milli(str(value))


def whole(value: str | int | float) -> int:
    """Returns whole units (bytes, counts), rounded away from zero and capped at 2⁶³-1."""
    return _whole(str(value))


def format_milli(amount: int) -> str:
    """Returns the canonical form of `amount` thousandths, with decimal suffixes: `500m`, `2`, `3k`."""
    return _shortened(amount, 1000, ("m", "", "k", "M", "G", "T", "P", "E"))


def format_bytes(amount: int) -> str:
    """Returns the canonical form of `amount` bytes: `500Mi`, or digits where no binary suffix is exact."""
    if abs(amount) < 1024:  # as upstream: too small for a binary suffix, so 1000 reads 1k
        return _shortened(amount, 1000, ("", "k"))
    return _shortened(amount, 1024, ("", *_BINARY))


@lru_cache(maxsize=4096)
def _milli(text: str) -> int:
    return max(-INT64_MAX, min(INT64_MAX, _divided(_nanos(text), 10**6)))


@lru_cache(maxsize=4096)
def _whole(text: str) -> int:
    return _divided(_nanos(text), _NANO)


def _meant(text: str) -> str:
    """Returns a hint for amounts as people write them elsewhere: 32GB, 512 MB, 4gb."""
    match = re.fullmatch(r"([0-9.]{1,20}) ?([kmgtpe])(i?)b?", text, re.IGNORECASE)
    if match is None:
        return ""
    number, letter = match[1], match[2].upper()
    decimal = "k" if letter == "K" else letter
    return (
        f" (did you mean {number}{letter}i?)"
        if match[3]
        else f" (did you mean {number}{letter}i or {number}{decimal}?)"
    )


@lru_cache(maxsize=4096)
def _nanos(text: str) -> int:
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        expected = f"expected a number such as 2, 500m, 1.5Gi or 1e3{_meant(text)}"
        raise InputError(f"{text[:_LONGEST]!r} is not a quantity, {expected}")
    digits = int(match["whole"] + match["fraction"]) << _BINARY.get(match["suffix"], 0)
    shift = _power_of_ten(match) - len(match["fraction"]) + 9
    nanos = digits * 10**shift if shift >= 0 else _divided(digits, 10**-shift)
    return min(nanos, INT64_MAX * _NANO) * (-1 if match["sign"] == "-" else 1)


def _power_of_ten(match: re.Match[str]) -> int:
    if match["exponent"] is None:
        return _DECIMAL.get(match["suffix"], 0)
    # Beyond twice the longest text every number it can hold is either capped or rounded up to one nano.
    return max(-2 * _LONGEST, min(2 * _LONGEST, int(match["exponent"])))


def _divided(amount: int, by: int) -> int:
    """Rounds away from zero, so that a small amount is never zero."""
    return -(-amount // by) if amount >= 0 else amount // by


def _shortened(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    """Moves factors of `base` into the suffix for as long as no digit is lost."""
    step = 0
    while amount and amount % base == 0 and step < len(suffixes) - 1:
        amount //= base
        step += 1
    return f"{amount}{suffixes[step]}" if amount else "0"
