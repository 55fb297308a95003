"""MiSim's rules, each in a case small enough to compute by hand. The hop of a message is 1 ms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.microservices.builders import a_service, an_architecture, an_operation, interval, run, times_of
from wavetank.microservices.model.rules import CORRECT, MISIM


def test_four_threads_share_the_capacity_and_the_fifth_request_waits() -> None:
    architecture = an_architecture(a_service("a", [an_operation(demand=100)]))
    recorder = run(architecture, [interval("a.x", 20, load=9, distribution="spike")])
    assert times_of(recorder) == [0.4] * 4 + [0.8] * 4 + [1.2]


def test_a_chain_computes_after_its_calls_and_pays_each_hop() -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")]), a_service("b", [an_operation("x", 20)])
    )
    assert times_of(run(architecture, [interval("a.x", 20)])) == [pytest.approx(0.04 + 0.08 + 0.002)]


@pytest.mark.parametrize(("rules", "response"), [(MISIM, 0.122), (CORRECT, 0.286)])
def test_loops_are_parallel_in_misim_and_one_after_the_other_in_correct(rules: Any, response: float) -> None:
    loop = {"type": "loop", "iterations": 3, "dependencies": [{"service": "b", "operation": "x"}]}
    operation = {"name": "x", "demand": 10, "dependencies": [loop]}
    architecture = an_architecture(a_service("a", [operation]), a_service("b", [an_operation("x", 20)]), rules=rules)
    assert times_of(run(architecture, [interval("a.x", 20)], rules=rules)) == [pytest.approx(response)]


def test_even_arrivals_drift_by_the_truncation_of_the_gap() -> None:
    architecture = an_architecture(a_service("a", [an_operation(demand=0)]))
    recorder = run(architecture, [interval("a.x", 2, load=7)], duration=2)
    assert [time for time, _ in recorder.responses["x"]] == [285714 * i for i in range(8)]


@pytest.mark.parametrize(("rules", "number"), [(MISIM, 6), (CORRECT, 5)])
def test_one_arrival_comes_after_stop_in_misim(rules: Any, number: int) -> None:
    architecture = an_architecture(a_service("a", [an_operation(demand=0)]))
    assert len(times_of(run(architecture, [interval("a.x", 1, stop=4.5)], rules=rules))) == number


def test_round_robin_begins_with_the_highest_number() -> None:
    architecture = an_architecture(a_service("a", [an_operation()], instances=3))
    recorder = run(architecture, [interval("a.x")], duration=4)
    assert [instance for _, instance in recorder.choices["a"]] == ["a_I2", "a_I1", "a_I0", "a_I2"]


def test_a_call_times_out_after_eight_seconds() -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")]), a_service("b", [an_operation("x", 2500)])
    )
    recorder = run(architecture, [interval("a.x", 100)], duration=20)
    assert [failure[:1] + failure[3:] for failure in recorder.failures[:2]] == [
        (8_000_000, "TIMEOUT"),
        (8_000_000, "DEPENDENCY_NOT_AVAILABLE"),
    ]


_RETRY = {"type": "retry", "config": {"max_tries": 3}, "strategy": {"type": "exponential", "config": {}}}


def test_retries_wait_exponentially_and_then_give_up() -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")], patterns=[_RETRY]), a_service("b", [an_operation()], instances=0)
    )
    recorder = run(architecture, [interval("a.x", 100)])
    assert [round(wait, 6) for _, wait in recorder.retries] == [0.01, 0.03]
    assert recorder.failed_users == 1


@pytest.mark.parametrize(("rules", "ended"), [(MISIM, 0), (CORRECT, 1)])
def test_a_late_answer_loses_the_request_in_misim_only(rules: Any, ended: int) -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")], patterns=[_RETRY]),
        a_service("b", [an_operation("x", 2500)]),
        rules=rules,
    )
    recorder = run(architecture, [interval("a.x", 100)], duration=60, rules=rules)
    assert recorder.succeeded + recorder.failed_users == ended


_LIMIT = {"type": "circuitbreaker", "config": {"request_volume_threshold": 1}}


@pytest.mark.parametrize(("rules", "received", "failures"), [(MISIM, 2, 2), (CORRECT, 1, 1)])
def test_a_call_above_the_limit_is_still_sent_in_misim(rules: Any, received: int, failures: int) -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")], patterns=[_LIMIT]),
        a_service("b", [an_operation("x", 100)]),
        rules=rules,
    )
    recorder = run(architecture, [interval("a.x", 100, load=2, distribution="spike")], rules=rules)
    assert len(recorder.choices["b"]) == received
    assert recorder.circuits["a_I0", "b"][-1][1][2] == failures


def test_the_breaker_opens_at_its_threshold_and_refuses() -> None:
    breaker = {"type": "circuitbreaker", "config": {"error_threshold_percentage": 50, "sleep_window": 2}}
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")], patterns=[breaker]),
        a_service("b", [an_operation()], instances=0),
    )
    recorder = run(architecture, [interval("a.x", 0.5)], duration=5)
    reasons = [reason for _, kind, _, reason in recorder.failures if kind == "InternalRequest"]
    assert reasons == ["NO_INSTANCE_AVAILABLE"] * 5 + ["CIRCUIT_IS_OPEN"] * 4 + ["NO_INSTANCE_AVAILABLE"]


def test_killed_instances_fail_what_they_hold_and_are_not_replaced() -> None:
    architecture = an_architecture(a_service("a", [an_operation(demand=500)], instances=2))
    kill = {"type": "monkey", "config": {"microservice": "a", "instances": 1, "time": 1.5}}
    recorder = run(architecture, [interval("a.x")], kill, duration=3)
    assert recorder.failures == [(1_500_000, "UserRequest", "x", "HANDLING_INSTANCE_DIED")]
    assert recorder.counts["a"] == [(0, 2), (1_500_000, 1)]


@pytest.mark.parametrize(
    ("rules", "responses"),
    [
        pytest.param(MISIM, [0.122, 0.322, 0.322, 0.522, 0.522, 0.122, 0.122, 0.122], id="the last change counts"),
        pytest.param(CORRECT, [0.122, 0.322, 0.322, 0.722, 0.722, 0.522, 0.522, 0.122], id="delays add up"),
    ],
)
def test_overlapping_injections(rules: Any, responses: list[float]) -> None:
    architecture = an_architecture(
        a_service("a", [an_operation("x", 10, "b.x")]), a_service("b", [an_operation("x", 20)]), rules=rules
    )
    first = {"type": "delay", "config": {"microservice": "a", "delay": 0.2, "time": 0.5, "duration": 4}}
    second = {"type": "delay", "config": {"microservice": "a", "delay": 0.4, "time": 2.5, "duration": 4}}
    recorder = run(architecture, [interval("a.x")], first, second, duration=8, rules=rules)
    assert times_of(recorder) == [pytest.approx(each) for each in responses]


def test_the_autoscaler_follows_the_backlog() -> None:
    scaling = {"type": "autoscaling", "config": {"interval": 1}, "strategy": {"type": "reactive"}}
    architecture = an_architecture(a_service("a", [an_operation(demand=500)], s_patterns=[scaling]))
    recorder = run(architecture, [interval("a.x", 1, load=3)], duration=2)
    assert [(decision, change) for _, _, decision, change in recorder.decisions["a"]] == [("Hold", 0), ("Up", 1)]


def test_a_name_that_begins_with_the_services_counts_as_qualified_in_misim() -> None:
    services = (
        a_service("front", [an_operation("x", 10, "a.add")]),
        a_service("c", [an_operation("add", 1)]),
        a_service("a", [an_operation("add", 2)]),
    )
    for rules, target in ((MISIM, "c"), (CORRECT, "a")):
        call = an_architecture(*services, rules=rules).services[0].operations[0].dependencies[0]
        assert call.service == target  # type: ignore[union-attr]
