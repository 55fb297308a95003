"""Hand-computed choices of the classical policies: pods of one core on nodes with 1, 3 and 2 cores."""

import pytest

from tests.scheduling.policies.choices import chosen

CORES = {"a": 1, "b": 3, "c": 2}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("first-fit", ["a", "b", "b", "b", "c", "c"]),  # by name, as long as there is room
        ("best-fit", ["a", "c", "c", "b", "b", "b"]),  # least left
        ("worst-fit", ["b"]),  # most left; then b and c have two each
        ("round-robin", ["a", "b", "c", "b", "c", "b"]),  # in turn; a is full after one
    ],
)
def test_pods_of_one_core_go_where_the_policy_says(policy, expected):
    assert chosen(policy, CORES, pods=len(expected)) == expected
