"""Errors about single fields of an object, with the types and messages of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from wavetank.cel.gotext import quote

REQUIRED = "Required value"
INVALID = "Invalid value"
UNSUPPORTED = "Unsupported value"
DUPLICATE = "Duplicate value"
FORBIDDEN = "Forbidden"
TOO_LONG = "Too long"
TOO_MANY = "Too many"
NOT_FOUND = "Not found"
INTERNAL = "Internal error"
TYPE_INVALID = "Type invalid"  # shown as "Invalid value", with a reason of its own

ENOUGH = 250  # errors about one object, after which no more are looked for

_CAUSES = {
    REQUIRED: "FieldValueRequired",
    INVALID: "FieldValueInvalid",
    UNSUPPORTED: "FieldValueNotSupported",
    DUPLICATE: "FieldValueDuplicate",
    FORBIDDEN: "FieldValueForbidden",
    TOO_LONG: "FieldValueTooLong",
    TOO_MANY: "FieldValueTooMany",
    NOT_FOUND: "FieldValueNotFound",
    INTERNAL: "InternalError",
    TYPE_INVALID: "FieldValueTypeInvalid",
}
_WITHOUT_VALUE = frozenset({REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL})


class Raw(str):
    """A bad value that is shown as it is, not quoted: what Go prints for a type of its own."""

    __slots__ = ()


# Shown instead of a bad value: nothing at all.
OMITTED = Raw("")


class FieldError(NamedTuple):
    """One error: `type` is one of the constants above, `field` a path such as spec.containers[0].name."""

    type: str
    field: str
    value: Any = ""
    detail: str = ""

    @property
    def body(self) -> str:
        """Returns the message without the field's name."""
        text = INVALID if self.type == TYPE_INVALID else self.type
        if self.type not in _WITHOUT_VALUE and self.value is not OMITTED:
            text += f": {_show(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def cause(self) -> dict[str, str]:
        """Returns the entry of `details.causes` in a Status."""
        return {"reason": _CAUSES[self.type], "message": self.body, "field": self.field}

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def required(field: str, detail: str = "") -> FieldError:
    """Returns the error about a missing field."""
    return FieldError(REQUIRED, field, "", detail)


def invalid(field: str, value: Any, detail: str = "") -> FieldError:
    """Returns the error about a value that is malformed or out of bounds."""
    return FieldError(INVALID, field, value, detail)


def forbidden(field: str, detail: str = "") -> FieldError:
    """Returns the error about a value that is well formed but not permitted."""
    return FieldError(FORBIDDEN, field, "", detail)


def duplicate(field: str, value: Any) -> FieldError:
    """Returns the error about a duplicate value."""
    return FieldError(DUPLICATE, field, value)


def not_found_value(field: str, value: Any) -> FieldError:
    """Returns the error about a reference to something that does not exist."""
    return FieldError(NOT_FOUND, field, value)


def unsupported(field: str, value: Any, supported: Iterable[str] = ()) -> FieldError:
    """Returns the error about a value that is none of the supported ones, which are shown in the given order."""
    words = ", ".join(quote(word) for word in supported)
    return FieldError(UNSUPPORTED, field, value, f"supported values: {words}" if words else "")


def too_long(field: str, limit: int) -> FieldError:
    """Returns the error about a value of more than `limit` bytes."""
    return FieldError(TOO_LONG, field, "", f"may not be more than {limit} byte{'s' if limit != 1 else ''}")


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """Returns the error about a list of more than `limit` items."""
    return FieldError(TOO_MANY, field, actual, f"must have at most {limit} item{'s' if limit != 1 else ''}")


def _show(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    text = msgspec.json.encode(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
