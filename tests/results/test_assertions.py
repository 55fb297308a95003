"""What must hold of results."""

import pytest

from wavetank.errors import InputError
from wavetank.results.assertions import check_all, parse_assertion

ROWS = [
    {"scheduler": "default", "seed": 1, "makespan_s": 100.0, "p95_waiting_time_s": 10.0, "cost": None},
    {"scheduler": "default", "seed": 2, "makespan_s": 120.0, "p95_waiting_time_s": 30.0, "cost": None},
    {"scheduler": "most-allocated", "seed": 1, "makespan_s": 100.0, "p95_waiting_time_s": 70.0, "cost": 1.0},
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("makespan_s(default) == 110", [True]),
        ("makespan_s(default) <= 1.05 * makespan_s(most-allocated)", [False]),
        ("makespan_s(default) <= 1.1*makespan_s(most-allocated)", [True]),
        ("p95_waiting_time_s < 60", [True, False]),
        ("p95_waiting_time_s < (20 + 20) * 2 - 1 / 2", [True, True]),
        ("p95_waiting_time_s <= p95_waiting_time_s(most-allocated)", [True, True]),
        ("makespan_s('default') - makespan_s(most-allocated) > 9", [True]),
        ("2 + 3 * 4 == 14", [True]),
        ("makespan_s(nobody) < 1", [False]),
        ("cost < 5", [False, True]),
        ("makespan_s(default) / 0 > 1", [False]),
    ],
)
def test_means_over_seeds_are_compared(text, expected):
    assert [finding.holds for finding in check_all([parse_assertion(text)], ROWS)] == expected


def test_a_finding_says_of_whom_and_with_which_values():
    findings = parse_assertion("p95_waiting_time_s < 60").check(ROWS)
    assert findings[1] == ("p95_waiting_time_s < 60 [most-allocated]", False, "70 < 60")
    assert parse_assertion("cost(default) < 1").check(ROWS)[0].detail == "default has no cost"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (3, "expected an assertion such as makespan_s < 60, got 3"),
        ("speed < 3", "there is no metric 'speed': known are pods, "),
        ("makespan_s", "it ends too early in 'makespan_s'"),
        ("makespan_s 3", "expected one of < <= > >= == != in"),
        ("makespan_s < 3 4", "expected no more after 3.0"),
        ("makespan_s < (3", "it ends too early"),
        ("makespan_s < ;", "cannot read ';'"),
        ("makespan_s < *", "expected a metric, a number or ("),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(InputError) as refused:
        parse_assertion(text)
    assert str(refused.value).startswith(message)
