"""Copies of documents."""

from __future__ import annotations

from typing import Any


def copied(value: Any) -> Any:
    """Returns a copy of a JSON value.

    `copy.deepcopy` notes all that it has copied: the notes about a large document keep other threads waiting.
    """
    if isinstance(value, dict):
        return {name: copied(each) for name, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value
