"""Patch requests: a body applied to a document, and the result read as the real server reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from wavetank.apiserver.codec.diagnosis import diagnose, duplicates
from wavetank.apiserver.codec.mismatch import MismatchError, UnreadableError, json_type
from wavetank.apiserver.codec.pieces import encode
from wavetank.apiserver.codec.reading import Parsed, parse, read, strict_error
from wavetank.apiserver.custom.decoding import read_custom
from wavetank.apiserver.errors import StatusError, bad_request, invalid, unsupported_media_type
from wavetank.apiserver.fielderrors import INVALID, FieldError
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.patches.jsonpatch import apply_operations
from wavetank.apiserver.patches.mergepatch import merge
from wavetank.apiserver.patches.refusal import PatchError, go_value, rejected
from wavetank.apiserver.patches.strategic import merge_strategically
from wavetank.apiserver.requests.decoding import IGNORE, STRICT, WARN, Decoded, type_meta, type_mistake
from wavetank.apiserver.schemas.schema import Schema, Structure

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
PATCH_TYPES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH)
OF_CUSTOM = (JSON_PATCH, MERGE_PATCH, "application/apply-patch+yaml")
_MOST_OPERATIONS = 10_000

_TEXT = Schema("string", go_type="string", omit_empty=True)
_OPERATION = Structure(
    "handlers.jsonPatchOp", {"op": _TEXT, "path": _TEXT, "from": _TEXT, "value": Schema("any", go_type="interface {}")}
)
_OPERATIONS = Schema(
    "array",
    go_type="[]handlers.jsonPatchOp",
    items=Schema("object", go_type="handlers.jsonPatchOp", resolve=lambda: _OPERATION),
)


def apply_patch(
    table: KindTable,
    kind: Kind | Subresource,
    document: dict[str, Any],
    body: bytes,
    content_type: str,
    field_validation: str = WARN,
) -> Decoded:
    """Returns a canonical document with a patch applied, canonical again; raises the real 400, 413, 415, 422 and 500.

    `document` is not changed. Unknown and duplicate fields are warnings, errors or nothing, as `field_validation` says.
    """
    media = content_type.partition(";")[0]
    if media not in PATCH_TYPES:
        raise unsupported_media_type(PATCH_TYPES)
    try:
        if media == STRATEGIC_PATCH:
            return _strategic(kind, document, body, field_validation)
        return _plain(table, kind, document, body, media, field_validation)
    except RecursionError:
        raise bad_request("exceeded max depth") from None


def _plain(
    table: KindTable, kind: Kind | Subresource, document: dict[str, Any], body: bytes, media: str, field_validation: str
) -> Decoded:
    patched, warnings = (_json if media == JSON_PATCH else _merge)(document, body)
    shown = encode(patched).decode()
    try:
        if isinstance(kind, Kind) and kind.custom is not None:
            result, errors = read_custom(kind.custom, Parsed(patched, patched))
            return _finished_custom(result, [*warnings, *errors], field_validation, shown)
        _check_still_of(table, kind, patched)
        result, errors = read(kind.schema, Parsed(patched, patched), strict=field_validation != IGNORE)
    except UnreadableError as error:
        raise _unusable(shown, str(error)) from None
    return replace(_finished(kind, result, [*warnings, *errors], field_validation, shown), stated=patched)


def _json(document: dict[str, Any], body: bytes) -> tuple[Any, list[str]]:
    try:
        parsed = parse(body)
        errors = diagnose(_OPERATIONS, parsed.as_written)
    except UnreadableError as error:
        raise bad_request(f"error decoding patch: {error}") from None
    operations = parsed.value or []
    if len(operations) > _MOST_OPERATIONS:
        most = f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, got {len(operations)}"
        raise StatusError(413, "RequestEntityTooLarge", f"Request entity too large: {most}")
    try:
        copy = msgspec.json.decode(encode(document))
        return apply_operations(copy, [each or {} for each in operations]), [f"json patch {each}" for each in errors]
    except PatchError:
        raise rejected() from None


def _merge(document: dict[str, Any], body: bytes) -> tuple[Any, list[str]]:
    patch, errors = _parse_object(body, "error decoding patch: ")
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    return merge(document, patch), errors


def _strategic(kind: Kind | Subresource, document: dict[str, Any], body: bytes, field_validation: str) -> Decoded:
    patch, warnings = _parse_object(body, "")
    shown = go_value(patch or {})
    patched = merge_strategically(kind.schema, document, patch or {})
    try:
        result, errors = read(kind.schema, Parsed(patched, patched), strict=field_validation != IGNORE)
    except UnreadableError as error:
        raise _unusable(shown, str(error)) from None
    return replace(_finished(kind, result, [*warnings, *errors], field_validation, shown), stated=patched)


def _parse_object(body: bytes, prefix: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Returns an object, or None for null, and the errors about its duplicate keys."""
    try:
        parsed = parse(body)
        if parsed.value is not None and not isinstance(parsed.value, dict):
            raise MismatchError(json_type(parsed.value), "map[string]interface {}")
    except UnreadableError as error:
        raise bad_request(f"{prefix}{error}") from None
    return parsed.value, duplicates(parsed.as_written)


def _check_still_of(table: KindTable, kind: Kind | Subresource, patched: Any) -> None:
    """Raises an UnreadableError where a patch has made something else of a document."""
    if not isinstance(patched, dict):
        raise MismatchError(json_type(patched), "struct { APIVersion string; Kind string }")
    mistake = type_mistake(table, kind, *type_meta(patched))
    if mistake:
        raise UnreadableError(mistake)


def _finished(
    kind: Kind | Subresource, document: dict[str, Any], errors: list[str], directive: str, shown: str
) -> Decoded:
    if errors and directive == STRICT:
        raise _unusable(shown, strict_error(errors))
    document.update(kind=kind.kind, apiVersion=kind.api_version)
    return Decoded(document, errors if directive == WARN else [])


def _finished_custom(document: dict[str, Any], errors: list[str], directive: str, shown: str) -> Decoded:
    if errors and directive == STRICT:
        raise _unusable(shown, strict_error(errors))
    return Decoded(document, errors if directive == WARN else [])


def _unusable(shown: str, why: str) -> StatusError:
    return invalid("", "", [FieldError(INVALID, "patch", shown, why)])
