"""Values that are not of the type that a field has."""

from __future__ import annotations

from typing import Any

from wavetank.errors import WavetankError


class UnreadableError(WavetankError):
    """A document cannot be read; the text is what the real server's decoder says."""


class MismatchError(UnreadableError):
    """A value of another JSON type than its field's; the caller that knows the field adds its path by `at`."""

    def __init__(self, found: str, go_type: str) -> None:
        super().__init__(f"json: cannot unmarshal {found} into Go value of type {go_type}")
        self.found = found
        self.go_type = go_type

    def at(self, structure: str, path: str) -> UnreadableError:
        """Returns the error with the place: the structure that has the field, and the path of the field."""
        field = f"{structure}.{path}"
        return UnreadableError(
            f"json: cannot unmarshal {self.found} into Go struct field {field} of type {self.go_type}"
        )


def json_type(value: Any) -> str:
    """Returns what Go calls the JSON type of a value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, dict) else "array"
