"""Reaching into canonical documents: what is missing there is not there, or null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.errors import InputError
from wavetank.quantity import format_milli, milli, parse_quantity

Document = dict[str, Any]


def part(owner: Document, name: str) -> Document:
    """Returns a struct that Go always has, made if it is missing."""
    found: Document = default(owner, name, {})
    return found


def default(owner: Document, name: str, value: Any) -> Any:
    """Gives a field a value if it is missing or null, and returns the field's value."""
    if owner.get(name) is None:
        owner[name] = value
    return owner[name]


def optional(owner: Document, *path: str) -> Document:
    """Returns the document at a path of structs, or a new empty one that is part of nothing."""
    for name in path:
        owner = owner.get(name) or {}
    return owner


def given(owner: Document, *names: str) -> Iterator[Document]:
    """Yields those of the named structs that are there."""
    for name in names:
        if owner.get(name) is not None:
            yield owner[name]


def items(owner: Document, name: str) -> list[Document]:
    """Returns a list of structs, empty if it is missing."""
    return owner.get(name) or []


def fill(owner: Document, **values: Any) -> None:
    """Gives values to the fields that are missing."""
    for name, value in values.items():
        default(owner, name, value)


def round_up(owner: Document, *names: str) -> None:
    """Rounds the quantities in maps of resources up to thousandths, as the server does not keep finer ones."""
    for name in names:
        amounts = owner.get(name) or {}
        for resource, amount in amounts.items():
            if _is_finer_than_milli(amount):
                amounts[resource] = format_milli(milli(amount))


def _is_finer_than_milli(amount: str) -> bool:
    try:
        return bool((parse_quantity(amount) * 1000) % 1)
    except InputError:  # a suffix without a number, which Kubernetes reads as zero
        return False
