from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.microservices.measures.histogram import BUCKETS, Histogram, bucket_of, lowest


@given(st.integers(0, 2**62))
def test_a_value_lies_in_its_bucket_and_buckets_are_narrow(value: int) -> None:
    bucket = int(bucket_of(value))
    assert 0 <= bucket < BUCKETS
    assert lowest(bucket) <= value < lowest(bucket + 1)
    assert lowest(bucket + 1) - lowest(bucket) <= max(1, value / 128)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99, 0.999]))
def test_quantiles_are_within_a_percent_of_the_exact_ones(values: list[int], share: float) -> None:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    exact = sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
    assert histogram.quantile(share) * 1e9 == pytest.approx(exact, rel=0.01, abs=1)
    assert histogram.mean() == pytest.approx(sum(values) / len(values) / 1e9)


def test_histograms_add_up() -> None:
    one, other, both = Histogram(), Histogram(), Histogram()
    for value in range(1, 1000):
        (one if value % 3 else other).add(value * 1000)
        both.add(value * 1000)
    one.include(other)
    assert (one.counts == both.counts).all()
    assert one.maximum == both.maximum
