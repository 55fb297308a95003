from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.controllers.podautoscaler.stabilization import Recommendations

WINDOW = 300


@pytest.mark.parametrize(
    ("age", "size"),
    [
        pytest.param(WINDOW - 1, 10, id="younger than the window"),
        pytest.param(WINDOW, 3, id="exactly as old as the window: already out"),
        pytest.param(WINDOW + 1, 3, id="older"),
    ],
)
def test_the_highest_recommendation_of_the_window_is_applied(age: int, size: int) -> None:
    made = Recommendations(10, 0)
    assert made.stabilize(3, age, WINDOW).replicas == size


@pytest.mark.parametrize(
    ("age", "up", "down", "current", "recommended", "size"),
    [
        pytest.param(59, 60, 0, 5, 9, 5, id="up: the lowest of the window"),
        pytest.param(60, 60, 0, 5, 9, 9, id="up: exactly as old as the window is out"),
        pytest.param(59, 0, 60, 5, 2, 5, id="down: the highest of the window"),
        pytest.param(60, 0, 60, 5, 2, 2, id="down: exactly as old as the window is out"),
        pytest.param(10, 60, 60, 4, 7, 5, id="a size below both is raised to the lowest"),
        pytest.param(10, 60, 60, 9, 3, 5, id="a size above both is lowered to the highest"),
    ],
)
def test_with_behavior_the_present_size_moves_as_little_as_both_windows_allow(
    age: int, up: int, down: int, current: int, recommended: int, size: int
) -> None:
    made = Recommendations(5, 0)
    assert made.stabilize_within(recommended, current, age, up, down).replicas == size


def test_stabilization_can_scale_up() -> None:
    made = Recommendations(3, 0)
    made.stabilize(13, 15, WINDOW)  # which a limit may have cut
    assert made.stabilize(6, 30, WINDOW) == (13, "ScaleDownStabilized", made.stabilize(6, 45, WINDOW).message)


def test_a_window_that_grows_sees_old_recommendations_again() -> None:
    made = Recommendations(3, 0)
    made.stabilize_within(9, 3, 15, 0, 0)
    made.stabilize_within(4, 3, 30, 0, 0)  # takes the place of the last one that is out
    assert made.stabilize_within(2, 3, 45, 0, 300).replicas == 3


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(0, 20))
def test_it_is_the_highest_of_all_recommendations_in_the_window(sizes: list[int], periods: int) -> None:
    made = Recommendations(0, 0)
    for turn, size in enumerate(sizes, start=1):
        recent = sizes[max(0, turn - max(periods, 1)) : turn]
        assert made.stabilize(size, turn, periods).replicas == max(recent)
