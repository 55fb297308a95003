"""Updates of one field at a time: every field of an object is removed and replaced, and absent ones are added."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.apiserver.sidebyside.conversing import PATCH, Conversation
from tests.apiserver.sidebyside.documents import Document, collection, kind_of, placed
from tests.apiserver.spoiling import KEPT, KEPT_TOO, UNUSED, invent
from wavetank.apiserver.schemas.schema import Schema

_DRY = {"dryRun": "All"}
_OTHERS = {"string": "other", "quantity": "3", "int-or-string": 7, "bytes": "b3RoZXI=", "number": 0.25}


def changes(talk: Conversation, namespace: str, document: Document, chance: random.Random) -> None:
    """Holds the conversation about one document; all changes are dry runs of the same object."""
    kind = kind_of(document)
    document = placed(document, namespace)
    path = collection(kind, namespace)
    one = f"{path}/{document['metadata']['name']}"
    found = talk.ask("POST", path, document).body
    for pointer, value, schema in _places(found, kind.schema, ""):
        talk.ask("PATCH", one, [{"op": "remove", "path": pointer}], _DRY, content_type=PATCH)
        other = _another(value, schema, chance)
        talk.ask("PATCH", one, [{"op": "replace", "path": pointer, "value": other}], _DRY, content_type=PATCH)
        if schema.type == "object":
            for name, field in schema.fields.items():
                if name not in value and name not in KEPT | KEPT_TOO | UNUSED:
                    operation = {"op": "add", "path": f"{pointer}/{name}", "value": invent(field, chance)}
                    talk.ask("PATCH", one, [operation], _DRY, content_type=PATCH)
    talk.ask("DELETE", one, {"propagationPolicy": "Background", "gracePeriodSeconds": 0})


def _places(value: Any, schema: Schema, pointer: str) -> Iterator[tuple[str, Any, Schema]]:
    """Yields the pointers of what a document has, but not of its metadata and status."""
    if pointer:
        yield pointer, value, schema
    parts: list[tuple[Any, Schema]] = []
    if schema.type == "object":
        names = [name for name in sorted(value) if name in schema.fields and name not in {*KEPT_TOO, "metadata"}]
        parts = [(name, schema.fields[name]) for name in names]
    elif schema.items is not None:
        keys = range(len(value)) if isinstance(value, list) else sorted(value)
        parts = [(key, schema.items) for key in keys]
    for key, part in parts:
        yield from _places(value[key], part, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")


def _another(value: Any, schema: Schema, chance: random.Random) -> Any:
    """Returns another value of the same type, a plausible one if it is simple."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return _OTHERS[schema.type] if schema.type in _OTHERS else invent(schema, chance)
