from __future__ import annotations

import pytest

from wavetank.controllers.scalingmodels.models import SimpleReactive, TargetUtilization, UpAndDown
from wavetank.kernel.durations import SECOND


@pytest.mark.parametrize(
    ("replicas", "utilization", "wanted"),
    [
        pytest.param(4, 0.80, 7, id="4 · 0.8 / 0.5 = 6.4"),
        pytest.param(4, 0.54, 4, id="a ratio of 1.08 is tolerated"),
        pytest.param(4, 0.55, 5, id="one of 1.1 is not"),
        pytest.param(4, 0.46, 4, id="nor is one of 0.92 acted on"),
        pytest.param(4, 0.20, 2, id="4 · 0.2 / 0.5 = 1.6"),
        pytest.param(4, 0.00, 2, id="no fewer than the least"),
        pytest.param(8, 1.00, 10, id="no more than the most"),
    ],
)
def test_hpa_is_proportional_within_its_bounds(replicas: int, utilization: float, wanted: int) -> None:
    assert TargetUtilization(0.5, 2, 10).decide(replicas, utilization, 0) == wanted


def test_fake_goes_up_to_its_bound_and_then_down_and_up() -> None:
    model, replicas, seen = UpAndDown(4, 2, 1), 1, []
    for _ in range(5):
        replicas = model.decide(replicas, 0.0, 0)
        seen.append(replicas)
    assert seen == [3, 5, 4, 3, 5]


@pytest.mark.parametrize(
    ("replicas", "utilization", "at_s", "wanted"),
    [
        pytest.param(0, 0.0, 0, 1, id="one is started if there are none"),
        pytest.param(4, 0.79, 10, 4, id="between the bounds"),
        pytest.param(4, 0.80, 10, 5, id="4 · 0.8 / 0.79 = 4.05"),
        pytest.param(4, 0.30, 120, 4, id="too early to scale down"),
        pytest.param(4, 0.30, 121, 4, id="4 · 0.3 / 0.3"),
        pytest.param(4, 0.10, 121, 2, id="4 · 0.1 / 0.3 = 1.3"),
        pytest.param(1, 0.00, 121, 1, id="the last one stays"),
        pytest.param(8, 1.60, 121, 10, id="no more than the most"),
    ],
)
def test_simple_reactive_has_two_bounds(replicas: int, utilization: float, at_s: int, wanted: int) -> None:
    model = SimpleReactive(0.3, 0.8, 120 * SECOND, 1, 10)
    assert model.decide(replicas, utilization, at_s * SECOND) == wanted


def test_simple_reactive_holds_after_each_change() -> None:
    model = SimpleReactive(0.3, 0.8, 120 * SECOND, 1, 10)
    assert model.decide(2, 1.0, 200 * SECOND) == 3
    assert model.decide(3, 0.1, 320 * SECOND) == 3
    assert model.decide(3, 0.1, 321 * SECOND) == 1
