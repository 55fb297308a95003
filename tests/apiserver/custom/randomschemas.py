"""Random schemas, definitions and objects: mostly sound ones, with mistakes here and there."""

from __future__ import annotations

import copy
import random
from typing import Any

Document = dict[str, Any]
NAMES = ("a", "b", "spec", "status", "name", "size", "items", "metadata", "kind")
STRINGS = (
    "",
    "a",
    "abc",
    "A-b",
    "10.0.0.1",
    "2024-01-01T00:00:00Z",
    "2024-13-01",
    "x@y.z",
    "http://h/p",
    "1h",
    "ÄÖ",
    "true",
)
NUMBERS = (0, 1, -1, 3, 7, 10, 5.0, 0.5, 1.5, -0.25, 2**31, 2**53, 1e21, 12345.678)
FORMATS = (
    "date-time",
    "date",
    "ipv4",
    "ipv6",
    "uuid",
    "email",
    "uri",
    "hostname",
    "byte",
    "duration",
    "int32",
    "int64",
    "cidr",
    "mac",
    "strange",
)
PATTERNS = ("^[a-z]+$", "b", "^$", "[[:alpha:]]{2}", r"^\d+(\.\d+)?$", "(")
SPOILS: tuple[tuple[str, Any], ...] = (
    ("type", "null"),
    ("type", "strange"),
    ("type", ""),
    ("nullable", True),
    ("default", 1),
    ("default", "x"),
    ("default", {}),
    ("default", {"zz": 1}),
    ("default", []),
    ("uniqueItems", True),
    ("additionalProperties", True),
    ("additionalProperties", False),
    ("additionalProperties", {"type": "string"}),
    ("properties", {"x": {"type": "string"}}),
    ("items", {"type": "string"}),
    ("items", [{"type": "string"}]),
    ("x-kubernetes-list-type", "set"),
    ("x-kubernetes-list-type", "map"),
    ("x-kubernetes-list-type", "odd"),
    ("x-kubernetes-list-map-keys", ["k"]),
    ("x-kubernetes-map-type", "atomic"),
    ("x-kubernetes-map-type", "odd"),
    ("x-kubernetes-int-or-string", True),
    ("x-kubernetes-preserve-unknown-fields", True),
    ("x-kubernetes-preserve-unknown-fields", False),
    ("x-kubernetes-embedded-resource", True),
    ("id", "x"),
    ("$ref", "#/x"),
    ("patternProperties", {"a": {"type": "string"}}),
    ("definitions", {"a": {"type": "string"}}),
    ("$schema", "x"),
    ("title", "t"),
    ("description", "d"),
    ("pattern", "("),
    ("allOf", [{"properties": {"q": {"minimum": 1}}}]),
    ("anyOf", [{"type": "integer"}, {"type": "string"}]),
    ("oneOf", [{"required": ["a"]}]),
    ("not", {"required": ["zz"]}),
    ("allOf", [{"type": "object"}]),
    ("anyOf", [{"items": {"minimum": 1}}]),
    ("maxLength", 3),
    ("required", ["a"]),
)


class Randomly:
    """Draws from one seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def chance(self, part: float) -> bool:
        return self.draw.random() < part

    def value(self, depth: int = 2) -> Any:
        kind = self.draw.randrange(8 if depth else 5)
        if kind < 2:
            return self.draw.choice(STRINGS)
        if kind == 2:
            return self.draw.choice(NUMBERS)
        if kind == 3:
            return self.draw.choice((True, False))
        if kind == 4:
            return None
        if kind == 5:
            return [self.value(depth - 1) for _ in range(self.draw.randrange(4))]
        return {self.draw.choice(NAMES): self.value(depth - 1) for _ in range(self.draw.randrange(4))}

    def schema(self, depth: int = 3) -> Document:
        draw = self.draw
        kind = draw.choice(
            ("string", "integer", "number", "boolean", "object", "object", "array", "map", "any", "int-or-string")
            if depth
            else ("string", "integer", "boolean")
        )
        made: Document = getattr(self, f"_{kind.replace('-', '_')}")(depth)
        if self.chance(0.15):
            made["nullable"] = True
        if self.chance(0.15) and kind not in ("any", "int-or-string"):
            made["default"] = self.fitting(made)
        if depth and self.chance(0.12) and kind in ("string", "integer", "number", "object"):
            made.update(self._logic(made))
        return made

    def _logic(self, made: Document) -> Document:
        word = self.draw.choice(("anyOf", "oneOf", "allOf", "not"))
        options = [self._restriction(made) for _ in range(self.draw.randrange(1, 4))]
        return {word: options[0] if word == "not" else options}

    def _restriction(self, made: Document) -> Document:
        if made.get("type") == "object":
            names = list(made.get("properties") or ("a",))
            return self.draw.choice(
                ({"required": [self.draw.choice(names)]}, {"minProperties": 1}, {"maxProperties": 1})
            )
        if made.get("type") == "string":
            return self.draw.choice(({"maxLength": 2}, {"pattern": "^a"}, {"enum": ["a", "abc"]}, {"minLength": 1}))
        return self.draw.choice(({"minimum": 1}, {"maximum": 5}, {"multipleOf": 2}, {"enum": [1, 3]}))

    def _string(self, depth: int) -> Document:
        made: Document = {"type": "string"}
        for name, choices in (
            ("maxLength", (1, 3, 5)),
            ("minLength", (1, 2)),
            ("pattern", PATTERNS[:5]),
            ("format", FORMATS),
        ):
            if self.chance(0.2):
                made[name] = self.draw.choice(choices)
        if self.chance(0.2):
            made["enum"] = self.draw.sample(STRINGS, 3)
        return made

    def _integer(self, depth: int) -> Document:
        made: Document = {"type": self.draw.choice(("integer", "integer", "number"))}
        for name in ("minimum", "maximum", "multipleOf"):
            if self.chance(0.25):
                made[name] = self.draw.choice((1, 2, 5, 0.5, 2.5))
        for name in ("exclusiveMinimum", "exclusiveMaximum"):
            if self.chance(0.15) and name.replace("exclusiveM", "m") in made:
                made[name] = True
        if self.chance(0.15):
            made["enum"] = self.draw.sample((0, 1, 3, 5, 7), 2)
        if self.chance(0.1):
            made["format"] = self.draw.choice(("int32", "int64", "double"))
        return made

    _number = _integer

    def _boolean(self, depth: int) -> Document:
        return {"type": "boolean"}

    def _object(self, depth: int) -> Document:
        names = self.draw.sample(NAMES[:-2], self.draw.randrange(1, 4))
        made: Document = {"type": "object", "properties": {name: self.schema(depth - 1) for name in names}}
        if self.chance(0.3):
            made["required"] = [self.draw.choice(names)]
        if self.chance(0.1):
            made["x-kubernetes-preserve-unknown-fields"] = True
        if self.chance(0.08):
            made["x-kubernetes-map-type"] = self.draw.choice(("atomic", "granular"))
        if self.chance(0.08):
            made.update({"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True})
            made.pop("x-kubernetes-map-type", None)
        for name in ("minProperties", "maxProperties"):
            if self.chance(0.1):
                made[name] = self.draw.randrange(3)
        return made

    def _map(self, depth: int) -> Document:
        return {"type": "object", "additionalProperties": self.schema(depth - 1)}

    def _any(self, depth: int) -> Document:
        kept: Document = {"x-kubernetes-preserve-unknown-fields": True}
        return self.draw.choice((kept, {**kept, "type": "object"}))

    def _int_or_string(self, depth: int) -> Document:
        made: Document = {"x-kubernetes-int-or-string": True}
        return {**made, "anyOf": [{"type": "integer"}, {"type": "string"}]} if self.chance(0.5) else made

    def _array(self, depth: int) -> Document:
        made: Document = {"type": "array", "items": self.schema(depth - 1)}
        for name in ("minItems", "maxItems"):
            if self.chance(0.2):
                made[name] = self.draw.randrange(3)
        if self.chance(0.25):
            made.update(self._keyed())
        elif self.chance(0.2):
            made.update({"x-kubernetes-list-type": "set", "items": {"type": self.draw.choice(("string", "integer"))}})
        return made

    def _keyed(self) -> Document:
        items = {
            "type": "object",
            "properties": {"k": {"type": "string"}, "p": {"type": "integer", "default": 1}, "v": {"type": "string"}},
            "required": ["k"],
        }
        return {
            "items": items,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": self.draw.choice((["k"], ["k", "p"])),
        }

    def root(self) -> Document:
        made = self._object(3)
        for name in ("x-kubernetes-embedded-resource", "nullable", "x-kubernetes-map-type"):
            made.pop(name, None)
        made["properties"].pop("metadata", None)
        made["properties"].setdefault("spec", self.schema(3))
        made.pop("default", None)
        return made

    def fitting(self, schema: Document, wrong: float = 0.0) -> Any:
        """Returns a value that fits a schema mostly; `wrong` is how often it does not."""
        if self.chance(wrong):
            return self.value()
        if schema.get("enum") and self.chance(0.8):
            return self.draw.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "string":
            return self.draw.choice(STRINGS)
        if kind in ("integer", "number"):
            return self.draw.choice([each for each in NUMBERS if kind == "number" or isinstance(each, int)])
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            return [self.fitting(schema["items"], wrong) for _ in range(self.draw.randrange(4))]
        if kind == "object":
            return self._fitting_object(schema, wrong)
        return self.draw.choice((1, "a", self.value(1)))

    def _fitting_object(self, schema: Document, wrong: float) -> Document:
        made: Document = {}
        for name, inner in (schema.get("properties") or {}).items():
            if self.chance(0.7) or name in (schema.get("required") or ()):
                made[name] = self.fitting(inner, wrong)
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict):
            made |= {self.draw.choice(NAMES): self.fitting(rest, wrong) for _ in range(self.draw.randrange(3))}
        if schema.get("x-kubernetes-embedded-resource") and self.chance(0.8):
            made |= {
                "apiVersion": self.draw.choice(("v1", "a/b/c", "")),
                "kind": self.draw.choice(("Pod", "x y")),
                "metadata": {"name": "n"},
            }
        if self.chance(wrong):
            made[self.draw.choice(NAMES)] = self.value()
        return made

    def object_of(self, schema: Document, wrong: float = 0.08) -> Document:
        made = self._fitting_object(schema, wrong)
        return {**made, "apiVersion": "g.io/v1", "kind": "K", "metadata": {"name": "n"}}

    def definition(self) -> Document:
        schema = self.root()
        for _ in range(self.draw.choice((0, 0, 1, 1, 2))):
            self._spoil(schema)
        names = {"plural": "ks", "singular": "k", "kind": "K", "listKind": "KList"}
        version: Document = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        if self.chance(0.3):
            version["subresources"] = {"status": {}}
        spec: Document = {
            "group": "g.io",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
            "conversion": {"strategy": "None"},
        }
        if self.chance(0.2):
            spec["versions"].append({**copy.deepcopy(version), "name": "v2", "storage": self.chance(0.2)})
            if self.chance(0.5):
                self._spoil(spec["versions"][1]["schema"]["openAPIV3Schema"])
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "ks.g.io"},
            "spec": spec,
        }

    def _spoil(self, schema: Document) -> None:
        places = list(_places(schema))
        place = self.draw.choice(places)
        name, value = self.draw.choice(SPOILS)
        if self.chance(0.15) and place:
            del place[self.draw.choice(list(place))]
        else:
            place[name] = copy.deepcopy(value)


def _places(schema: Any) -> list[Document]:
    found = [schema]
    for each in (schema.get("properties") or {}).values():
        found += _places(each)
    for each in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(each, dict):
            found += _places(each)
    return found
