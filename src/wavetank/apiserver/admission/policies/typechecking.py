"""Expressions of policies checked against the types of the kinds that they match, for the status of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wavetank.apiserver.custom.celschema import type_of_schema
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.schemas.schema import Schema
from wavetank.apiserver.validation.admission.expressions import AUTHORIZER, variables_of
from wavetank.cel.checker import Checked
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import BOOL, BYTES, DOUBLE, DYN, INT, STRING, TIMESTAMP, Type, list_of, map_of

Document = dict[str, Any]
MOST_KINDS = 10  # that the expressions of a policy are checked for
_SCALARS = {"string": STRING, "integer": INT, "number": DOUBLE, "boolean": BOOL, "bytes": BYTES, "time": TIMESTAMP}


def policy_warnings(spec: Document, kinds: KindTable) -> list[Document]:
    """Returns the expressionWarnings of a policy's spec: what cannot be right for one of its kinds."""
    variables = [(kind, _variables(spec, _type_of(kind), kinds)) for kind in _kinds_of(spec, kinds)]
    found = []
    for index, validation in enumerate(spec.get("validations") or ()):
        for name in ("expression", "messageExpression"):
            text = validation.get(name)
            warnings = "\n".join(_warnings(text, variables)) if text else ""
            if warnings:
                found.append({"fieldRef": f"spec.validations[{index}].{name}", "warning": warnings})
    return found


def _warnings(text: str, variables: Iterable[tuple[Kind, Mapping[str, Type]]]) -> Iterator[str]:
    for kind, known in variables:
        try:
            Checked(text, known)
        except ExpressionError as error:
            yield f"{kind.group}/{kind.version}, Kind={kind.kind}: compilation failed: {error}\n"


def _variables(spec: Document, own: Type, kinds: KindTable) -> Mapping[str, Type]:
    wanted = spec.get("paramKind") or {}
    params = kinds.named(wanted["apiVersion"], wanted["kind"]) if wanted else None
    known = {**variables_of(namespace=True), **AUTHORIZER, "object": own, "oldObject": own}
    if wanted:
        known["params"] = DYN if params is None else _type_of(params)
    stated: dict[str, Type] = {}  # grows: each may use those before it
    all_known = {**known, "variables": Type("kubernetes.variables", fields=stated)}
    for each in spec.get("variables") or ():
        try:
            stated[each["name"]] = Checked(each["expression"], all_known).type
        except ExpressionError:
            stated[each["name"]] = DYN
    return all_known if stated else known


def _kinds_of(spec: Document, kinds: KindTable) -> list[Kind]:
    """Returns the kinds that the rules name, without wildcards."""
    found: dict[tuple[str, str, str], Kind] = {}
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        names = [sorted(rule.get(name) or ()) for name in ("apiGroups", "apiVersions", "resources")]
        for group in names[0]:
            for version in names[1]:
                for plural in names[2]:
                    kind = kinds.find(group, version, plural)
                    if kind is not None and len(found) < MOST_KINDS:
                        found[group, version, kind.kind] = kind
    return [found[key] for key in sorted(found)]


def _type_of(kind: Kind) -> Type:
    if kind.custom is not None:
        return type_of_schema(kind.custom.schema, root=True, name=kind.kind) or DYN
    return Type(kind.kind, fields=_Fields(kind.schema))


class _Fields(Mapping[str, Type]):
    """The fields of an object type, each typed when it is first used: types may contain themselves."""

    def __init__(self, schema: Schema) -> None:
        self._schemas = schema.fields

    def __getitem__(self, name: str) -> Type:
        return _field(self._schemas[name]) if name in self._schemas else STRING

    def __contains__(self, name: object) -> bool:
        return name in self._schemas or name in ("apiVersion", "kind")

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)


def _field(schema: Schema) -> Type:
    if schema.type == "object":
        return Type(schema.structure.name, fields=_Fields(schema)) if not schema.preserves else DYN
    if schema.type == "array":
        return list_of(_field(schema.items) if schema.items is not None else DYN)
    if schema.type == "map":
        return map_of(STRING, _field(schema.items) if schema.items is not None else DYN)
    return _SCALARS.get(schema.type, DYN)
