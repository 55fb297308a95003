"""Checks of the CEL rules of a schema that is sound otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from wavetank.apiserver.custom.bounds import Bounds, bounds_of
from wavetank.apiserver.custom.celschema import type_of_schema
from wavetank.apiserver.custom.definition.internal import internal_rule
from wavetank.apiserver.custom.rules import MessageError, Rule, compile_rule
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.fielderrors import FieldError, forbidden, invalid
from wavetank.cel.estimates.estimation import estimate_cost
from wavetank.cel.estimates.sizes import add, multiply
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import Type

_RULES = "x-kubernetes-validations"
_RULE_LIMIT = 10_000_000  # of the estimated cost of one expression, for all values that it may be evaluated for
_SCHEMA_LIMIT = 100_000_000  # of all rules of a schema
_MOST_NAMED = 4  # rules that are named if all together cost too much


@dataclass(slots=True)
class _Costs:
    """What the rules of a schema cost together; `lenient` if a single one may cost more than its limit."""

    lenient: bool
    total: int = 0
    greatest: list[tuple[int, str]] = field(default_factory=list)

    def observe(self, path: str, cost: int) -> None:
        """Counts a rule."""
        self.total = add(self.total, cost)
        if cost >= _SCHEMA_LIMIT // 100:
            found = sorted([*self.greatest, (cost, path)], key=lambda each: -each[0])
            self.greatest = found[:_MOST_NAMED]

    def errors(self, path: str) -> Iterator[FieldError]:
        """Yields what is wrong with the total."""
        if self.total > _SCHEMA_LIMIT:
            why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
            for _, expensive in self.greatest:
                yield forbidden(expensive, why)
            what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
            yield forbidden(path, _too_costly(what, self.total, _SCHEMA_LIMIT))


@dataclass(frozen=True, slots=True)
class _Place:
    """One place of a schema: `repeated` is how often a value may stand here, None if that has no bound.

    `uncorrelatable` is the path above it from which on values are not compared with old ones, if there is one.
    """

    path: str
    repeated: int | None = 1
    uncorrelatable: str = ""
    root: bool = False

    def below(self, path: str, most: int | None, uncorrelatable: str) -> _Place:
        """Returns a place below; `most` is how many values there are for each one here, None without a bound."""
        repeated = None if self.repeated is None or most is None else multiply(self.repeated, most)
        return replace(self, path=path, repeated=repeated, uncorrelatable=uncorrelatable, root=False)


def check_rules_of(
    schema: Document, path: str, errors: Sequence[FieldError], *, unchanged: bool = False
) -> list[FieldError]:
    """Returns what is wrong with rules; those above a place that has `errors` are not looked at.

    Of an `unchanged` schema a single rule may cost more than allowed, since the definition was accepted before.
    """
    costs = _Costs(unchanged)
    found = list(_check(Structural.read(schema), _Place(path, root=True), [error.field for error in errors], costs))
    return [*found, *costs.errors(path)]


def _check(schema: Structural, place: _Place, wrong: Sequence[str], costs: _Costs) -> Iterator[FieldError]:
    path, above, most = place.path, place.uncorrelatable, _most_elements(schema)
    if schema.additional is not None:
        yield from _check(schema.additional, place.below(f"{path}.additionalProperties", most, above), wrong, costs)
    atomic = path if schema.map_type == "atomic" else ""
    for name, each in schema.properties.items():
        below = place.below(f"{path}.properties[{name}]", most, above or atomic)
        yield from _check(each, below, wrong, costs)
    if schema.items is not None:
        loose = path if schema.list_type != "map" else ""
        yield from _check(schema.items, place.below(f"{path}.items", most, above or loose), wrong, costs)
    if schema.rules and not any(field.startswith(path) for field in wrong):
        own = type_of_schema(schema, root=place.root or schema.embedded)
        bounds = bounds_of(schema, root=place.root or schema.embedded)
        for i, rule in enumerate(schema.rules if own is not None else ()):
            assert own is not None
            assert bounds is not None
            at = replace(place, path=f"{path}.{_RULES}[{i}]")
            yield from _check_rule(rule, own, schema, at, bounds, costs)


def _most_elements(schema: Structural) -> int | None:
    """Returns how many values of a kind below there are at most for each value of a schema; None without a bound."""
    bound = {"array": "maxItems", "object": "maxProperties" if schema.is_map else ""}.get(schema.type, "")
    if not bound:
        return 1
    stated = schema.raw.get(bound)
    return None if stated is None else max(stated, 0)


def _check_rule(
    rule: Document, own: Type, schema: Structural, place: _Place, bounds: Bounds, costs: _Costs
) -> Iterator[FieldError]:
    path = place.path
    try:
        compiled = compile_rule(rule, own, schema)
    except MessageError as error:
        yield invalid(f"{path}.messageExpression", internal_rule(rule), str(error))
        return
    except ExpressionError as error:
        yield invalid(f"{path}.rule", internal_rule(rule), str(error))
        return
    yield from _check_costs(compiled, place, bounds, costs)
    if compiled.uses_old and place.uncorrelatable:
        why = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelatable}"
        yield invalid(f"{path}.rule", rule["rule"], why)
    elif not compiled.uses_old and rule.get("optionalOldSelf") is not None:
        why = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], why)


def _check_costs(rule: Rule, place: _Place, bounds: Bounds, costs: _Costs) -> Iterator[FieldError]:
    """Checks what the expressions of a rule are estimated to cost."""
    often = bounds.repetitions if place.repeated is None else place.repeated
    cost = multiply(estimate_cost(rule.test, bounds.size_of), often)
    yield from _check_cost("estimated rule cost", f"{place.path}.rule", cost, costs)
    if rule.message is not None:
        cost = estimate_cost(rule.message, bounds.size_of)
        yield from _check_cost("estimated messageExpression cost", f"{place.path}.messageExpression", cost, costs)


def _check_cost(what: str, path: str, cost: int, costs: _Costs) -> Iterator[FieldError]:
    if cost > _RULE_LIMIT and not costs.lenient:
        yield forbidden(path, _too_costly(what, cost, _RULE_LIMIT))
    costs.observe(path, cost)


def _too_costly(what: str, cost: int, limit: int) -> str:
    times = cost / limit
    factor = "more than 100x" if times > 100 else f"{times:f}x" if times < 1.5 else f"{times:.1f}x"
    advice = "adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared"
    return f"{what} exceeds budget by factor of {factor} (try simplifying the rule, or {advice})"
