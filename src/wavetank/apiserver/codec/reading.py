"""Parsed documents read by a schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wavetank.apiserver.codec.canonical import UnknownFieldsError, canonical
from wavetank.apiserver.codec.diagnosis import diagnose
from wavetank.apiserver.codec.jsontext import DuplicateKeysError, parse_json, parse_json_lenient, parse_json_pairs
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.schemas.schema import Schema


@dataclass(slots=True)
class Parsed:
    """A parsed text: its value, the same with duplicate keys where there are some, and errors of the parser's own."""

    value: Any
    as_written: Any
    strict: list[str] = field(default_factory=list)


def parse(body: bytes) -> Parsed:
    """Parses JSON; raises an UnreadableError with Go's message."""
    try:
        value = parse_json(body)
        return Parsed(value, value)
    except DuplicateKeysError:
        return Parsed(parse_json_lenient(body), parse_json_pairs(body))


def read(schema: Schema, parsed: Parsed, *, strict: bool) -> tuple[dict[str, Any], list[str]]:
    """Returns the canonical document and, if `strict`, the errors about unknown and duplicate fields.

    Raises an UnreadableError that says which value has the wrong type.
    """
    try:
        return _read(schema, parsed, strict)
    except RecursionError:
        raise UnreadableError("exceeded max depth") from None


def _read(schema: Schema, parsed: Parsed, strict: bool) -> tuple[dict[str, Any], list[str]]:
    document = parsed.value or {}
    unknown = False
    try:
        result = canonical(schema, document, strict=strict)
    except UnknownFieldsError:
        unknown = True
    except UnreadableError:
        diagnose(schema, parsed.as_written)
        raise
    if not strict or not (unknown or parsed.strict or parsed.as_written is not parsed.value):
        return result, []
    errors = [*parsed.strict, *diagnose(schema, parsed.as_written)]
    return canonical(schema, document), errors


def strict_error(errors: list[str]) -> str:
    """Returns strict errors as one message."""
    return f"strict decoding error: {', '.join(errors)}"
