"""The life of an object of each kind: created, read, updated, patched, applied and deleted, with the usual mistakes."""

from __future__ import annotations

import copy
import random
from typing import Any

from tests.apiserver.sidebyside.conversing import (
    APPLY,
    MERGE,
    PARTIAL,
    PARTIAL_LIST,
    PATCH,
    STRATEGIC,
    TABLE,
    Conversation,
)
from tests.apiserver.sidebyside.documents import Document, collection, kind_of, placed

FOREIGN = "00000001-1111-1111-1111-111111111111"


def life(talk: Conversation, namespace: str, document: Document, chance: random.Random) -> None:
    """Holds the conversation about one document."""
    kind = kind_of(document)
    document = placed(document, namespace)
    path, name = collection(kind, namespace), document["metadata"]["name"]
    one = f"{path}/{name}"
    _create(talk, path, one, document)
    before = talk.ask("GET", one).body
    for accept in (TABLE, PARTIAL, "application/yaml"):
        talk.ask("GET", one, accept=accept)
    _update(talk, one, document, before)
    _patch(talk, one, document)
    if "status" in kind.subresources:
        _status(talk, one)
    for subresource in ("scale", "finalize", "resize", "ephemeralcontainers", "approval", "log", "nothing"):
        talk.ask("GET", f"{one}/{subresource}")
    _lists(talk, path, name)
    _delete(talk, path, one, before)


def _create(talk: Conversation, path: str, one: str, document: Document) -> None:
    talk.ask("GET", one)
    talk.ask("POST", path, document, {"dryRun": "All"})
    talk.ask("POST", path, document, {"fieldManager": "creator"})
    talk.ask("POST", path, document)
    talk.ask("POST", path, {**document, "bogus": 1, "metadata": {**document["metadata"], "odd": []}}, STRICT)
    talk.ask("POST", path, {**document, "metadata": {"generateName": "a-gen-"}}, {"dryRun": "All"})
    talk.ask("POST", path, {**document, "metadata": {}})
    talk.ask("POST", path, {**document, "metadata": {"name": "Bad_Name", "labels": {"a b": "c d"}}})
    talk.ask("POST", path, {**document, "metadata": {**document["metadata"], "namespace": "elsewhere"}})
    talk.ask("POST", path, {**document, "kind": "Odd"})
    talk.ask("POST", path, {**document, "apiVersion": "odd/v1"})
    talk.ask("POST", path, {key: value for key, value in document.items() if key in ("apiVersion", "kind")})
    talk.ask("POST", path, {"metadata": {"name": "only-a-name"}}, {"dryRun": "All"})
    talk.ask("POST", path, {**document, "spec": "text"}, {"dryRun": "All"})
    talk.ask("POST", path, "[]")
    talk.ask("PUT", path, document)
    talk.ask("POST", one, document)


STRICT = {"fieldValidation": "Strict"}


def _update(talk: Conversation, one: str, document: Document, before: Any) -> None:
    changed = _with_metadata(before, labels={"gold": "yes"}, annotations={"a": "1"})
    talk.ask("PUT", one, changed, {"dryRun": "All"})
    talk.ask("PUT", one, changed)
    talk.ask("PUT", one, changed)
    talk.ask("PUT", one, _with_metadata(changed, resourceVersion=None, labels=None))
    talk.ask("PUT", one, _with_metadata(changed, resourceVersion=""), {"fieldManager": "second"})
    talk.ask("PUT", one, _with_metadata(changed, resourceVersion="abc"))
    talk.ask("PUT", one, _with_metadata(changed, name="other"))
    talk.ask("PUT", one, _with_metadata(changed, uid=FOREIGN, resourceVersion=None))
    talk.ask("PUT", one, _with_metadata(changed, namespace="other"))
    talk.ask("PUT", one, _with_metadata(changed, resourceVersion=None, finalizers=["bad name"]))
    talk.ask("PUT", one, _with_metadata(changed, resourceVersion=None, ownerReferences=[{"kind": "A", "name": "b"}]))
    talk.ask("PUT", one, {**document, "bogus": {"a": 1}}, STRICT)
    talk.ask("PUT", one, {**document, "bogus": {"a": 1}})
    talk.ask("PUT", one, document)
    talk.ask("PUT", f"{one}-absent", {**document, "metadata": {"name": f"{document['metadata']['name']}-absent"}})


def _patch(talk: Conversation, one: str, document: Document) -> None:
    talk.ask("PATCH", one, {"metadata": {"labels": {"m": "1", "gold": None}}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"labels": {"m": "1"}}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"labels": {"m": 1}}}, content_type=MERGE)
    talk.ask("PATCH", one, {"spec": {"bogus": 1}, "bogus": 2}, STRICT, content_type=MERGE)
    talk.ask("PATCH", one, {"spec": {"bogus": 1}, "bogus": 2}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"uid": FOREIGN}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"name": "other"}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"resourceVersion": "1"}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"annotations": {"b": "2"}}}, content_type=STRATEGIC)
    talk.ask("PATCH", one, {"metadata": {"labels": {"$patch": "replace", "r": "1"}}}, content_type=STRATEGIC)
    talk.ask("PATCH", one, {"metadata": {"finalizers": ["x.io/a"]}}, {"dryRun": "All"}, content_type=STRATEGIC)
    add = [{"op": "add", "path": "/metadata/labels/jp", "value": "1"}]
    talk.ask("PATCH", one, [*add, {"op": "test", "path": "/metadata/labels/r", "value": "1"}], content_type=PATCH)
    talk.ask("PATCH", one, [{"op": "test", "path": "/metadata/labels/r", "value": "2"}], content_type=PATCH)
    talk.ask("PATCH", one, [{"op": "remove", "path": "/spec/none"}], content_type=PATCH)
    talk.ask("PATCH", one, [{"op": "add", "path": "/metadata/labels/x y", "value": "1"}], content_type=PATCH)
    talk.ask("PATCH", one, [{"op": "replace", "path": "/kind", "value": "Odd"}], content_type=PATCH)
    _apply(talk, one, document)
    talk.ask("PATCH", one, {}, content_type="application/json")
    talk.ask("PATCH", f"{one}-none", {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)


def _apply(talk: Conversation, one: str, document: Document) -> None:
    head = {"apiVersion": document["apiVersion"], "kind": document["kind"]}
    label = {**head, "metadata": {"labels": {"applied": "1"}}}
    talk.ask("PATCH", one, label, content_type=APPLY)
    talk.ask("PATCH", one, label, {"fieldManager": "one"}, content_type=APPLY)
    talk.ask(
        "PATCH", one, {**head, "metadata": {"labels": {"applied": "2"}}}, {"fieldManager": "two"}, content_type=APPLY
    )
    force = {"fieldManager": "two", "force": "true"}
    talk.ask("PATCH", one, {**head, "metadata": {"labels": {"applied": "2"}}}, force, content_type=APPLY)
    talk.ask("PATCH", one, {**head, "bogus": 1}, force, content_type=APPLY)
    talk.ask("PATCH", one, document, force, content_type=APPLY)
    talk.ask("PATCH", one, document, {"fieldManager": "creator"}, content_type=APPLY)
    talk.ask("PATCH", one, head, force, content_type=APPLY)


def _status(talk: Conversation, one: str) -> None:
    found = talk.ask("GET", f"{one}/status").body
    talk.ask("PUT", f"{one}/status", _with_metadata(found, labels={"s": "1"}, annotations={"s": "1"}))
    talk.ask("PATCH", f"{one}/status", {"status": {"bogus": 1}}, STRICT, content_type=MERGE)
    talk.ask("PATCH", f"{one}/status", {"status": {"conditions": []}}, content_type=MERGE)
    talk.ask("PATCH", f"{one}/status", {"status": None}, content_type=MERGE)
    talk.ask("GET", f"{one}/status", accept=TABLE)
    talk.ask("DELETE", f"{one}/status")


def _lists(talk: Conversation, path: str, name: str) -> None:
    talk.ask("GET", path, query={"fieldSelector": f"metadata.name={name}"})
    talk.ask("GET", path, query={"labelSelector": "jp=1"}, accept=TABLE)
    talk.ask("GET", path, query={"labelSelector": "jp=1"}, accept=PARTIAL_LIST)
    talk.ask("GET", path, query={"fieldSelector": "spec.odd=1"})
    talk.ask("GET", path, query={"labelSelector": "a in ("})


def _delete(talk: Conversation, path: str, one: str, before: Any) -> None:
    version = (before.get("metadata") or {}).get("resourceVersion")
    talk.ask("DELETE", one, {"preconditions": {"uid": FOREIGN}})
    talk.ask("DELETE", one, {"preconditions": {"resourceVersion": version}})
    talk.ask("DELETE", one, query={"dryRun": "All"})
    talk.ask("DELETE", one, {"propagationPolicy": "Odd"})
    talk.ask("DELETE", one, {"propagationPolicy": "Orphan", "orphanDependents": True})
    talk.ask("DELETE", one, query={"propagationPolicy": "Foreground"})
    talk.ask("GET", one, accept=TABLE)
    talk.ask("PATCH", one, {"metadata": {"finalizers": None}}, content_type=MERGE)
    talk.ask("DELETE", one)
    talk.ask("DELETE", one)
    talk.ask("DELETE", path, query={"labelSelector": "jp=1"})


def _with_metadata(document: Any, **fields: Any) -> Document:
    made: Document = copy.deepcopy(document)
    metadata = made.setdefault("metadata", {})
    for key, value in {"managedFields": None, **fields}.items():
        if value is None:
            metadata.pop(key, None)
        else:
            metadata[key] = value
    return made
