"""Functions of quantities such as 1.5Gi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from wavetank.cel.values import EvaluationError, Opaque
from wavetank.errors import InputError
from wavetank.quantity import parse_quantity


@dataclass(frozen=True, slots=True, order=True)
class Amount(Opaque):
    """An exact amount."""

    amount: Fraction


def _read(text: str) -> Amount:
    try:
        return Amount(Fraction(parse_quantity(text)))
    except (InputError, ValueError):
        raise EvaluationError(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ) from None


def _is_quantity(text: str) -> bool:
    try:
        _read(text)
    except EvaluationError:
        return False
    return True


def _sign(value: Amount) -> int:
    return (value.amount > 0) - (value.amount < 0)


def _as_integer(value: Amount) -> int:
    if value.amount.denominator != 1 or abs(value.amount) >= 2**63:
        raise EvaluationError("cannot convert value to integer")
    return int(value.amount)


def _other(value: Any) -> Fraction:
    return value.amount if isinstance(value, Amount) else Fraction(value)


QUANTITY_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "quantity": _read,
    "isQuantity": _is_quantity,
    "sign": _sign,
    "isInteger": lambda value: value.amount.denominator == 1 and abs(value.amount) < 2**63,
    "asInteger": _as_integer,
    "asApproximateFloat": lambda value: float(value.amount),
    "add": lambda left, right: Amount(left.amount + _other(right)),
    "sub": lambda left, right: Amount(left.amount - _other(right)),
}
