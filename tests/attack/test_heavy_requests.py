"""Requests that ask for more work than they look like: refused, or no more costly than the real server allows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, Caller
from wavetank.apiserver.codec import yamltext
from wavetank.apiserver.custom.schema.values import check_value
from wavetank.apiserver.fielderrors import ENOUGH
from wavetank.cel.checker import Checked
from wavetank.cel.cost import CostError, metered
from wavetank.cel.evaluation import evaluate
from wavetank.cel.patterns import go_pattern
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import DYN
from wavetank.cel.values import EvaluationError

JSON_PATCH = "application/json-patch+json"


def a_map(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", **metadata}}


def test_the_copies_of_a_json_patch_may_add_three_megabytes() -> None:
    caller = Caller()
    caller.ask("POST", MAPS, a_map())
    bomb = [{"op": "add", "path": "/bomb", "value": ["x"]}, *[{"op": "copy", "from": "/bomb", "path": "/bomb/-"}] * 24]
    assert caller.ask("PATCH", f"{MAPS}/a", bomb, content_type=JSON_PATCH).status == 422
    assert caller.ask("PATCH", f"{MAPS}/a", bomb[:5], content_type=JSON_PATCH).status == 200


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(.*)*(.*)*x"])
def test_a_pattern_takes_linear_time(pattern: str) -> None:
    assert go_pattern(pattern).search("a" * 50_000 + "!") is None


NESTED = "l.all(a, l.all(b, l.all(c, l.all(d, l.all(e, a + b + c + d + e >= 0)))))"


@pytest.mark.parametrize(
    "expression",
    [
        NESTED,
        'text.replace("a", text).replace("a", text).replace("a", text).size() > 0',
        "lists.range(100000000).size() > 0",
        "l.all(a, l.all(b, l.all(c, big == big)))",
        "sets.contains(big, big) && big.distinct().size() > 0",
        "big.map(a, text).join(text + text).size() > 0",
    ],
)
def test_an_expression_that_costs_too_much_is_cancelled(expression: str) -> None:
    names = {"l": list(range(20)), "text": "a" * 1800, "big": list(range(2000))}
    with pytest.raises(CostError, match="actual cost limit exceeded"):
        evaluate(Checked(expression, dict.fromkeys(names, DYN)).tree, metered(names))


def test_a_usual_expression_does_not() -> None:
    names = {"l": list(range(100)), "text": "a" * 1000}
    tree = Checked('l.all(a, l.exists(b, a == b)) && text.matches("^a+$")', dict.fromkeys(names, DYN)).tree
    assert evaluate(tree, metered(names)) is True


def test_a_number_is_written_with_a_thousand_digits_at_most() -> None:
    tree = Checked('"%.999999999f".format([1.0])', {}).tree
    with pytest.raises(EvaluationError, match="precision"):
        evaluate(tree, {})


@pytest.mark.parametrize("expression", ["(" * 300 + "true" + ")" * 300, "!" * 5000 + "true", " + ".join(["1"] * 5000)])
def test_a_deep_expression_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError, match="recursion limit exceeded"):
        Checked(expression, {})


def test_an_object_has_so_many_errors_and_no_more() -> None:
    labels = {f"!{i}": "!" for i in range(5000)}
    refused = Caller().ask("POST", MAPS, a_map(labels=labels))
    assert (refused.status, len(refused.body["details"]["causes"])) == (422, ENOUGH)
    schema = {"type": "array", "items": {"anyOf": [{"minimum": i} for i in range(5, 10)]}}
    assert len(check_value(schema, [1] * 5000)) == ENOUGH


@pytest.mark.parametrize("text", ["a: {%s}", "a: [%s]"])
def test_the_nodes_of_a_large_yaml_text_are_freed_in_parts(text: str) -> None:
    node = yamltext._first_node((text % ", ".join(f"a{i}: 1" for i in range(5000))).encode())
    reader = yamltext._Reader(node)
    assert len(reader.document()["a"]) == 5000
    assert len(node.value[0][1].value) <= 1000


def test_an_alias_of_freed_nodes_is_read() -> None:
    many = ", ".join(map(str, range(3000)))
    document, _ = yamltext.parse_yaml(f"a: &x [{many}]\nb: *x\nc: *x\n".encode())
    assert document["a"] == document["b"] == document["c"] == list(range(3000))
