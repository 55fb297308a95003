"""Rules that may cost too much are refused with their definition; the figures are those of the real code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.custom.rulecases import PROPERTIES, definition_with
from tests.apiserver.inprocess import Caller
from wavetank.apiserver.custom.bounds import bounds_of
from wavetank.apiserver.custom.celschema import type_of_schema
from wavetank.apiserver.custom.definition.checks import check_definition_update
from wavetank.apiserver.custom.rules import compile_rule
from wavetank.apiserver.custom.schema.structural import Structural
from wavetank.cel.estimates.estimation import estimate_cost

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_BOUNDS = ("maxLength", "maxItems", "maxProperties")


def unbounded(schema: Any) -> Any:
    """Returns a schema without bounds."""
    if not isinstance(schema, dict):
        return schema
    return {name: unbounded(each) for name, each in schema.items() if name not in _BOUNDS}


def estimated(rule: str, properties: dict[str, Any]) -> int:
    schema = Structural.read({"type": "object", "properties": properties})
    own, bounds = type_of_schema(schema), bounds_of(schema)
    assert own is not None
    assert bounds is not None
    return estimate_cost(compile_rule({"rule": rule}, own, schema).test, bounds.size_of)


@pytest.mark.parametrize(
    ("rule", "bounded", "without_bounds"),
    [
        ("self.ls.all(x, self.ls.exists(y, x == y))", 383, 345_882_608_640_773_328),
        ("self.ls.filter(x, x.startsWith('a')).all(y, y.size() < 5)", 119, 22_020_089),
        ("self.ls.map(x, x + 'b').exists(y, y.contains('c'))", 149, 329_872_257_839),
        ("self.lo.map(e, e.k).all(k, k.matches('^[a-z]+$'))", 114, 20_971_514),
        ("self.m.all(k, self.m[k] > 0)", 43, 3_595_115),
        ("self.m.exists_one(k, k == 'a')", 19, 1_348_171),
        ("self.ls.join(',').split(',').size() < 10", 126, 989_559_206_712),
        ("self.s.replace(self.t, self.q) == self.s", 32, 943_727),
        ("(self.b ? self.s : self.t).matches('a+')", 13, 314_577),
        ("sets.equivalent(self.ls, ['a', 'b', 'c'])", 43, 6_291_463),
        ("self.ls.isSorted() && self.l.sum() > 3", 55, 329_856_004_918),
        ("type(self.ios) == int ? self.ios < 5 : self.ios.contains('%')", 10, 314_579),
        ("self.ls.sort() == self.ls", 69, 2_308_970_119_186),
        ("self.m.all(k, v, v > 0 && k.size() < 3)", 43, 3_595_115),
        ("self.m.transformMap(k, v, v + 1).all(k, v, v > 0)", 84, 4_493_924),
        ("self.?s.optMap(v, v + v).orValue('').contains('x')", 3_689_348_814_741_910_548, 3_689_348_814_741_910_548),
        ("cidr(self.s).containsCIDR(self.t)", 27, 629_157),
        ("quantity(self.q) == quantity(self.s)", 17, 629_151),
        ("self.s in self.ls", 9, 1_048_579),
        ("(self.b ? self.ls : ['abc']).exists(v, v == self.s)", 48, 7_340_038),
        ("string(self.by).contains('a')", 4, 629_148),
        ("has(self.o.y)", 2, 2),
    ],
)
def test_a_rule_is_estimated_as_by_the_real_code(rule: str, bounded: int, without_bounds: int) -> None:
    assert estimated(rule, PROPERTIES) == bounded
    assert estimated(rule, unbounded(PROPERTIES)) == without_bounds


def a_definition(most: int | None, *rules: str) -> dict[str, Any]:
    """Returns a definition with a list of texts that has rules."""
    items = {"type": "array", "items": {"type": "string", "maxLength": 20}}
    if most is not None:
        items["maxItems"] = most
    items["x-kubernetes-validations"] = [{"rule": rule} for rule in rules]
    return definition_with({"type": "object", "properties": {"spec": items}})


def refusals(caller: Caller, definition: dict[str, Any]) -> list[str]:
    answer = caller.ask("POST", DEFINITIONS, definition)
    if answer.status == 201:
        return []
    assert answer.status == 422
    return [f"{each['field']}: {each['message']}" for each in answer.body["details"]["causes"]]


QUADRATIC = "self.all(x, self.exists(y, x == y))"
RULE = "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule"
ADVICE = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared)"
)


def test_a_rule_without_bounds_is_refused_with_advice() -> None:
    rule, part, total = refusals(Caller(), a_definition(None, QUADRATIC))
    assert rule == f"{RULE}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x {ADVICE}"
    assert "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema" in part
    assert "rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x" in total


@pytest.mark.parametrize(
    ("most", "factor"),
    [pytest.param(800, "", id="within the limit"), pytest.param(900, "1.134450x", id="a little more")],
)
def test_the_message_says_by_how_much(most: int, factor: str) -> None:
    found = refusals(Caller(), a_definition(most, QUADRATIC))
    assert [each.partition("factor of ")[2].partition(" ")[0] for each in found] == ([factor] if factor else [])


def test_an_accepted_definition_can_be_changed_elsewhere() -> None:
    """As with definitions that an earlier release has accepted."""
    costly = a_definition(1000, QUADRATIC)
    stored = Caller().ask("POST", DEFINITIONS, a_definition(10, QUADRATIC)).body
    stored["spec"]["versions"][0]["schema"] = costly["spec"]["versions"][0]["schema"]
    changed = {**stored, "metadata": {**stored["metadata"], "labels": {"a": "b"}}}
    assert [str(each) for each in check_definition_update(changed, stored)] == []
