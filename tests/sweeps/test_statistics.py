"""CloseRate, paired comparisons and Holm's rule, against scipy and by hand."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tests.sweeps.trials import ran
from wavetank.results.statistics import holm, mean_interval, paired_p_value, seeds_to_tell, t_quantile
from wavetank.sweeps.closerate import close_rates
from wavetank.sweeps.comparisons import compare_pairs

VALUES = st.lists(st.floats(-1e3, 1e3).map(lambda value: round(value, 3)), min_size=2, max_size=30)


@given(VALUES, st.data())
def test_the_paired_test_is_that_of_scipy(a, data):
    b = [value + data.draw(st.floats(-50, 50).map(lambda step: round(step, 3))) for value in a]
    differences = [second - first for first, second in zip(a, b, strict=True)]
    assume(max(differences) - min(differences) > 1e-3)
    expected = stats.ttest_rel(b, a)
    assert paired_p_value(differences) == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-9)
    low, high = expected.confidence_interval(0.95)
    interval = mean_interval(differences)
    assert (interval.low, interval.high) == (pytest.approx(low, rel=1e-6), pytest.approx(high, rel=1e-6))


@pytest.mark.parametrize("level", [0.05, 0.01, 0.05 / 276])
@pytest.mark.parametrize("degrees", [1, 4, 30, 5000])
def test_quantiles_are_those_of_scipy(degrees, level):
    assert t_quantile(degrees, level) == pytest.approx(stats.t.isf(level / 2, degrees), rel=1e-9)


@pytest.mark.parametrize("level", [0.05, 0.05 / 15])
@given(VALUES)
def test_so_many_seeds_tell_a_difference_in_80_percent_of_the_cases(level, differences):
    assume(abs(mean_interval(differences).mean) > 1e-2)
    assume(max(differences) - min(differences) > 1e-3)
    effect = mean_interval(differences).mean / stats.tstd(differences)
    needed = seeds_to_tell(differences, level)
    assume(needed > 8)  # the power of very few seeds is not that of a normal distribution
    away = abs(effect) * needed**0.5
    power = stats.nct.sf(stats.t.isf(level / 2, needed - 1), needed - 1, away)
    assert power == pytest.approx(0.8, abs=0.06)
    if paired_p_value(differences) > level:
        assert needed > len(differences)


def test_differences_whose_mean_is_0_are_not_significant():
    assert paired_p_value([1.0, -1.0]) == 1


@pytest.mark.parametrize("differences", [[1.0], [0.0, 0.0], [1.0, -1.0]])
def test_no_number_of_seeds_is_known_without_a_difference_or_a_variance(differences):
    assert seeds_to_tell(differences) is None


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([0.01], [True]),
        ([None], [None]),
        ([0.01, 0.02, 0.03], [True, True, True]),  # 5 % by 3, by 2, by 1
        ([0.04, 0.01, 0.03], [False, True, False]),  # .03 is above 5 % by 2, and ends it
        ([0.2, None, 0.001], [False, None, True]),
    ],
)
def test_holm(p_values, expected):
    assert holm(p_values) == expected


def test_close_rates_are_by_the_best_of_the_scenario(tmp_path):
    (results,) = ran(tmp_path / "out", schedulers=[{"name": "default"}, {"name": "best-fit"}], seeds=[1, 2]).values()
    latency = {
        name: sum(each.metrics.mean_job_latency_s for each in results if each.scheduler == name) / 2
        for name in ("default", "best-fit")
    }
    rates = close_rates(results)
    assert min(rates.values()) == 1
    assert rates["default"] / rates["best-fit"] == pytest.approx(latency["default"] / latency["best-fit"])
    rows = list(compare_pairs("here", results))
    (row,) = [row for row in rows if row["metric"] == "mean_job_latency_s"]
    assert (row["scenario"], row["a"], row["b"], row["seeds"]) == ("here", "default", "best-fit", 2)
    assert row["difference"] == pytest.approx(latency["best-fit"] - latency["default"], abs=1e-6)
