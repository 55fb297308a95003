"""Checks of the CEL rules of a schema that is sound otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wavetank.apiserver.custom.celschema import type_of_schema
from wavetank.apiserver.custom.definition.internal import internal_rule
from wavetank.apiserver.custom.rules import MessageError, compile_rule
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.fielderrors import FieldError, invalid
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import Type

_RULES = "x-kubernetes-validations"


def check_rules_of(schema: Document, path: str, errors: Sequence[FieldError]) -> list[FieldError]:
    """Returns what is wrong with rules; those above a place that has `errors` are not looked at."""
    return list(_check(Structural.read(schema), path, [error.field for error in errors], "", root=True))


def _check(
    schema: Structural, path: str, wrong: Sequence[str], uncorrelatable: str, *, root: bool = False
) -> Iterator[FieldError]:
    if schema.additional is not None:
        yield from _check(schema.additional, f"{path}.additionalProperties", wrong, uncorrelatable)
    atomic = path if schema.map_type == "atomic" else ""
    for name, each in schema.properties.items():
        yield from _check(each, f"{path}.properties[{name}]", wrong, uncorrelatable or atomic)
    if schema.items is not None:
        loose = path if schema.list_type != "map" else ""
        yield from _check(schema.items, f"{path}.items", wrong, uncorrelatable or loose)
    if schema.rules and not any(field.startswith(path) for field in wrong):
        own = type_of_schema(schema, root=root or schema.embedded)
        for i, rule in enumerate(schema.rules if own is not None else ()):
            assert own is not None
            yield from _check_rule(rule, own, schema, f"{path}.{_RULES}[{i}]", uncorrelatable)


def _check_rule(rule: Document, own: Type, schema: Structural, path: str, uncorrelatable: str) -> Iterator[FieldError]:
    try:
        compiled = compile_rule(rule, own, schema)
    except MessageError as error:
        yield invalid(f"{path}.messageExpression", internal_rule(rule), str(error))
        return
    except ExpressionError as error:
        yield invalid(f"{path}.rule", internal_rule(rule), str(error))
        return
    if compiled.uses_old and uncorrelatable:
        why = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
        yield invalid(f"{path}.rule", rule["rule"], why)
    elif not compiled.uses_old and rule.get("optionalOldSelf") is not None:
        why = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], why)
