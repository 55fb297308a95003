from __future__ import annotations

from wavetank.controllers.clusterautoscaler.backoff import BackoffReason, ExponentialBackoff

REASON = BackoffReason("Other", "timeout", "too late")


def test_a_failure_after_the_end_doubles_the_back_off_up_to_the_longest() -> None:
    backoff = ExponentialBackoff(initial=5, longest=12, reset=1000)
    assert backoff.fail("g", REASON, 0) == 5
    assert backoff.fail("g", REASON, 5) == 15
    assert backoff.fail("g", REASON, 20) == 32


def test_a_failure_during_the_back_off_keeps_its_length() -> None:
    backoff = ExponentialBackoff(initial=5, longest=12, reset=1000)
    backoff.fail("g", REASON, 0)
    assert backoff.fail("g", REASON, 3) == 8
    assert backoff.reason("g", 7) is REASON
    assert backoff.reason("g", 8) is None


def test_a_back_off_is_forgotten_some_time_after_the_last_failure() -> None:
    backoff = ExponentialBackoff(initial=5, longest=12, reset=100)
    backoff.fail("g", REASON, 0)
    backoff.drop_stale(101)
    assert backoff.fail("g", REASON, 102) == 107
