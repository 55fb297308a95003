"""Structures: fields, defaults, rules and what is said of mistakes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from jsonschema import Draft7Validator

from wavetank.documents import types
from wavetank.documents.jsonschema import schema_of
from wavetank.documents.rules import Excludes, Needs, OneOf
from wavetank.documents.structure import Structure, field
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND


class Part(Structure):
    """A part."""

    size: int = field(types.integer(1), doc="how large")


class Trip(Structure):
    """A trip."""

    rules = (
        OneOf("byBus", "byCar"),
        Needs("byCar", "driver", problem="a car needs a driver"),
        Excludes("byBus", "pets", problem="{} are not allowed on a bus"),
    )

    how_long: int = field(types.duration, default="90s", unit="seconds", doc="how long it takes")
    for_: str | None = field(types.text, default=None, otherwise="for nothing", doc="what for")
    parts: list[Part] | None = field(types.items(types.nested(Part)), default=None, doc="its parts")
    by_bus: bool | None = field(types.boolean, default=None, doc="by bus")
    by_car: bool | None = field(types.boolean, default=None, doc="by car")
    driver: str | None = field(types.text, default=None, doc="who drives")
    pets: int = field(types.integer(), default=0, doc="how many pets")


def test_a_mapping_becomes_attributes() -> None:
    read = Trip.read({"byBus": True, "for": "fun", "parts": [{"size": 2}]}, "trip")
    assert (read.how_long, read.for_, read.parts, read.by_bus) == (90 * SECOND, "fun", [Part(size=2)], True)
    assert (read.by_car, read.pets) == (None, 0)


def test_equal_mappings_are_equal_and_survive_pickling() -> None:
    first, second = (Trip.read({"byBus": True}, "trip") for _ in range(2))
    assert first == second == pickle.loads(pickle.dumps(first))
    assert repr(Part(size=2)) == "Part(size=2)"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "trip: expected a mapping, got []"),
        ({}, "trip: expected exactly one of byBus, byCar"),
        ({"byBus": True, "byCar": True}, "trip: expected exactly one of"),
        ({"byCar": True}, "trip.byCar: a car needs a driver"),
        ({"byBus": True, "pets": 1}, "trip.pets: pets are not allowed on a bus"),
        ({"byBuss": True}, "trip: unknown field 'byBuss' (did you mean byBus?)"),
        ({"byBus": 1}, "trip.byBus: expected true or false, got 1"),
        ({"byBus": True, "howLong": "x"}, "trip.howLong: expected a duration"),
        (
            {"byBus": True, "parts": [{"size": 1}, {}]},
            "trip.parts[1].size: this field is required (whole number): how large",
        ),
        (
            {"byBus": True, "parts": [{"size": 1}, {"size": 0}]},
            "trip.parts[1].size: expected a whole number, 1 or more",
        ),
    ],
    ids=str,
)
def test_a_mistake_is_named_with_its_place(given: Any, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Trip.read(given, "trip")
    assert str(refused.value).startswith(message)
    assert not Draft7Validator(schema_of(Trip, "trip")).is_valid(given)


def test_fields_of_base_classes_come_first() -> None:
    class Longer(Part, Trip):
        """Both, and one more."""

        last: str = field(types.text, doc="the last")

    assert list(Longer.fields)[:2] == ["size", "howLong"]
    assert list(Longer.fields)[-1] == "last"


def test_editors_get_meaning_unit_and_default() -> None:
    shown = schema_of(Trip, "trip")["properties"]["howLong"]
    assert (shown["description"], shown["default"]) == ("how long it takes (seconds)", "90s")
