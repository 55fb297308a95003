"""Recordings of real programs, read by their structure."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from wavetank.errors import InputError

SCHEMA = 1
_HEAD = 400  # characters in which a recording says what it is


class Recording(Protocol):
    """Any recording: it names the schema that it follows."""

    @property
    def schema(self) -> int:
        """Returns the number of its schema."""


R = TypeVar("R", bound=Recording)


def has_mark(text: str, mark: str) -> bool:
    """Tells whether a file says at its beginning that it is a recording of some kind."""
    return mark in text[:_HEAD]


def parse_recording(text: str, structure: type[R], what: str, source: Path) -> R:
    """Reads a recording; `what` and `source` are named in errors."""
    try:
        recording = msgspec.json.decode(text, type=structure)
    except msgspec.DecodeError as error:
        raise InputError(f"not a recording of {what}: {error}", source=str(source)) from None
    if recording.schema != SCHEMA:
        raise InputError(f"schema {recording.schema} is unknown, expected {SCHEMA}", source=str(source))
    return recording
