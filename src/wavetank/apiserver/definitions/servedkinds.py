"""The kinds that a CustomResourceDefinition serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.custom.conversion import WebhookConverter
from wavetank.apiserver.custom.customtype import AGE, CustomType, ScalePaths
from wavetank.apiserver.custom.rules import RuleNode
from wavetank.apiserver.custom.schema.complexity import complexity
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.kinds.versions import version_rank
from wavetank.apiserver.schemas.metadata import object_metadata
from wavetank.apiserver.schemas.schema import Schema, Structure
from wavetank.apiserver.webhooks.calls import WebhookClient

VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_TERMINATING_VERBS = ("delete", "deletecollection", "get", "list", "watch")
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_SCALARS = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}


def served_kinds(definition: Document, kinds: KindTable, client: WebhookClient) -> Iterator[Kind]:
    """Yields the kinds, one for each served version, of a definition whose names are accepted.

    `client` calls the webhook that converts between versions, if the definition names one.
    """
    spec, names = definition["spec"], definition["status"]["acceptedNames"]
    versions = spec["versions"]
    schemas = {
        each["name"]: Structural.read((each.get("schema") or {}).get("openAPIV3Schema") or {}) for each in versions
    }
    storage = next(each["name"] for each in versions if each.get("storage"))
    conditions = (definition.get("status") or {}).get("conditions") or ()
    terminating = any(each["type"] == "Terminating" and each["status"] == "True" for each in conditions)
    conversion = spec.get("conversion") or {}
    converts = conversion.get("strategy") == "Webhook"
    converter = WebhookConverter(conversion.get("webhook") or {}, client) if converts else None
    for each in versions:
        if not each.get("served"):
            continue
        subresources = each.get("subresources") or {}
        custom = CustomType(
            spec["group"],
            each["name"],
            names["kind"],
            names.get("listKind") or f"{names['kind']}List",
            storage,
            schemas,
            tuple(each.get("additionalPrinterColumns") or (AGE,)),
            tuple(field["jsonPath"] for field in each.get("selectableFields") or ()),
            "status" in subresources,
            _scale_paths(subresources.get("scale")),
            _warning(spec, each) if each.get("deprecated") else "",
            terminating,
            RuleNode.of(schemas[each["name"]], root=True),
            converter,
            complexity(schemas[each["name"]].raw),
        )
        yield _make_kind(spec, names, custom, kinds)


def typed(schema: Structural, name: str) -> Schema:
    """Returns the type that server-side apply and OpenAPI see in a schema; `name` is what messages call it."""
    if schema.preserves and not schema.properties and not schema.is_map and not schema.embedded:
        return Schema("any", go_type="interface {}", pointer=True, omit_empty=True, map_type=schema.map_type)
    if schema.int_or_string:
        return Schema("int-or-string", go_type="intstr.IntOrString", pointer=True, omit_empty=True)
    if schema.type == "array":
        items = typed(schema.items, name) if schema.items is not None else Schema("any")
        made = Schema("array", go_type="[]interface {}", items=items, pointer=True, omit_empty=True)
        made.list_type, made.list_map_keys = schema.list_type, schema.list_map_keys
        made.list_key_defaults = tuple(_key_default(schema.items, key) for key in schema.list_map_keys)
        return made
    if schema.type == "object":
        return _typed_object(schema, name)
    scalar = _SCALARS.get(schema.type)
    if scalar is None:
        return Schema("any", go_type="interface {}", pointer=True, omit_empty=True)
    form = scalar if schema.type in ("integer", "number") else ""
    made = Schema(schema.type, format=form, go_type=scalar, pointer=True, omit_empty=True)
    made.default = schema.default
    return made


def _key_default(items: Structural | None, key: str) -> Any:
    inner = items.properties.get(key) if items is not None else None
    return inner.default if inner is not None else None


def _typed_object(schema: Structural, name: str) -> Schema:
    if schema.is_map:
        items = typed(schema.additional, name) if schema.additional is not None else Schema("any")
        return Schema("map", go_type="map[string]interface {}", items=items, pointer=True, map_type=schema.map_type)
    fields = {key: typed(each, f"{name}.{key}") for key, each in schema.properties.items()}
    if schema.embedded:
        text = Schema("string", go_type="string", pointer=True, omit_empty=True)
        fields |= {"apiVersion": text, "kind": text, "metadata": object_metadata()}
    structure = Structure(name, fields, frozenset(schema.raw.get("required") or ()))
    made = Schema("object", go_type=name, pointer=True, omit_empty=True, resolve=lambda: structure)
    made.map_type, made.preserves = schema.map_type, schema.preserves
    return made


def _make_kind(spec: Document, names: Document, custom: CustomType, kinds: KindTable) -> Kind:
    return Kind(
        custom.group,
        custom.version,
        custom.kind,
        names["plural"],
        names.get("singular", ""),
        spec["scope"] == "Namespaced",
        _TERMINATING_VERBS if custom.terminating else VERBS,
        _root(custom, kinds),
        tuple(names.get("shortNames") or ()),
        tuple(names.get("categories") or ()),
        dict(_subresources(custom, kinds)),
        custom,
    )


def _root(custom: CustomType, kinds: KindTable) -> Schema:
    """Returns the type of a whole object, whose apiVersion, kind and metadata no schema has to describe."""
    schema = typed(custom.schema, ".".join([*reversed(custom.group.split(".")), custom.version, custom.kind]))
    head = kinds.named("v1", "ConfigMap")
    assert head is not None
    fields = {name: head.schema.fields[name] for name in ("kind", "apiVersion", "metadata")}
    name = schema.go_type if schema.type == "object" else custom.kind
    structure = Structure(name, {**schema.fields, **fields}, schema.required)
    return Schema("object", go_type=name, resolve=lambda: structure, preserves=custom.schema.preserves)


def _subresources(custom: CustomType, kinds: KindTable) -> Iterator[tuple[str, Subresource]]:
    if custom.has_status:
        schema = _root(custom, kinds)
        yield "status", Subresource("status", custom.group, custom.version, custom.kind, _SUBRESOURCE_VERBS, schema)
    if custom.scale is not None:
        workload = kinds.named("apps/v1", "Deployment")
        assert workload is not None
        schema = workload.subresources["scale"].schema
        yield "scale", Subresource("scale", "autoscaling", "v1", "Scale", _SUBRESOURCE_VERBS, schema)


def _scale_paths(scale: Document | None) -> ScalePaths | None:
    if scale is None:
        return None
    return ScalePaths(scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or "")


def _warning(spec: Document, version: Document) -> str:
    """Returns the warning about a deprecated version: its author's, or which version to use."""
    if version.get("deprecationWarning") is not None:
        return str(version["deprecationWarning"])
    kind, name = spec["names"]["kind"], version["name"]
    better = [each["name"] for each in spec["versions"] if each.get("served") and not each.get("deprecated")]
    better = [each for each in better if version_rank(each) > version_rank(name)]
    use = f"; use {spec['group']}/{max(better, key=version_rank)} {kind}" if better else ""
    return f"{spec['group']}/{name} {kind} is deprecated{use}"
