from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.results.statistics import mean_interval, t_quantile

finite = st.floats(min_value=-1e9, max_value=1e9)


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (9, 2.2622),
        (30, 2.0423),
        (120, 1.9799),
        (1_000, 1.9623),
        (1_000_000, 1.9600),
    ],
)
def test_quantiles_equal_the_printed_tables(degrees: int, quantile: float) -> None:
    assert t_quantile(degrees) == pytest.approx(quantile, abs=5e-5)


def test_no_degree_of_freedom_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="at least one degree"):
        t_quantile(0)


def test_the_interval_of_five_seeds() -> None:
    interval = mean_interval([10, 12, 11, 13, 14])
    assert interval.mean == 12
    assert interval.half_width == pytest.approx(2.7764 * math.sqrt(2.5 / 5), abs=1e-4)
    assert interval.low == pytest.approx(12 - 1.9633, abs=1e-4)
    assert interval.high == pytest.approx(12 + 1.9633, abs=1e-4)
    assert interval.n == 5


def test_one_value_has_a_mean_and_no_interval() -> None:
    interval = mean_interval([7.5])
    assert (interval.mean, interval.half_width, interval.low, interval.high) == (7.5, None, None, None)


def test_equal_values_have_no_width() -> None:
    assert mean_interval([3.0, 3.0, 3.0]).half_width == 0


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf]])
def test_nothing_is_left_out_silently(values: list[float]) -> None:
    with pytest.raises(ValueError, match="mean"):
        mean_interval(values)


@given(st.lists(finite, min_size=2, max_size=30))
def test_the_mean_lies_in_the_middle_of_its_interval(values: list[float]) -> None:
    interval = mean_interval(values)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low <= interval.mean <= interval.high
