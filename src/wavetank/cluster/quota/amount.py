from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from wavetank.quantity import format_bytes, format_milli, milli, value_of
from wavetank.textcache import cached_text


class Amount(NamedTuple):
    """An exact amount that keeps how it was written: in powers of 1024 (`2Gi`) or of 1000 (`2G`)."""

    value: Fraction
    binary: bool = False

    @classmethod
    def parse(cls, text: str | None) -> Amount:
        """Reads a quantity; nothing is zero."""
        return _parsed(text)

    def plus(self, other: Amount) -> Amount:
        """Returns the sum, written as the first of the two that is not zero."""
        return Amount(self.value + other.value, self.binary if self.value else other.binary)

    def minus(self, other: Amount) -> Amount:
        """Returns the difference, written as this one unless it is zero."""
        return self.plus(Amount(-other.value, other.binary))

    def __str__(self) -> str:
        """Returns the canonical form."""
        if self.binary and self.value.denominator == 1:
            return format_bytes(int(self.value))
        return format_milli(milli(float(self.value)) if self.value.denominator > 1000 else int(self.value * 1000))


@cached_text(8192)
def _parsed(text: str | None) -> Amount:
    return Amount(value_of(text), bool(text) and str(text).endswith("i"))


Amounts = Mapping[str, Amount]
ZERO, ONE = Amount(Fraction(0)), Amount(Fraction(1))


def parse_amounts(texts: Mapping[str, str] | None) -> dict[str, Amount]:
    """Reads quantities by the names of their resources."""
    return {name: Amount.parse(text) for name, text in (texts or {}).items()}


def render_amounts(amounts: Amounts) -> dict[str, str]:
    """Writes amounts in the order of their names."""
    known: dict[int, str] = {}  # by identity: many are the same object
    for amount in amounts.values():
        if id(amount) not in known:
            known[id(amount)] = str(amount)
    return {name: known[id(amounts[name])] for name in sorted(amounts)}


def add(amounts: Amounts, others: Amounts) -> dict[str, Amount]:
    """Returns the sums."""
    total = dict(amounts)
    for name, amount in others.items():
        total[name] = total[name].plus(amount) if name in total else amount
    return total


def largest(amounts: Amounts, others: Amounts) -> dict[str, Amount]:
    """Returns the larger of the two for each resource; the first where they are equal."""
    names = {**amounts, **others}
    return {name: max(amounts.get(name, others.get(name, ZERO)), others.get(name, ZERO), key=_value) for name in names}


def _value(amount: Amount) -> Fraction:
    return amount.value
