"""Quantities as Go represents them in memory, which is part of the hashed text."""

from __future__ import annotations

import re
from typing import NamedTuple

_PARTS = re.compile(r"(?P<sign>[+-]?)(?P<number>\d*)\.?(?P<fraction>\d*)(?P<suffix>.*)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS = 18  # that always fit into 64 bits
_MOST = (1 << 63) - 1
_FINEST = -9  # smaller powers of ten are rounded
_NO_DECIMAL = "{Dec:(*inf.Dec)<nil>}"


class _Parts(NamedTuple):
    """A parsed quantity; `binary` or `decimal` is the exponent of its suffix."""

    negative: bool
    number: str
    fraction: str
    binary: int | None
    decimal: int
    form: str


def quantity_text(text: str) -> str:
    """Returns a quantity as spew prints its Go struct."""
    if text == "0":
        return _small(0, 0, "DecimalSI", text)
    parts = _parts(text)
    digits = parts.number + parts.fraction
    scale = (0 if parts.binary is not None else parts.decimal) - len(parts.fraction)
    value = int(digits or "0") << (parts.binary or 0)
    if not _is_quick(parts) or scale < _FINEST or value > _MOST:
        return _large(parts, value, scale)
    kept = text if _is_canonical(parts, digits, scale) else ""
    return _small(-value if parts.negative else value, scale, parts.form, kept)


def _parts(text: str) -> _Parts:
    match = _PARTS.fullmatch(text)
    assert match is not None
    sign, number, fraction, suffix = match.groups()
    number = number.lstrip("0") or "0"
    if suffix in _BINARY:
        return _Parts(sign == "-", number, fraction, _BINARY[suffix], 0, "BinarySI")
    if suffix in _DECIMAL:
        return _Parts(sign == "-", number, fraction, None, _DECIMAL[suffix], "DecimalSI")
    return _Parts(sign == "-", number, fraction, None, int(suffix[1:]), "DecimalExponent")


def _is_quick(parts: _Parts) -> bool:
    """Tells whether Go parses it into 64 bits on its fast path."""
    if parts.binary is None:
        return len(parts.number) + len(parts.fraction) <= _DIGITS
    return not parts.fraction and 15 - len(parts.number) - parts.binary * 3 // 10 - 1 >= 0


def _is_canonical(parts: _Parts, digits: str, scale: int) -> bool:
    """Tells whether Go keeps the text, too, so that it need not be formatted again."""
    if parts.binary is not None:
        return int(digits) & 7 != 0
    return scale % 3 == 0 and not digits.endswith("000") and not digits.startswith("0")


def _small(value: int, scale: int, form: str, text: str) -> str:
    amount = f"{{value:(int64){value} scale:(resource.Scale){scale}}}"
    return _struct(amount, _NO_DECIMAL, text, form)


def _large(parts: _Parts, value: int, scale: int) -> str:
    unscaled = -(-value * 10 ** (scale - _FINEST)) if scale >= _FINEST else -(-value // 10 ** (_FINEST - scale))
    form, places = parts.form, -_FINEST
    if form == "BinarySI":
        form = "DecimalSI" if 0 < unscaled < 10**places else form
        if unscaled > _MOST * 10**places:
            unscaled, places = _MOST, 0
    words = []
    while unscaled:
        words.append(str(unscaled & 0xFFFF_FFFF_FFFF_FFFF))
        unscaled >>= 64
    number = f"{{neg:(bool){'true' if parts.negative else 'false'} abs:(big.nat)[{' '.join(words)}]}}"
    decimal = f"{{Dec:(*inf.Dec){{unscaled:(big.Int){number} scale:(inf.Scale){places}}}}}"
    return _struct("{value:(int64)0 scale:(resource.Scale)0}", decimal, "", form)


def _struct(amount: str, decimal: str, text: str, form: str) -> str:
    integer = f"i:(resource.int64Amount){amount}"
    return f"{{{integer} d:(resource.infDecAmount){decimal} s:(string){text} Format:(resource.Format){form}}}"
