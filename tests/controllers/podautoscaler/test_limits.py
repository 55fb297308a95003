from __future__ import annotations

import pytest

from wavetank.controllers.podautoscaler.autoscaler import Behavior, Policy, ScalingRules
from wavetank.controllers.podautoscaler.limits import ScaleEvents, limit

BOUNDS = (1, 100)
PODS = Policy("Pods", 2, 60)
PERCENT = Policy("Percent", 10, 60)


def rules(*policies: Policy, select: str = "Max") -> Behavior:
    return Behavior(ScalingRules(policies, select), ScalingRules(policies, select))


@pytest.mark.parametrize(
    ("desired", "current", "size", "reason"),
    [
        pytest.param(3, 1, 3, "DesiredWithinRange", id="up to four at once"),
        pytest.param(9, 1, 4, "ScaleUpLimit", id="no more than four from one"),
        pytest.param(30, 10, 20, "ScaleUpLimit", id="no more than twice the size"),
        pytest.param(30, 60, 30, "DesiredWithinRange", id="down without limit"),
        pytest.param(0, 60, 1, "TooFewReplicas", id="to the least"),
        pytest.param(150, 60, 100, "TooManyReplicas", id="to the most"),
    ],
)
def test_without_behavior_a_size_at_most_doubles(desired: int, current: int, size: int, reason: str) -> None:
    assert limit(desired, current, *BOUNDS)[:2] == (size, reason)


@pytest.mark.parametrize(
    ("behavior", "desired", "current", "size"),
    [
        pytest.param(rules(PODS), 9, 5, 7, id="pods, up"),
        pytest.param(rules(PODS), 1, 5, 3, id="pods, down"),
        pytest.param(rules(PERCENT), 9, 5, 6, id="percent up is rounded up"),
        pytest.param(rules(PERCENT), 1, 5, 4, id="percent down is cut off"),
        pytest.param(rules(Policy("Percent", 1, 60)), 1, 20, 19, id="so that one pod at least goes"),
        pytest.param(rules(PODS, PERCENT), 99, 50, 56, id="the larger of two; 50 * 1.1 is a little above 55 in floats"),
        pytest.param(rules(PODS, PERCENT, select="Min"), 99, 50, 52, id="the smaller one"),
        pytest.param(rules(PODS, PERCENT), 1, 50, 45, id="the larger change of two, down"),
        pytest.param(rules(PODS, PERCENT, select="Min"), 1, 50, 48, id="the smaller one, down"),
        pytest.param(rules(PODS, select="Disabled"), 99, 50, 50, id="none"),
    ],
)
def test_policies_limit_a_change(behavior: Behavior, desired: int, current: int, size: int) -> None:
    assert ScaleEvents().limit(desired, current, BOUNDS, behavior, 0).replicas == size


def test_policies_count_events_of_both_directions() -> None:
    events, behavior = ScaleEvents(), rules(PODS)
    events.record(16, 18, 0, behavior)
    assert events.limit(1, 18, BOUNDS, behavior, 30).replicas == 14  # two less than the 16 of a minute ago
    events.record(18, 14, 30, behavior)
    assert events.limit(99, 14, BOUNDS, behavior, 45).replicas == 18


@pytest.mark.parametrize(
    ("age", "size"),
    [
        pytest.param(59, 5, id="within the period: nothing more"),
        pytest.param(60, 7, id="exactly as old as the period: already out"),
    ],
)
def test_an_event_counts_for_a_period(age: int, size: int) -> None:
    events, behavior = ScaleEvents(), rules(PODS)
    events.record(3, 5, 0, behavior)
    assert events.limit(99, 5, BOUNDS, behavior, age).replicas == size
