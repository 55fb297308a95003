"""Quantities as the API server writes them back: the same amount, in the notation in which it came."""

from __future__ import annotations

import re

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.textcache import cached_text

_QUANTITY = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SUFFIXES = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BINARY_SUFFIXES = ("", *_BINARY)
_NANO = 10**9
_LARGEST = (2**63 - 1) * _NANO  # with a binary suffix; upstream caps no other notation
_LONGEST = 256  # characters; keeps a hostile document from making us multiply giant numbers


@cached_text(4096)
def canonical_quantity(text: str) -> str:
    """Returns the canonical form: "1000m" is "1", "1024Mi" is "1Gi", "1e4" is "10e3"."""
    text = text.strip()
    found = _QUANTITY.fullmatch(text)
    if not text or not found or len(text) > _LONGEST:
        raise UnreadableError(_WRONG)
    sign, whole, fraction, suffix = found[1], found[2], found[3] or "", found[4]
    power, binary = _interpret(suffix)
    nanos = _nanos(int(f"{whole}{fraction}" or "0") << binary, power - len(fraction))
    nanos = (min(nanos, _LARGEST) if binary else nanos) * (-1 if sign == "-" else 1)
    if binary and abs(nanos) >= 1024 * _NANO and nanos % _NANO == 0:
        return _shortened(nanos // _NANO, 1024, _BINARY_SUFFIXES)
    if suffix not in _DECIMAL and suffix not in _BINARY:
        return _exponential(nanos)
    return _shortened(nanos, 1000, _DECIMAL_SUFFIXES)


def _interpret(suffix: str) -> tuple[int, int]:
    """Returns the powers of ten and of two."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], 0
    if suffix in _BINARY:
        return 0, _BINARY[suffix]
    if suffix[0] in "eE" and re.fullmatch(r"[+-]?[0-9]+", suffix[1:], re.ASCII):
        return max(-2 * _LONGEST, min(2 * _LONGEST, int(suffix[1:]))), 0
    raise UnreadableError("unable to parse quantity's suffix")


def _nanos(digits: int, power: int) -> int:
    """Returns digits × 10^power in nanos; what is finer than a nano is rounded away from zero."""
    shift = power + 9
    scale: int = 10 ** abs(shift)
    return digits * scale if shift >= 0 else -(-digits // scale)


def _shortened(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    step = 0
    while amount and amount % base == 0 and step < len(suffixes) - 1:
        amount //= base
        step += 1
    return f"{amount}{suffixes[step]}" if amount else "0"


def _exponential(nanos: int) -> str:
    amount, exponent = nanos, -9
    while amount and amount % 1000 == 0:
        amount //= 1000
        exponent += 3
    return f"{amount}e{exponent}" if amount and exponent else str(amount)
