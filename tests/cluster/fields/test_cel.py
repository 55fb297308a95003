"""The subset of CEL in which devices are selected."""

from __future__ import annotations

from fractions import Fraction

import pytest

from wavetank.cluster.fields.cel import CelError, compile_cel
from wavetank.errors import InputError

DEVICE = {
    "driver": "d",
    "attributes": {"d": {"model": "a", "index": 3, "nvlink": True}},
    "capacity": {"d": {"memory": Fraction(40 * 2**30)}},
}


def value_of(text):
    return compile_cel(text, frozenset({"device"}))({"device": DEVICE})


@pytest.mark.parametrize(
    "text",
    [
        'device.driver == "d"',
        "device.driver == 'd' && device.attributes['d'].model != 'b'",
        'device.attributes["d"]["index"] >= 3 || false',
        'device.attributes["d"].nvlink && !(device.attributes["d"].index == -1)',
        'device.capacity["d"].memory.compareTo(quantity("40Gi")) >= 0',
        'device.capacity["d"].memory.isGreaterThan(quantity("39Gi"))',
        'device.attributes["d"].model in ["a", "b"]',
        '"model" in device.attributes["d"]',
        'device.attributes["d"].model.startsWith("a")',
        'device.driver == "x" || device.driver == "y" || true',
        'true || device.attributes["d"].missing == 1',
        'device.attributes["d"].missing == 1 || true',
        '!(device.attributes["d"].missing == 1 && false)',
        '"\\"" == "\\""',
    ],
)
def test_conditions_that_hold(text):
    assert value_of(text) is True


@pytest.mark.parametrize(
    "text",
    ['device.driver == "x"', "device.driver == 1", 'device.attributes["d"].index < 3', "1 == 1.0", "false && true"],
)
def test_conditions_that_do_not(text):
    assert value_of(text) is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('device.attributes["d"].missing == 1', "no such key: missing"),
        ('device.attributes["d"].model < 3', "no such overload"),
        ("1 && true", "no such overload"),
    ],
)
def test_what_cannot_be_evaluated(text, message):
    with pytest.raises(CelError, match=message):
        value_of(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("device.all(x, true)", "the method all"),
        ("size(device.driver) > 0", "the function size"),
        ("request.name == 'x'", "the variable request"),
        ("true ? 1 : 2", "'?'"),
        ("1 + 2 == 3", r"'\+'"),
        ("", "'the end'"),
        ("(true", "'the end'"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(text, what):
    with pytest.raises(InputError, match=what):
        value_of(text)
