"""Small helpers of all checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wavetank.apiserver.fielderrors import FieldError, invalid, required, unsupported

Document = dict[str, Any]
Errors = Iterator[FieldError]

NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"
IMMUTABLE = "field is immutable"


def each_invalid(field: str, value: Any, problems: Iterable[str]) -> Errors:
    """Yields one error for each problem with a value."""
    for problem in problems:
        yield invalid(field, value, problem)


def by_key(mapping: Document | None) -> Document | None:
    """Returns a map as Go shows it: sorted, and null if it is empty."""
    return dict(sorted(mapping.items())) if mapping else None


def check_not_negative(field: str, value: int | None) -> Errors:
    """Checks a count."""
    if value is not None and value < 0:
        yield invalid(field, value, NEGATIVE)


def check_immutable(field: str, new: Any, old: Any) -> Errors:
    """Checks that a field has not changed."""
    if (new or None) != (old or None):
        yield invalid(field, new, IMMUTABLE)


def check_choice(field: str, value: Any, choices: Sequence[str]) -> Errors:
    """Checks that a value is one of the choices, which are shown in the order given; it must be there."""
    if not value:
        yield required(field)
    elif value not in choices:
        yield unsupported(field, value, choices)


def check_present(owner: Document, path: str, *names: str) -> Errors:
    """Checks that fields are there and not empty."""
    for name in names:
        if not owner.get(name):
            yield required(f"{path}.{name}")


def structs(owner: Document, path: str, name: str) -> Iterator[tuple[str, Document]]:
    """Yields the items of a list with their paths."""
    for index, item in enumerate(owner.get(name) or ()):
        yield f"{path}.{name}[{index}]", item
