from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster.fields.taints import EFFECTS, Taint, Toleration, Tolerations, parse_taints
from wavetank.errors import InputError

GPU = Taint("gpu", "a100", "NoSchedule")
WORDS = st.sampled_from(["", "gpu", "spot", "a100"])
TAINTS = st.builds(Taint, st.sampled_from(["gpu", "spot"]), WORDS, st.sampled_from(EFFECTS))
TOLERATIONS = st.builds(Toleration, WORDS, st.sampled_from(["Equal", "Exists"]), WORDS, st.sampled_from(["", *EFFECTS]))


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        pytest.param({"operator": "Exists"}, True, id="Exists without a key tolerates everything"),
        pytest.param({"operator": "Exists", "effect": "NoExecute"}, False, id="but only of its effect"),
        pytest.param({"key": "gpu", "operator": "Exists"}, True, id="Exists takes any value"),
        pytest.param({"key": "spot", "operator": "Exists"}, False, id="of its own key"),
        pytest.param({"key": "gpu", "operator": "Equal", "value": "a100"}, True, id="Equal takes its value"),
        pytest.param({"key": "gpu", "operator": "Equal", "value": "h100"}, False, id="and no other"),
        pytest.param({"key": "gpu", "value": "a100"}, True, id="Equal is the default"),
        pytest.param({"key": "gpu", "operator": "", "value": "a100"}, True, id="an empty operator is Equal"),
        pytest.param({"key": "gpu"}, False, id="Equal without a value wants the empty one"),
        pytest.param({"key": "gpu", "value": "a100", "effect": ""}, True, id="an empty effect is any effect"),
        pytest.param({"key": "gpu", "value": "a100", "effect": "NoSchedule"}, True, id="the same effect"),
        pytest.param({"key": "gpu", "value": "a100", "effect": "NoExecute"}, False, id="another effect"),
    ],
)
def test_a_toleration_tolerates(toleration: dict[str, Any], tolerated: bool) -> None:
    assert Toleration.parse(toleration).tolerates(GPU) is tolerated


@pytest.mark.parametrize(
    ("toleration", "path"),
    [
        pytest.param("gpu", "[1]", id="not an object"),
        pytest.param({"key": "g pu", "operator": "Exists"}, "[1].key", id="a bad key"),
        pytest.param({"key": 0, "operator": "Exists"}, "[1].key", id="a number as a key"),
        pytest.param({"key": "gpu", "value": "a b"}, "[1].value", id="a bad value"),
        pytest.param({"key": "gpu", "operator": "exists"}, "[1].operator", id="operators have capitals"),
        pytest.param({"value": "a100"}, "[1].operator", id="Equal needs a key"),
        pytest.param({"key": "gpu", "operator": "Exists", "value": "x"}, "[1].value", id="Exists has no value"),
        pytest.param({"operator": "Exists", "effect": "Never"}, "[1].effect", id="an unknown effect"),
        pytest.param({"operator": "Exists", "tolerationSeconds": 1}, "[1].effect", id="seconds without NoExecute"),
        pytest.param(
            {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1.5},
            "[1].tolerationSeconds",
            id="part of a second",
        ),
    ],
)
def test_a_bad_toleration_is_refused_with_its_path(toleration: object, path: str) -> None:
    with pytest.raises(InputError) as caught:
        Tolerations.parse([{"operator": "Exists"}, toleration])
    assert caught.value.path == path


@pytest.mark.parametrize("operator", ["Lt", "Gt"])
def test_comparing_tolerations_are_refused_by_name(operator: str) -> None:
    with pytest.raises(InputError, match=f"'{operator}' needs .* TaintTolerationComparisonOperators"):
        Toleration.parse({"key": "gpu", "operator": operator, "value": "1"})


def test_seconds_are_kept() -> None:
    toleration = {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    assert Toleration.parse(toleration) == Toleration("gpu", "Exists", "", "NoExecute", 300)


def test_no_tolerations_accept_nothing() -> None:
    assert Tolerations.parse(None) == Tolerations.parse([]) == Tolerations()
    assert not Tolerations().accept(GPU)


def test_equal_tolerations_share_a_cache_key() -> None:
    one = Tolerations.parse([{"key": "gpu", "value": "a100"}])
    other = Tolerations.parse([{"key": "gpu", "operator": "Equal", "value": "a100", "effect": None}])
    assert {one: "cached"}[other] == "cached"


@given(st.lists(TOLERATIONS), TAINTS)
def test_one_fitting_toleration_is_enough(tolerations: list[Toleration], taint: Taint) -> None:
    accepted = Tolerations(tuple(tolerations)).accept(taint)
    assert accepted is any(toleration.tolerates(taint) for toleration in tolerations)
    assert Tolerations((*tolerations, Toleration(operator="Exists"))).accept(taint)


@pytest.mark.parametrize(
    ("taints", "path"),
    [
        pytest.param({}, "spec.taints", id="not a list"),
        pytest.param([{"effect": "NoSchedule"}], "spec.taints[0].key", id="no key"),
        pytest.param([{"key": "gpu"}], "spec.taints[0].effect", id="no effect"),
        pytest.param([{"key": "gpu", "value": "-", "effect": "NoSchedule"}], "spec.taints[0].value", id="a bad value"),
        pytest.param(
            [{"key": "gpu", "effect": "NoSchedule"}, {"key": "gpu", "value": "x", "effect": "NoSchedule"}],
            "spec.taints[1]",
            id="the same key and effect twice",
        ),
    ],
)
def test_bad_taints_are_refused_with_their_path(taints: object, path: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_taints(taints, path="spec.taints")
    assert caught.value.path == path


def test_taints_may_share_a_key_or_an_effect() -> None:
    rendered = [
        {"key": "gpu", "effect": "NoSchedule"},
        {"key": "gpu", "effect": "NoExecute"},
        {"key": "spot", "value": "yes", "effect": "NoSchedule"},
    ]
    assert [taint.render() for taint in parse_taints(rendered)] == rendered


@given(TAINTS)
def test_a_rendered_taint_reads_back(taint: Taint) -> None:
    assert Taint.parse(taint.render()) == taint
