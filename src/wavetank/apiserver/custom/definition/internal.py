"""Parts of a definition as Go shows its internal types: capital names, and every field."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.apiserver.custom.schema.gotext import go_json
from wavetank.apiserver.custom.schema.structural import Document

_RULE = ("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf")
_OPTIONAL = frozenset({"reason", "optionalOldSelf"})
# Go's name, the name in documents, and the value of an unset field.
_PROPS: tuple[tuple[str, str, Any], ...] = (
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)
GO_NAMES = tuple((go, name) for go, name, _ in _PROPS)


def internal_rule(rule: Document) -> Document:
    """Returns a CEL rule."""
    return {name[0].upper() + name[1:]: rule.get(name, None if name in _OPTIONAL else "") for name in _RULE}


def internal_schema(schema: Document) -> Document:
    """Returns a JSON schema."""
    return {go: _value(go, schema[name]) if name in schema else unset for go, name, unset in _PROPS}


def internal_versions(versions: list[Document]) -> list[Document]:
    """Returns the versions of a definition, without what all of them have in common."""
    return [_version(each) for each in versions]


def _version(version: Document) -> Document:
    shown: Document = {name: version.get(name.lower(), "" if name == "Name" else False) for name in _FLAGS}
    shown["DeprecationWarning"] = version.get("deprecationWarning")
    schema = version.get("schema")
    root = (schema or {}).get("openAPIV3Schema")
    shown["Schema"] = {"OpenAPIV3Schema": internal_schema(root) if root is not None else None} if schema else None
    shown["Subresources"] = _subresources(version.get("subresources"))
    shown["AdditionalPrinterColumns"] = [
        _column(each) for each in version.get("additionalPrinterColumns") or ()
    ] or None
    fields = [{"JSONPath": each.get("jsonPath", "")} for each in version.get("selectableFields") or ()]
    shown["SelectableFields"] = fields or None
    return shown


_FLAGS = ("Name", "Served", "Storage", "Deprecated")


def _subresources(subresources: Document | None) -> Document | None:
    if subresources is None:
        return None
    scale = subresources.get("scale")
    shown = scale and {
        "SpecReplicasPath": scale.get("specReplicasPath", ""),
        "StatusReplicasPath": scale.get("statusReplicasPath", ""),
        "LabelSelectorPath": scale.get("labelSelectorPath"),
    }
    return {"Status": {} if "status" in subresources else None, "Scale": shown}


def _column(column: Document) -> Document:
    names = ("name", "type", "format", "description")
    shown: Document = {name.capitalize(): column.get(name, "") for name in names}
    return {**shown, "Priority": column.get("priority", 0), "JSONPath": column.get("jsonPath", "")}


def _value(go: str, value: Any) -> Any:
    if go == "Not":
        return internal_schema(value)
    if go in ("AllOf", "OneOf", "AnyOf"):
        return [internal_schema(each) for each in value]
    if go in ("Properties", "PatternProperties", "Definitions"):
        return {name: internal_schema(value[name]) for name in sorted(value)}
    if go == "Items":
        many = isinstance(value, list)
        return {
            "Schema": None if many else internal_schema(value),
            "JSONSchemas": [internal_schema(each) for each in value] if many else None,
        }
    if go in ("AdditionalProperties", "AdditionalItems"):
        is_schema = isinstance(value, dict)
        return {"Allows": is_schema or bool(value), "Schema": internal_schema(value) if is_schema else None}
    if go == "XValidations":
        return [internal_rule(each) for each in value]
    if go in ("Default", "Example", "Enum"):
        return msgspec.Raw(go_json(value).encode())
    if go == "ExternalDocs":
        return {"Description": value.get("description", ""), "URL": value.get("url", "")}
    return value
