"""What is left to chance: the order of Go's maps."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from wavetank.controllers.clusterautoscaler.order import map_order


@given(st.integers(0, 40), st.integers(0, 60), st.integers(0, 99))
def test_a_map_order_has_every_item_once(items: int, others: int, seed: int) -> None:
    keys = [f"key-{number}" for number in range(items)]
    order = map_order(keys, keys, items + others, seed, Random(seed))
    assert sorted(order) == sorted(keys)


def test_a_small_map_is_walked_from_any_slot_in_the_order_of_insertion() -> None:
    keys = ["a", "b", "c"]
    orders = {tuple(map_order(keys, keys, 3, 0, Random(seed))) for seed in range(100)}
    assert orders == {("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")}


def test_the_newest_key_of_a_map_tends_to_come_last() -> None:
    keys = [f"key-{number}" for number in range(5)]
    last = Counter(map_order(keys, keys, 5, 0, Random(seed))[-1] for seed in range(800))
    assert last["key-4"] > 300  # it has the empty slots behind it: four of the eight starts
    assert min(last.values()) > 50
