"""Results are checked from Python as they are in an Experiment."""

import pytest

import wavetank
from wavetank.testing import check


@pytest.fixture(scope="module")
def results():
    generator = {"kind": "burst", "pods": 4, "duration": 10, "requests": {"cpu": 1}}
    nodes = [{"cpu": 2, "memory": "1Gi"}]
    return wavetank.run(cluster={"nodes": nodes}, workload={"generator": generator}, schedulers="default", jobs=1)


def test_what_holds_is_silent(results):
    check(results, "makespan_s == 20", "mean_waiting_time_s(default) <= 5")


def test_what_does_not_hold_is_told(results):
    with pytest.raises(AssertionError, match=r"^makespan_s < 5 \[default\] \(20 < 5\)$"):
        check(results, "makespan_s < 5", "pods == 4")


def test_what_cannot_be_read_is_refused(results):
    with pytest.raises(wavetank.InputError, match="there is no metric 'speed'"):
        check(results, "speed < 5")
