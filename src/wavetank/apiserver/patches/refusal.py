"""Errors about patches that cannot be applied, with values as Go prints them."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.errors import StatusError, plain


class PatchError(Exception):
    """A JSON patch that does not fit the document; the real server gives no more details."""


def rejected() -> StatusError:
    """Returns the real server's error about patches that do not fit the document."""
    return StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {})


def no_merge_key(element: dict[str, Any], key: str) -> StatusError:
    """Returns the error about a list element without its merge key."""
    return plain(f"map: {go_value(element)} does not contain declared merge key: {key}")


def unknown_directive(directive: Any, patch: dict[str, Any]) -> StatusError:
    """Returns the error about a $patch that is neither merge, replace nor delete."""
    return plain(f"unknown patch type: {go_value(directive)} in map: {go_value(patch)}")


def unexpected(wanted: str, value: Any) -> StatusError:
    """Returns the error about a value that is not of Go's type `wanted`."""
    return plain(f"expected a {wanted}, but received a {_GO_TYPES[type(value)]}")


_GO_TYPES = {
    type(None): "%!s(<nil>)",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


def go_value(value: Any) -> str:
    """Writes a JSON value as Go's %v does."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_value(each)}' for key, each in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_value, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
