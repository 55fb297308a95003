"""Selectors of devices get the answers of Kubernetes' own code; scripts/record_deviceselectors.py recorded them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scheduling.dra.claims import a_claim, exactly
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.values import EvaluationError
from wavetank.cluster.fields.deviceselectors import device_selector
from wavetank.cluster.objects.dra import Device, ResourceClaim, ResourceSlice
from wavetank.errors import InputError

RECORDED = json.loads(Path(__file__).with_name("selectors.json").read_text())
# Only the words of the error are others: those of a syntax error, of a type and of the overload that is missing.
OTHER_WORDS = {
    "(true",
    "true)",
    'device.driver = "d"',
    'device.attributes["d"]',
    'device.attributes["d"].driverVersion.compareTo(quantity("1")) == 0',
}


def a_device():
    return Device(RECORDED["about"]["driver"], "pool", RECORDED["about"]["device"])


def answer(expression):
    try:
        selector = device_selector(expression)
    except ExpressionError as error:
        return {"matches": False, "compile": str(error)}
    try:
        return {"matches": a_device().matches(selector)}
    except EvaluationError as error:
        return {"matches": False, "runtime": str(error)}


@pytest.mark.parametrize("case", RECORDED["cases"], ids=lambda case: case["expression"] or "empty")
def test_a_selector_is_answered_as_by_kubernetes(case):
    told = {"expression": case["expression"], **answer(case["expression"])}
    if case["expression"] in OTHER_WORDS:
        assert told.keys() == case.keys()
    else:
        assert told == case


def test_equal_expressions_are_compiled_once():
    assert device_selector('device.driver == "d"') is device_selector('device.driver == "d"')


def test_a_device_is_asked_once_about_a_selector():
    device, calls = a_device(), []

    class Counting:
        def matches(self, variables):
            calls.append(variables)
            return False

    selector = Counting()
    assert [device.matches(selector) for _ in range(3)] == [False] * 3
    assert len(calls) == 1


def test_a_claim_with_a_wrong_selector_is_refused_with_its_place():
    claim = a_claim("c", exactly(where=("device.driver == 1",)))
    with pytest.raises(InputError, match=r"requests\[0\]\.exactly\.selectors\[0\]\.cel\.expression.*no matching overl"):
        ResourceClaim(claim)


def test_a_device_with_a_wrong_version_is_refused():
    attributes = {"version": {"version": "1.2"}}
    devices = [{"name": "g", "attributes": attributes}]
    with pytest.raises(InputError, match=r"expected a semantic version such as 1\.2\.3: No Major"):
        ResourceSlice({"metadata": {"name": "s"}, "spec": {"driver": "d", "devices": devices}})
