"""Refusals of invalid objects."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import FieldError
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.schemas.schema import Schema
from wavetank.apiserver.validation.metadata import check_managers
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.write import Write

_PARTS = re.compile(r"[^.\[\]]+")


def refuse(
    write: Write, kind: Kind, document: Document, mistakes: list[FieldError], managed: list[Document] | None
) -> None:
    """Raises a 422 if there are mistakes in a document, or in its managedFields."""
    found = write.beside(partial(_with_managers, mistakes, managed))
    if found:
        raise write.beside(partial(_refusal, write, kind, document, found))


def _refusal(write: Write, kind: Kind, document: Document, mistakes: list[FieldError]) -> errors.StatusError:
    stated = f"{document['kind']}.{kind.group}" if kind.custom is not None else kind.group_kind
    if kind.custom is None:
        mistakes = [_with_empties(each, write.kind.schema, write.request.stated) for each in mistakes]
    return errors.invalid(stated, document["metadata"].get("name", ""), mistakes)


def _with_managers(mistakes: list[FieldError], managed: list[Document] | None) -> list[FieldError]:
    """Returns mistakes in an object, with those in its managedFields after the others in its metadata."""
    found = list(check_managers(managed)) if managed else []
    place = sum(each.field.startswith("metadata.") for each in mistakes) if found else 0
    return [*mistakes[:place], *found, *mistakes[place:]]


def _with_empties(mistake: FieldError, schema: Schema, stated: Any) -> FieldError:
    """Returns a mistake whose value shows empty lists and maps as the client stated them, not as missing."""
    names = _PARTS.findall(mistake.field)
    for path in (names, ["spec", *names]):
        found = _part(schema, stated, path)
        if found is not None:
            return mistake._replace(value=_filled(mistake.value, *found))
    return mistake


def _part(schema: Schema, document: Any, names: list[str]) -> tuple[Schema, Any] | None:
    """Returns the part of a document at a path, with its type; None if there is none."""
    for name in names:
        key = int(name) if isinstance(document, list) and name.isdigit() else name
        inner = schema.fields.get(name) if schema.type == "object" else schema.items
        if inner is None or not _has(document, key):
            return None
        schema, document = inner, document[key]
    return schema, document


def _has(owner: Any, key: str | int) -> bool:
    return (
        key in owner
        if isinstance(owner, dict)
        else isinstance(owner, list) and isinstance(key, int) and key < len(owner)
    )


def _filled(value: Any, schema: Schema, part: Any) -> Any:
    if value is None:
        return part if schema.type in ("array", "map") and part in ([], {}) else None
    if isinstance(value, list) and isinstance(part, list) and len(value) == len(part) and schema.items is not None:
        return [_filled(each, schema.items, other) for each, other in zip(value, part, strict=True)]
    if isinstance(value, dict) and isinstance(part, dict) and schema.type == "object":
        # Go's names of fields differ from those of documents in their case
        names = {name.lower(): name for name in part if name in schema.fields}
        return {name: _filled_field(each, schema, part, names.get(name.lower())) for name, each in value.items()}
    return value


def _filled_field(value: Any, schema: Schema, part: Document, name: str | None) -> Any:
    return value if name is None else _filled(value, schema.fields[name], part[name])
