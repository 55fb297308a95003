"""Types of documents as OpenAPI describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.openapi.customtypes import publish
from wavetank.apiserver.openapi.descriptions import texts_of
from wavetank.apiserver.schemas.schema import Schema

Json = dict[str, Any]

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
OBJECT_META, LIST_META = f"{_META}.ObjectMeta", f"{_META}.ListMeta"
_ROOTS = {
    "meta": "io.k8s.apimachinery.pkg.apis",
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis",
    "metrics": "io.k8s.metrics.pkg.apis",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis",
}
# Types that are no objects in documents but have names of their own.
_NAMED: dict[str, tuple[str, Json]] = {
    "quantity": ("io.k8s.apimachinery.pkg.api.resource.Quantity", {"oneOf": [{"type": "string"}, {"type": "number"}]}),
    "time": (f"{_META}.Time", {"type": "string", "format": "date-time"}),
    "microtime": (f"{_META}.MicroTime", {"type": "string", "format": "date-time"}),
    "duration": (f"{_META}.Duration", {"type": "string"}),
    "int-or-string": (
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
    ),
    "any": ("io.k8s.apimachinery.pkg.runtime.RawExtension", {"type": "object"}),
}
_JSON = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_FORMATS = {"float64": "double", "int": "int32"}
_ZEROS: dict[str, Any] = {"string": "", "boolean": False, "integer": 0, "number": 0}


class Types:
    """The named types of one document, each added when it is first used; `root` is where references point."""

    def __init__(self, root: str, *, version: int) -> None:
        self.found: Json = {}
        self._root = root
        self._version = version

    def reference(self, name: str) -> Json:
        """Returns what refers to a type."""
        return {"$ref": f"{self._root}{name}"}

    def add_kind(self, kind: Kind) -> str:
        """Adds a kind and its list; returns the kind's name."""
        name = name_of_kind(kind)
        if kind.custom is not None:
            self._add_custom(kind, name)
        else:
            self._add(kind.schema)
        marked = {"group": kind.group, "kind": kind.kind, "version": kind.version}
        self.found[name]["x-kubernetes-group-version-kind"] = [marked]
        if "list" in kind.verbs:
            self._add_list(kind, name, {**marked, "kind": kind.list_kind})
        return name

    def add_schema(self, schema: Schema, group: str = "", version: str = "", kind: str = "") -> None:
        """Adds an object type and all that it is made of; it may be a kind."""
        self._add(schema)
        if kind:
            marked = {"group": group, "kind": kind, "version": version}
            self.found[type_name(schema)].setdefault("x-kubernetes-group-version-kind", [marked])

    def _add_list(self, kind: Kind, name: str, marked: Json) -> None:
        self._add_list_meta()
        self.found[name.removesuffix(kind.kind) + kind.list_kind] = {
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": {"type": "string"},
                "items": {"type": "array", "items": self.use(name, default={})},
                "kind": {"type": "string"},
                "metadata": self.use(LIST_META, default={}),
            },
            "x-kubernetes-group-version-kind": [marked],
        }

    def _add_list_meta(self) -> None:
        if LIST_META not in self.found:
            texts = ("continue", "resourceVersion", "selfLink")
            properties: Json = {each: {"type": "string"} for each in texts}
            properties["remainingItemCount"] = {"type": "integer", "format": "int64"}
            self.found[LIST_META] = self._described(LIST_META, {"type": "object", "properties": properties})

    def _described(self, name: str, made: Json) -> Json:
        texts = texts_of(name)
        for field, each in made.get("properties", {}).items():
            if texts.get(field):
                made["properties"][field] = {"description": texts[field], **each}
        return {"description": texts[""], **made} if texts.get("") else made

    def _add_custom(self, kind: Kind, name: str) -> None:
        assert kind.custom is not None
        texts = texts_of("io.k8s.api.core.v1.ConfigMap")
        metadata = {**_text(texts, "metadata"), **self.use(OBJECT_META)}
        head = {field: {**_text(texts, field), "type": "string"} for field in ("apiVersion", "kind")}
        self.found[name] = publish(kind.custom.schema.raw, {**head, "metadata": metadata}, version=self._version)
        self._add(kind.schema.fields["metadata"])

    def _add(self, schema: Schema) -> None:
        name = type_name(schema)
        if name in self.found:
            return
        properties: Json = {}
        made: Json = {"type": "object"}
        self.found[name] = made
        if schema.required:
            made["required"] = [name for name in schema.fields if name in schema.required]
        for field, each in schema.fields.items():
            properties[field] = self._property(each, required=field in schema.required)
            if field == "fieldsV1":  # free JSON, which has a name of its own here
                properties[field] = self._free(f"{_META}.FieldsV1")
        if properties:
            made["properties"] = properties
        if schema.map_type == "atomic":
            made["x-kubernetes-map-type"] = schema.map_type
        self.found[name] = self._described(name, made)

    def _property(self, schema: Schema, *, required: bool = False) -> Json:
        made = self._type(schema, default=not schema.pointer)
        if schema.default is not None:
            made["default"] = schema.default
        elif required and schema.type in _ZEROS and not schema.pointer:
            made["default"] = _ZEROS[schema.type]
        if schema.enum:
            made["enum"] = list(schema.enum)
        return {**made, **_extensions(schema)}

    def _type(self, schema: Schema, *, default: bool) -> Json:
        if schema.type == "object":
            self._add(schema)
            return self.use(type_name(schema), **({"default": {}} if default else {}))
        if schema.type == "array":
            items = self._type(schema.items, default=True) if schema.items is not None else {}
            return {"type": "array", "items": self._with_zero(schema.items, items)}
        if schema.type == "map":
            values = self._type(schema.items, default=True) if schema.items is not None else {}
            return {"type": "object", "additionalProperties": self._with_zero(schema.items, values)}
        if schema.type == "bytes":
            return {"type": "string", "format": "byte"}
        if schema.type in _NAMED:
            return self._named(schema)
        form = {"format": _FORMATS.get(schema.format, schema.format)} if schema.format else {}
        return {"type": schema.type, **form}

    def _with_zero(self, schema: Schema | None, made: Json) -> Json:
        """Returns the type of elements: with the value of one that is empty, or just a reference."""
        if schema is not None and schema.type in _ZEROS:
            return {**made, "default": _ZEROS[schema.type]}
        return made["allOf"][0] if "allOf" in made and "default" not in made else made

    def _named(self, schema: Schema) -> Json:
        name, made = _NAMED[schema.type]
        if schema.type == "any" and schema.go_type.startswith("v1.JSON"):
            name, made = f"{_JSON}.{schema.go_type.removeprefix('v1.')}", {}
        if self._version == 2 and "oneOf" in made:
            made = {"type": "string", **({"format": made["format"]} if "format" in made else {})}
        self.found.setdefault(name, self._described(name, dict(made)))
        return self.use(name)

    def _free(self, name: str) -> Json:
        self.found.setdefault(name, self._described(name, {"type": "object"}))
        return self.use(name)

    def use(self, name: str, **more: Any) -> Json:
        """Refers to a type in a place that may say more of it."""
        if self._version == 2:
            return self.reference(name)
        return {**more, "allOf": [self.reference(name)]}


def _text(texts: Mapping[str, str], field: str) -> Json:
    return {"description": texts[field]} if texts.get(field) else {}


def type_name(schema: Schema) -> str:
    """Returns what the real documents call a type: io.k8s.api.core.v1.PodSpec."""
    name = schema.structure.name
    return f"{_ROOTS.get(name.partition('.')[0], 'io.k8s.api')}.{name}"


def name_of_kind(kind: Kind) -> str:
    """Returns what documents call a kind's type; that of a custom one has its group in it."""
    if kind.custom is None:
        return type_name(kind.schema)
    return ".".join([*reversed(kind.group.split(".")), kind.version, kind.kind])


def _extensions(schema: Schema) -> Json:
    found: Json = {}
    if schema.list_map_keys:
        found["x-kubernetes-list-map-keys"] = list(schema.list_map_keys)
    if schema.list_type:
        found["x-kubernetes-list-type"] = schema.list_type
    if schema.map_type and (schema.type == "map" or schema.map_type == "granular"):
        found["x-kubernetes-map-type"] = schema.map_type
    if schema.merge_key:
        found["x-kubernetes-patch-merge-key"] = schema.merge_key
    if schema.patch_strategy:
        found["x-kubernetes-patch-strategy"] = ",".join(sorted(schema.patch_strategy))
    return found
