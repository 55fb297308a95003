from __future__ import annotations

from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution, parse_distribution
from wavetank.kernel.randomness import Streams

NORMAL = {"normal": {"mean": 10, "deviation": 2}}
LOGNORMAL = {"lognormal": {"median": 10, "sigma": 0.5}}
MIXTURE = {"mixture": [{"weight": 3, "of": 1}, {"weight": 1, "of": {"uniform": [2, 4]}}]}

TIMES = st.floats(0, 1000, allow_subnormal=False)
LEAVES = st.one_of(
    TIMES,
    st.builds(lambda time: {"constant": time}, TIMES),
    st.builds(lambda low, more: {"uniform": [low, low + more]}, TIMES, TIMES),
    st.builds(lambda time: {"exponential": time}, TIMES),
    st.builds(lambda time, width: {"normal": {"mean": time, "deviation": width}}, TIMES, TIMES),
    st.builds(lambda time, tail: {"pareto": {"least": time, "alpha": tail}}, TIMES, st.floats(0.05, 9)),
    st.builds(lambda time, tail: {"weibull": {"scale": time, "shape": tail}}, TIMES, st.floats(0.05, 9)),
    st.builds(lambda time, sigma: {"lognormal": {"median": time, "sigma": sigma}}, TIMES, st.floats(0, 3)),
)
DISTRIBUTIONS = st.recursive(
    LEAVES,
    lambda parts: st.lists(
        st.fixed_dictionaries({"weight": st.integers(1, 9), "of": parts}), min_size=1, max_size=3
    ).map(lambda items: {"mixture": items}),
    max_leaves=6,
)


def samples(distribution: Distribution, number: int, seed: int = 1) -> list[float]:
    stream = Streams(seed).stream("test")
    return [distribution.sample(stream) for _ in range(number)]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(7, 7, id="a number is constant"),
        pytest.param("500ms", 0.5, id="so is a duration"),
        pytest.param({"constant": "2m"}, 120, id="constant"),
        pytest.param({"uniform": [2, 6]}, 4, id="uniform: the middle"),
        pytest.param({"uniform": ["500ms", "1.5s"]}, 1, id="uniform with units"),
        pytest.param({"exponential": 3}, 3, id="exponential"),
        pytest.param(NORMAL, 10, id="normal"),
        pytest.param(LOGNORMAL, 10 * 1.1331484530668263, id="lognormal: median times exp(sigma²/2)"),
        pytest.param({"pareto": {"least": 2, "alpha": 5}}, 2.5, id="pareto: least · alpha / (alpha - 1)"),
        pytest.param({"weibull": {"scale": 3, "shape": 1}}, 3, id="weibull of shape 1: exponential"),
        pytest.param({"weibull": {"scale": 3, "shape": 0.5}}, 6, id="weibull: scale · Γ(1 + 1 / shape)"),
        pytest.param(MIXTURE, (3 * 1 + 1 * 3) / 4, id="mixture: weighted"),
    ],
)
def test_the_mean_is_that_of_many_samples(document: Any, expected: float) -> None:
    distribution = parse_distribution(document)
    assert distribution.mean() == pytest.approx(expected)
    assert mean(samples(distribution, 20_000)) == pytest.approx(expected, rel=0.03)


@given(DISTRIBUTIONS, st.integers(0, 2**32))
def test_a_time_is_never_negative_and_follows_the_seed(document: Any, seed: int) -> None:
    drawn = samples(parse_distribution(document), 5, seed)
    assert min(drawn) >= 0
    assert drawn == samples(parse_distribution(document), 5, seed)


@given(st.floats(0, 100), st.floats(0, 100))
def test_uniform_stays_within_its_bounds(low: float, more: float) -> None:
    distribution = parse_distribution({"uniform": [low, low + more]})
    assert all(low - 1e-8 <= drawn <= low + more + 1e-8 for drawn in samples(distribution, 5))


def test_a_normal_time_is_cut_at_zero() -> None:
    assert min(samples(parse_distribution({"normal": {"mean": 1, "deviation": 5}}), 100)) == 0


def test_a_mixture_draws_from_its_parts_by_weight() -> None:
    parts = [{"weight": 1, "of": 5}, {"weight": 0, "of": 6}, {"weight": 3, "of": 7}]
    drawn = samples(parse_distribution({"mixture": parts}), 4000)
    assert set(drawn) == {5, 7}
    assert drawn.count(7) / len(drawn) == pytest.approx(0.75, abs=0.03)


def test_a_constant_draws_nothing() -> None:
    used, unused = Streams(1).stream("a"), Streams(1).stream("a")
    Constant(5).sample(used)
    assert used.random() == unused.random()


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        pytest.param("soon", "at", "expected a duration", id="a word"),
        pytest.param(-1, "at", "cannot be -1", id="a negative time"),
        pytest.param({}, "at", "expected a duration or one of constant, uniform", id="an empty mapping"),
        pytest.param({"gamma": 1}, "at", "one of .* got {'gamma': 1}", id="an unknown kind"),
        pytest.param({"uniform": [1, 2], "exponential": 1}, "at", "one of", id="two kinds"),
        pytest.param({"uniform": 5}, "at.uniform", r"expected \[low, high\]", id="uniform without bounds"),
        pytest.param({"uniform": [1, 2, 3]}, "at.uniform", r"expected \[low, high\]", id="uniform with three"),
        pytest.param({"uniform": "12"}, "at.uniform", r"expected \[low, high\]", id="uniform of a text"),
        pytest.param({"uniform": [1, "x"]}, "at.uniform[1]", "expected a duration", id="a bad bound"),
        pytest.param({"uniform": [3, 2]}, "at.uniform", "low end 3 is above", id="bounds in the wrong order"),
        pytest.param({"exponential": "x"}, "at.exponential", "expected a duration", id="a bad average"),
        pytest.param({"normal": {"mean": 1}}, "at.normal", "exactly mean, deviation", id="a missing field"),
        pytest.param({"normal": {"mean": 1, "deviation": -1}}, "at.normal.deviation", "-1", id="a negative deviation"),
        pytest.param(
            {"lognormal": {"median": 1, "sigma": "1s"}},
            "at.lognormal.sigma",
            "expected a number",
            id="sigma is no time",
        ),
        pytest.param(
            {"lognormal": {"median": 1, "sigma": True}}, "at.lognormal.sigma", "expected a number", id="nor true"
        ),
        pytest.param(
            {"lognormal": {"median": 1, "sigma": 10**400}}, "at.lognormal.sigma", "number", id="nor beyond all floats"
        ),
        pytest.param({"exponential": 10**400}, "at.exponential", "too long", id="a time beyond all floats"),
        pytest.param({"mixture": []}, "at.mixture", "expected a list of {weight, of}", id="a mixture of nothing"),
        pytest.param({"mixture": [{"of": 1}]}, "at.mixture[0]", "exactly weight, of", id="a part without a weight"),
        pytest.param(
            {"mixture": [{"weight": 1, "of": {"uniform": [1]}}]},
            "at.mixture[0].of.uniform",
            "expected",
            id="a bad part",
        ),
        pytest.param({"mixture": [{"weight": 0, "of": 1}]}, "at.mixture", "sum to 0", id="weights of nothing"),
    ],
)
def test_a_bad_distribution_is_refused_with_its_path(document: Any, path: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_distribution(document, path="at")
    assert caught.value.path == path
