"""Encoded objects are kept, but not beyond a change of their definition."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.codec import encode

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BOXES = "/apis/a.io/v1/namespaces/default/boxes"


def definition(**properties: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "boxes", "kind": "Box"}
    spec = {"group": "a.io", "names": names, "scope": "Namespaced", "versions": [version]}
    return {"metadata": {"name": "boxes.a.io"}, "spec": spec}


@pytest.mark.parametrize("names", ["a", "ab"], ids=["it is in work", "it comes next in a list"])
def test_what_is_encoded_while_the_definition_changes_is_not_kept(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a thread were still at work on a large object."""
    caller = Caller()
    caller.create(DEFINITIONS, definition())
    for name in names:
        caller.create(BOXES, {"apiVersion": "a.io/v1", "kind": "Box", "metadata": {"name": name}})
    change(caller, size={"type": "integer", "default": 1})
    changes = [{"color": {"type": "string", "default": "red"}}]

    def encode_late(document: Any) -> bytes:
        text = encode(document)
        while changes:
            change(caller, **changes.pop())
        return text

    monkeypatch.setattr("wavetank.apiserver.verbs.objects.encode", encode_late)
    assert [colors(caller) for _ in range(2)] == [[None] * len(names), ["red"] * len(names)]


def colors(caller: Caller) -> list[str | None]:
    """Returns the colours of all boxes, in a list of them."""
    return [box.get("color") for box in caller.ask("GET", BOXES).body["items"]]


def change(caller: Caller, **properties: Any) -> None:
    """Changes the properties that the definition has."""
    path = f"{DEFINITIONS}/boxes.a.io"
    present = caller.ask("GET", path).body
    changed = caller.ask("PUT", path, {**present, "spec": definition(**properties)["spec"]})
    assert changed.status == 200, changed.body
