"""Random writes of one kind: spoiled documents that are created, put and patched, and values of wrong types."""

from __future__ import annotations

import copy
import random
from typing import Any

from tests.apiserver.sidebyside.conversing import APPLY, MERGE, PATCH, STRATEGIC, Conversation
from tests.apiserver.sidebyside.documents import Document, collection, kind_of, placed
from tests.apiserver.spoiling import invent, spoil

_COUNT = 8
_ODD: tuple[Any, ...] = (None, "x", 7, True, [], {}, ["x"], {"x": 1}, -1, 1.5)
_VALIDATION = ("Strict", "Warn", "Ignore")


def writes(talk: Conversation, namespace: str, document: Document, chance: random.Random) -> None:
    """Holds the conversation about one document; each write is made to the same object."""
    kind = kind_of(document)
    document = placed(document, namespace)
    path = collection(kind, namespace)
    one = f"{path}/{document['metadata']['name']}"
    talk.ask("POST", path, document)
    for _ in range(_COUNT):
        query = {"fieldValidation": chance.choice(_VALIDATION), "dryRun": "All"}
        talk.ask("POST", path, {**spoil(document, kind.schema, chance), "metadata": {"name": "new"}}, query)
        talk.ask("POST", path, _distort(document, chance), query)
        talk.ask("PUT", one, spoil(document, kind.schema, chance), query)
        changed = spoil(document, kind.schema, chance)
        part = {key: value for key, value in changed.items() if value != document.get(key)}
        talk.ask("PATCH", one, part, query, content_type=chance.choice((MERGE, STRATEGIC)))
        talk.ask("PATCH", one, _operations(document, chance), query, content_type=PATCH)
        talk.ask("PATCH", one, changed, {**query, "fieldManager": "m", "force": "true"}, content_type=APPLY)
        if "status" in kind.subresources and "status" in kind.schema.fields:
            status = {"status": invent(kind.schema.fields["status"], chance)}
            talk.ask("PATCH", f"{one}/status", status, query, content_type=MERGE)
    talk.ask("DELETE", one, query={"propagationPolicy": "Background"})


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the paths of everything in a document but its kind and version."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    found = [(*path, key) for key in keys if (*path, key) not in {("kind",), ("apiVersion",), ("metadata", "name")}]
    return [*found, *(place for each in found for place in _places(value[each[-1]], each))]


def _distort(document: Document, chance: random.Random) -> Document:
    """Returns a document with a value of a type that it should not have, or with an unknown field."""
    changed = copy.deepcopy(document)
    place = chance.choice(_places(changed))
    owner: Any = changed
    for key in place[:-1]:
        owner = owner[key]
    if isinstance(owner, dict) and chance.random() < 0.3:
        owner["bogus"] = chance.choice(_ODD)
    else:
        owner[place[-1]] = chance.choice(_ODD)
    return changed


def _operations(document: Document, chance: random.Random) -> list[Document]:
    places = _places(document)
    made = []
    for _ in range(chance.choice((1, 2))):
        pointer = "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in chance.choice(places))
        operation = chance.choice(("add", "replace", "remove", "test", "copy"))
        made.append({"op": operation, "path": pointer, "value": chance.choice(_ODD), "from": "/metadata/name"})
    return made
