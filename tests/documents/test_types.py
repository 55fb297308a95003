"""What a type reads is what its JSON Schema accepts."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft7Validator

from wavetank.documents import types
from wavetank.documents.jsonschema import schema_of
from wavetank.documents.structure import Structure, field
from wavetank.errors import InputError

TIMES = [0, 1.5, "90", "500ms", "2m30s", ".5h", "1d"]
NO_TIMES = [-1, "", "1 s", "x", "-3s", None, True, [1]]
CASES: dict[str, tuple[types.Type[Any], list[Any], list[Any]]] = {
    "text": (types.text, ["a"], ["", 1, None]),
    "boolean": (types.boolean, [True, False], [0, "true"]),
    "integer": (types.integer(1, 3), [1, 3], [0, 4, 1.5, True, "1"]),
    "number": (types.number(0, 1, "a share"), [0, 0.5, 1], [-1, 1.5, "1"]),
    "choice": (types.choice(("a", "b", "c")), ["a"], ["d", 1, None]),
    "constant": (types.constant("a"), ["a"], ["b", None]),
    "duration": (types.duration, TIMES, NO_TIMES),
    "distribution": (
        types.distribution,
        [
            *TIMES,
            {"constant": 1},
            {"uniform": [1, "2s"]},
            {"exponential": "1m"},
            {"normal": {"mean": 1, "deviation": 2}},
            {"lognormal": {"median": 1, "sigma": 2}},
            {"pareto": {"least": 1, "alpha": 2}},
            {"weibull": {"scale": 1, "shape": 2}},
            {"mixture": [{"weight": 1, "of": 3}, {"weight": 2, "of": {"uniform": [1, 2]}}]},
        ],
        [
            *NO_TIMES,
            {},
            {"gamma": 1},
            {"constant": 1, "exponential": 1},
            {"uniform": [1]},
            {"normal": {"mean": 1}},
            {"pareto": {"least": 1, "alpha": 0}},
            {"mixture": []},
        ],
    ),
    "amount": (types.amount("cpu"), [1, 0.5, "500m", "1e3", "1.5Gi", ".5"], [-1, "x", "1 Gi", None, ""]),
    "amounts": (types.amounts, [{}, {"cpu": 1, "nvidia.com/gpu": 2, "hugepages-2Mi": "4Mi"}], [{"gpu": 1}, [], None]),
    "labels": (types.labels, [{}, {"a": "b", "x.io/y": ""}], [{"a": 1}, {"a b": "c"}, {"a": "b c"}, []]),
    "items": (types.items(types.text), [["a"]], [[], "a", [1]]),
    "perhaps no items": (types.items(types.text, least=0), [["a"], []], ["a", [1], None]),
    "one or more": (types.one_or_more(types.text, "texts"), ["a", ["a", "b"]], [[], [1], 1]),
    "nullable": (types.nullable(types.text), ["a", None], ["", 1]),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, case in CASES.items() for value in case[1]], ids=str
)
def test_what_is_read_is_accepted(name: str, value: Any) -> None:
    CASES[name][0].read(value, "x")
    assert accepts(CASES[name][0], value)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, case in CASES.items() for value in case[2]], ids=str
)
def test_what_is_refused_is_not_accepted(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=r"^x"):
        CASES[name][0].read(value, "x")
    assert not accepts(CASES[name][0], value)


def accepts(type_: types.Type[Any], value: Any) -> bool:
    class Holder(Structure):
        """A field of that type."""

        it: Any = field(type_, doc="it")

    return Draft7Validator(schema_of(Holder, "test")).is_valid({"it": value})
