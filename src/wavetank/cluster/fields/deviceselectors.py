"""CEL expressions that select devices, and what they see of a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cel.checker import Checked
from wavetank.cel.cost import metered
from wavetank.cel.evaluation import evaluate
from wavetank.cel.functions.quantities import Amount
from wavetank.cel.functions.semver import Semver, read_semver
from wavetank.cel.functions.table import type_of
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import BOOL, DYN, STRING, Type, map_of
from wavetank.cel.values import EvaluationError
from wavetank.quantity import parse_quantity
from wavetank.textcache import cached_text

_QUANTITY = Type("Quantity")
_FIELDS = {
    "driver": STRING,
    "attributes": map_of(STRING, map_of(STRING, DYN)),
    "capacity": map_of(STRING, map_of(STRING, _QUANTITY)),
}
_VARIABLES = {"device": Type("kubernetes.DRADevice", fields=_FIELDS)}
# Go's words for values that are no bool.
_NOT_BOOL = {
    str: "unsupported native conversion from string to 'bool'",
    int: "unsupported type conversion from 'int' to bool",
    Semver: "type conversion error from 'Semver' to 'bool'",
}


class DeviceSelector:
    """A compiled expression about a device; an ExpressionError says why it cannot be used."""

    def __init__(self, expression: str) -> None:
        try:
            checked = Checked(expression, _VARIABLES, bindings=True)
        except ExpressionError as error:
            raise ExpressionError(f"compilation failed: {error}") from None
        if checked.type not in (BOOL, DYN):
            raise ExpressionError(f"must evaluate to bool or the unknown type, not {checked.type}")
        self._tree = checked.tree

    def matches(self, variables: Mapping[str, Any]) -> bool:
        """Evaluates the expression for what `device_variables` made of a device; an EvaluationError if it fails."""
        found = evaluate(self._tree, metered(variables))
        if not isinstance(found, bool):
            name = type_of(found).name
            why = _NOT_BOOL.get(type(found), f"type conversion error from '{name}' to 'bool'")
            raise EvaluationError(f"CEL result of type {name} could not be converted to bool: {why}")
        return found


@cached_text(1024, long=200_000)
def device_selector(expression: str) -> DeviceSelector:
    """Compiles an expression, once; an ExpressionError says why it cannot be used."""
    return DeviceSelector(expression)


def device_variables(
    driver: str, attributes: Mapping[str, tuple[str, Any]], capacity: Mapping[str, str]
) -> Mapping[str, Any]:
    """Returns the variables of selectors, from attributes as (type, value) and quantities, both by name."""
    values = {name: read_semver(value) if kind == "version" else value for name, (kind, value) in attributes.items()}
    amounts = {name: Amount(parse_quantity(value)) for name, value in capacity.items()}
    fields = {"driver": driver, "attributes": _by_domain(values, driver), "capacity": _by_domain(amounts, driver)}
    return {"device": fields}


class _Domains(dict[str, dict[str, Any]]):
    """Names by their domain; a domain without any is empty, not missing."""

    def __missing__(self, domain: str) -> dict[str, Any]:
        return {}


def _by_domain(named: Mapping[str, Any], own: str) -> _Domains:
    domains = _Domains()
    for name, value in named.items():
        domain, slash, rest = name.partition("/")
        domains.setdefault(domain if slash else own, {})[rest if slash else name] = value
    return domains
