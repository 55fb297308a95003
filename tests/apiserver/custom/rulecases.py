"""Objects for CEL rules: one schema with a field of each kind, and random values for them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

Document = dict[str, Any]
RULES = (Path(__file__).parent / "rules.txt").read_text().strip().splitlines()
TEXTS = ("", "a", "ab", "abc", "x-1", "http://a.b:80/p?q=1", "10.0.0.1", "10.0.0.0/8", "1Gi", "500m", "1", "true", "ÄÖ")
_TEXT = {"type": "string", "maxLength": 20}
_NUMBER = {"type": "integer"}
_ENTRY: Document = {"type": "object", "properties": {"k": {"type": "string", "maxLength": 5}, "v": _NUMBER}}
PROPERTIES: Document = {
    "i": _NUMBER,
    "j": _NUMBER,
    "n": {"type": "number"},
    "s": _TEXT,
    "t": _TEXT,
    "b": {"type": "boolean"},
    "l": {"type": "array", "maxItems": 5, "items": _NUMBER},
    "ls": {"type": "array", "maxItems": 5, "items": _TEXT},
    "set": {"type": "array", "maxItems": 5, "items": _TEXT, "x-kubernetes-list-type": "set"},
    "m": {"type": "object", "maxProperties": 5, "additionalProperties": _NUMBER},
    "o": {"type": "object", "properties": {"x": _NUMBER, "y": _TEXT, "a-b": _NUMBER, "in": _TEXT}},
    "ml": {
        "type": "array",
        "maxItems": 5,
        "items": {**_ENTRY, "required": ["k"]},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
    },
    "lo": {"type": "array", "maxItems": 5, "items": _ENTRY},
    "ios": {"x-kubernetes-int-or-string": True, "maxLength": 10},
    "d": {"type": "string", "format": "duration"},
    "dt": {"type": "string", "format": "date-time"},
    "by": {"type": "string", "format": "byte", "maxLength": 10},
    "nu": {"type": "string", "nullable": True, "maxLength": 10},
    "q": {"type": "string", "maxLength": 10},
}


def schema_with(rule: str) -> Document:
    """Returns a schema whose spec must keep a rule."""
    spec = {"type": "object", "properties": PROPERTIES, "x-kubernetes-validations": [{"rule": rule}]}
    return {"type": "object", "properties": {"spec": spec}}


def definition_with(schema: Document) -> Document:
    """Returns a definition of one version."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "ks", "kind": "K"}
    spec = {"group": "g.io", "scope": "Namespaced", "names": names, "versions": [version]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**head, "metadata": {"name": "ks.g.io"}, "spec": spec}


def random_object(draw: random.Random) -> Document:
    """Returns an object that has most of the fields."""
    values: Document = {
        "i": draw.randrange(-3, 8),
        "j": draw.randrange(-3, 8),
        "n": draw.choice((0.5, 1.0, 2, -1.5)),
        "s": draw.choice(TEXTS),
        "t": draw.choice(TEXTS),
        "b": draw.random() < 0.5,
        "l": [draw.randrange(4) for _ in range(draw.randrange(4))],
        "ls": [draw.choice(TEXTS[:5]) for _ in range(draw.randrange(4))],
        "set": draw.sample(("a", "b", "c", "d"), draw.randrange(4)),
        "m": {draw.choice("abc"): draw.randrange(4) for _ in range(draw.randrange(3))},
        "o": _some(draw, {"x": draw.randrange(3), "y": "a", "a-b": 1, "in": "q"}),
        "ml": [{"k": key, "v": draw.randrange(3)} for key in draw.sample("abc", draw.randrange(3))],
        "lo": [_some(draw, {"k": draw.choice("ab"), "v": draw.randrange(3)}) for _ in range(draw.randrange(3))],
        "ios": draw.choice((1, 5, "50%", "a")),
        "d": draw.choice(("1h", "30s", "90m")),
        "dt": draw.choice(("2024-01-01T00:00:00Z", "2025-06-07T08:09:10Z")),
        "by": draw.choice(("YWJj", "AAA=")),
        "nu": draw.choice((None, "x")),
        "q": draw.choice(("1Gi", "500m", "1", "x")),
    }
    return {"apiVersion": "g.io/v1", "kind": "K", "metadata": {"name": "n"}, "spec": _some(draw, values)}


def _some(draw: random.Random, values: Document) -> Document:
    return {name: value for name, value in values.items() if draw.random() < 0.75}
