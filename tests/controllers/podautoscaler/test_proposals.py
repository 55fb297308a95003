"""How many replicas a metric asks for; four pods of 500m at a target of 50 % unless a case says otherwise."""

from __future__ import annotations

import pytest

from tests.controllers.podautoscaler.autoscaled import Autoscaled, cpu, external
from wavetank.kernel.durations import SECOND


def proposed(world: Autoscaled) -> int | None:
    return world.sync().proposed


@pytest.mark.parametrize(
    ("millicores", "replicas"),
    [
        pytest.param(250, 4, id="on target"),
        pytest.param(275, 4, id="ratio 1.1: the edge of the tolerance is inside"),
        pytest.param(279, 4, id="55.8 % is cut to 55 % before the ratio is formed"),
        pytest.param(280, 5, id="56 %: ratio 1.12, of four pods 4.48, rounded up"),
        pytest.param(225, 4, id="ratio 0.9: the edge of the tolerance is inside"),
        pytest.param(224, 4, id="44.8 % is 44 %, ratio 0.88, of four pods 3.52, rounded up"),
        pytest.param(180, 3, id="36 %: ratio 0.72, of four pods 2.88"),
        pytest.param(1000, 16, id="four times the target"),
    ],
)
def test_utilization_multiplies_the_ready_pods_outside_of_the_tolerance(millicores: int, replicas: int) -> None:
    world = Autoscaled()
    world.autoscaler()
    world.use(*[millicores] * 4)
    assert proposed(world) == replicas


@pytest.mark.parametrize(
    ("behavior", "millicores", "replicas"),
    [
        pytest.param({"scaleUp": {"tolerance": "20m"}}, 260, 5, id="up at 1.04 with 2 %"),
        pytest.param({"scaleUp": {"tolerance": "20m"}}, 230, 4, id="down keeps the flag's 10 %"),
        pytest.param({"scaleDown": {"tolerance": "0"}}, 245, 4, id="down at 0.98 with none, rounded up to four"),
        pytest.param({"scaleDown": {"tolerance": "0"}}, 185, 3, id="down at 0.74"),
        pytest.param({"scaleDown": {"tolerance": "500m"}}, 130, 4, id="down not even at 0.52 with 50 %"),
    ],
)
def test_an_autoscaler_may_have_a_tolerance_of_its_own_for_each_direction(
    behavior: dict[str, dict[str, str]], millicores: int, replicas: int
) -> None:
    world = Autoscaled()
    world.autoscaler(behavior=behavior)
    world.use(*[millicores] * 4)
    assert proposed(world) == replicas


def test_the_general_tolerance_is_a_flag() -> None:
    world = Autoscaled(flags={"horizontal-pod-autoscaler-tolerance": "0.01"})
    world.autoscaler()
    world.use(260, 260, 260, 260)
    assert proposed(world) == 5


@pytest.mark.parametrize(
    ("used", "replicas"),
    [
        pytest.param([500, 500], 4, id="up: the missing ones at 0 make the ratio 1"),
        pytest.param([1000, 1000], 8, id="up: four times of two, twice of four"),
        pytest.param([100, 100], 4, id="down: the missing ones at 100 % would turn the direction"),
        pytest.param([10, 10, 10], 3, id="down: one missing at 100 %: 26 %, ratio 0.52, of four pods 2.08"),
    ],
)
def test_pods_without_samples_dampen_the_change(used: list[int], replicas: int) -> None:
    world = Autoscaled()
    world.autoscaler()
    world.use(*used)
    assert proposed(world) == replicas


@pytest.mark.parametrize(
    ("start", "ready", "since", "replicas"),
    [
        pytest.param(-60, True, -50, 8, id="young, ready longer than a window: counts"),
        pytest.param(-60, True, -5, 2, id="young, ready for less than a window: counts as 0 on the way up"),
        pytest.param(-60, False, -50, 2, id="young and not ready"),
        pytest.param(-400, False, -371, 2, id="old, not ready since less than 30 s after its start: never was"),
        pytest.param(-400, False, -370, 8, id="old, not ready since 30 s after its start: counts"),
        pytest.param(-400, False, -50, 8, id="old and broken later: counts"),
    ],
)
def test_cpu_of_pods_that_may_still_be_starting_does_not_count(
    start: int, ready: bool, since: int, replicas: int
) -> None:
    world = Autoscaled(2)
    now = 15
    for name in ("web-2", "web-3"):
        world.pod(name, ready=ready, start=(start + now) * SECOND, since=(since + now) * SECOND)
    world.autoscaler()
    world.use(500, 500, 500, 500)
    assert proposed(world) == replicas


def test_terminating_and_failed_pods_are_left_out_and_pending_ones_count_as_unready() -> None:
    world = Autoscaled(2)
    world.pod("web-2", phase="Failed", ready=False)
    world.pod("web-3", phase="Pending", ready=False)
    world.autoscaler()
    world.use(500, 500, 5000, 5000)
    assert proposed(world) == 4  # twice the target of two pods, 1.33 of three


def test_a_request_missing_in_any_pod_is_an_error_of_the_whole_metric() -> None:
    world = Autoscaled(3)
    world.pod("web-3", phase="Failed", request=None)
    world.autoscaler()
    world.use(500, 500, 500)
    outcome = world.sync()
    assert outcome.desired is None
    assert "missing request for cpu in container c of Pod web-3" in outcome.error
    assert world.condition("ScalingActive") == ("False", "FailedGetResourceMetric")
    assert [reason for reason, _ in world.told] == ["FailedGetResourceMetric", "FailedComputeMetricsReplicas"]


@pytest.mark.parametrize(
    ("metric", "queue", "replicas"),
    [
        pytest.param(external(average="10"), [40_000], 4, id="on target"),
        pytest.param(external(average="10"), [30_000, 30_000], 6, id="several series are summed"),
        pytest.param(external(average="10"), [-1], 2**31 - 1, id="a negative sum is taken for an overflow"),
        pytest.param(external(average="10"), [2**62, 2**62], 2**31 - 1, id="and so is a sum that wraps"),
        pytest.param(external(value="10"), [15_000], 6, id="a value multiplies the ready pods"),
    ],
)
def test_external_metrics(metric: dict[str, object], queue: list[int], replicas: int) -> None:
    world = Autoscaled()
    world.autoscaler(metric)
    world.metrics.queue = queue
    assert proposed(world) == replicas


def test_the_largest_proposal_wins_and_an_invalid_metric_forbids_only_scaling_down() -> None:
    world = Autoscaled()
    world.autoscaler(cpu(), external(average="10"))
    world.use(500, 500, 500, 500)
    outcome = world.sync()
    assert (outcome.proposed, outcome.metric) == (8, "cpu resource utilization (percentage of request)")
    assert world.status()["currentMetrics"][1] == {"type": ""}
    assert world.condition("ScalingActive") == ("True", "ValidMetricFound")
    world.use(10, 10, 10, 10)
    outcome = world.sync()
    assert outcome.proposed is None
    assert world.condition("ScalingActive") == ("False", "FailedGetExternalMetric")
