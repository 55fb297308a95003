"""Small rules: requirements, budgets, prices, costs of evictions."""

from __future__ import annotations

import pytest

from tests.support.objects import SPECS, pod_manifest
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.rules.cron import parse_schedule
from wavetank.controllers.karpenter.budgets import EMPTY, UNDERUTILIZED, UNLIMITED, Budget, allowed_disruptions
from wavetank.controllers.karpenter.disruption.candidates import eviction_cost
from wavetank.controllers.karpenter.instancetypes import InstanceType, kwok_types, offerings
from wavetank.controllers.karpenter.nodepools import NodePool, by_weight
from wavetank.controllers.karpenter.podrules import is_protected
from wavetank.controllers.karpenter.requirements import Requirement
from wavetank.kernel.durations import SECOND

LABELS = {"zone": "a", "cpu": "8"}
HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("key", "operator", "values", "matches"),
    [
        pytest.param("zone", "In", ("a", "b"), True, id="one of the values"),
        pytest.param("zone", "In", ("b",), False, id="another value"),
        pytest.param("zone", "NotIn", ("b",), True, id="none of the values"),
        pytest.param("team", "NotIn", ("b",), True, id="NotIn without the label"),
        pytest.param("team", "In", ("b",), False, id="In without the label"),
        pytest.param("zone", "Exists", (), True, id="the label is there"),
        pytest.param("team", "DoesNotExist", (), True, id="the label is not there"),
        pytest.param("cpu", "Gt", ("8",), False, id="not greater"),
        pytest.param("cpu", "Gte", ("8",), True, id="not less"),
        pytest.param("cpu", "Lt", ("16",), True, id="less"),
        pytest.param("cpu", "Lte", ("7",), False, id="greater"),
        pytest.param("zone", "Gt", ("1",), False, id="a text is no number"),
    ],
)
def test_requirements_are_matched_against_labels(
    key: str, operator: str, values: tuple[str, ...], matches: bool
) -> None:
    assert Requirement(key, operator, values).matches(LABELS) is matches


@pytest.mark.parametrize(
    ("nodes", "count", "allowed"),
    [
        pytest.param("10%", 10, 1, id="a share"),
        pytest.param("10%", 11, 2, id="rounded up"),
        pytest.param("10%", 1, 1, id="one node is never protected by a share"),
        pytest.param("0%", 50, 0, id="nothing"),
        pytest.param("3", 50, 3, id="a number"),
        pytest.param("100%", 7, 7, id="all"),
    ],
)
def test_budgets_allow_a_number_or_a_share_rounded_up(nodes: str, count: int, allowed: int) -> None:
    assert Budget(nodes).allowed(0, count) == allowed


@pytest.mark.parametrize(
    ("hour", "allowed"),
    [
        pytest.param(8.9, UNLIMITED, id="before"),
        pytest.param(9, 0, id="at the beginning"),
        pytest.param(16.9, 0, id="within"),
        pytest.param(17.1, UNLIMITED, id="after"),
    ],
)
def test_a_budget_with_a_schedule_counts_for_its_duration(hour: float, allowed: int) -> None:
    budget = Budget("0", (), parse_schedule("0 9 * * *", ""), 8 * HOUR, "0 9 * * *")
    assert budget.allowed(round(hour * HOUR), 10) == allowed


@pytest.mark.parametrize(
    ("reason", "allowed"), [pytest.param(EMPTY, 5, id="empty"), pytest.param(UNDERUTILIZED, 1, id="underutilized")]
)
def test_the_strictest_budget_of_a_reason_counts(reason: str, allowed: int) -> None:
    budgets = (Budget("5"), Budget("1", (UNDERUTILIZED,)), Budget("50%"))
    assert allowed_disruptions(budgets, 0, 20, reason) == allowed


@pytest.mark.parametrize(
    ("annotations", "priority", "cost"),
    [
        pytest.param({}, 0, 1.0, id="a plain pod"),
        pytest.param({}, 2**25, 2.0, id="priority"),
        pytest.param({"controller.kubernetes.io/pod-deletion-cost": str(2**27)}, 0, 2.0, id="deletion cost"),
        pytest.param({"controller.kubernetes.io/pod-deletion-cost": "high"}, 0, 1.0, id="an unreadable deletion cost"),
        pytest.param({}, 2_000_000_000, 10.0, id="at most 10"),
    ],
)
def test_an_eviction_costs_one_more_or_less(annotations: dict[str, str], priority: int, cost: float) -> None:
    pod = Pod.parse(pod_manifest(annotations=annotations), SPECS)
    pod.priority = priority
    assert eviction_cost(pod) == cost


@pytest.mark.parametrize(
    ("text", "started", "protected"),
    [
        pytest.param("true", 0, True, id="forever"),
        pytest.param("false", 0, False, id="no"),
        pytest.param("1h", 0, True, id="a young pod"),
        pytest.param("5m", 0, False, id="an old pod"),
        pytest.param("5m", None, True, id="a pod that has not started"),
        pytest.param("-5m", 0, False, id="no duration"),
    ],
)
def test_do_not_disrupt_is_true_or_a_time_since_the_start(text: str, started: int | None, protected: bool) -> None:
    pod = Pod.parse(pod_manifest(annotations={"karpenter.sh/do-not-disrupt": text}), SPECS)
    pod.started = started
    assert is_protected(pod, 600 * SECOND) is protected


def test_heavier_pools_come_first_then_names_from_z_to_a() -> None:
    pools = [NodePool("a", ()), NodePool("b", ()), NodePool("c", (), weight=5)]
    assert [pool.name for pool in by_weight(pools)] == ["c", "b", "a"]


def test_the_table_of_kwok_has_its_names_and_prices() -> None:
    types = {each.name: each for each in kwok_types()}
    assert len(types) == 36
    assert types["c-4x-amd64-linux"].offerings[1].price == pytest.approx(0.108589934592)
    assert types["c-4x-amd64-linux"].offerings[0].price == pytest.approx(0.7 * 0.108589934592)
    assert types["m-256x-amd64-linux"].capacity["pods"] == 1024
    assert types["c-1x-amd64-linux"].allocatable["cpu"] == 900


def test_a_custom_key_makes_an_option_for_each_of_its_values() -> None:
    small = InstanceType("small", {"cpu": 1000}, offerings(["a", "b"], 1.0, None))
    requirements = [Requirement("team", "In", ("x", "y")), Requirement("topology.kubernetes.io/zone", "NotIn", ("b",))]
    options = NodePool("p", [small], requirements).options
    assert [(each.offering.zone, each.labels["team"]) for each in options] == [("a", "x"), ("a", "y")]
