"""Conditions in the status of workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Condition = Mapping[str, Any]


def find_condition(conditions: Sequence[Condition], kind: str) -> Condition | None:
    """Returns the condition of a type, or None."""
    return next((condition for condition in conditions if condition.get("type") == kind), None)


def without_condition(conditions: Sequence[Condition], kind: str) -> list[Condition]:
    """Returns the conditions of all other types."""
    return [condition for condition in conditions if condition.get("type") != kind]
