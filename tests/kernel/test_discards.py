from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from wavetank.kernel.discards import collecting_discards, discard, discard_large, free_in_pieces, free_large_by

MANY = 5000


class Freed:
    """Calls a function when it is freed."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def __del__(self) -> None:
        self._tell()


def test_a_document_is_freed_in_pieces() -> None:
    left: list[int] = []
    values: list[Any] = [{"items": [{"name": Freed(lambda: left.append(len(values)))} for _ in range(MANY)]}]
    free_in_pieces(values)
    assert (len(left), values) == (MANY, [])
    assert len(set(left)) >= MANY // 500


def test_what_others_have_stays_as_it_is() -> None:
    shared = {"items": [[1], [2]]}
    free_in_pieces([{"a": shared}, [shared]])
    assert shared == {"items": [[1], [2]]}


def test_copies_that_share_their_parts_are_freed_in_pieces() -> None:
    left: list[int] = []
    parts = [[Freed(lambda: left.append(len(values)))] for _ in range(MANY)]
    values: list[Any] = [{"a": {"items": parts}}, {"a": {"items": parts}}]
    del parts
    free_in_pieces(values)
    assert len(set(left)) >= MANY // 500


def test_the_fields_of_other_objects_are_freed_in_pieces() -> None:
    class Holder:
        __slots__ = ("items",)

    holder, left = Holder(), []
    holder.items = [[Freed(lambda: left.append(len(values)))] for _ in range(MANY)]
    values: list[Any] = [holder]
    del holder
    free_in_pieces(values)
    assert len(set(left)) >= MANY // 500


def test_objects_inside_others_are_freed_in_pieces() -> None:
    class Holder:
        def __init__(self, inside: object) -> None:
            self.inside = inside

    left: list[int] = []
    parts = tuple(Holder(Freed(lambda: left.append(len(left)))) for _ in range(MANY))
    values: list[Any] = [("event", Holder(Holder(parts)))]
    del parts
    thread = Thread(target=free_in_pieces, args=(values,))
    thread.start()
    thread.join()
    assert (len(left), values) == (MANY, [])


def test_objects_that_others_have_are_not_looked_into() -> None:
    class Holder:
        def __init__(self, inside: list[Any]) -> None:
            self.inside = inside

    shared = Holder([[1], [2]])
    free_in_pieces([Holder([shared]), shared])
    assert shared.inside == [[1], [2]]


def test_what_is_large_is_freed_later_in_a_thread_that_wants_it() -> None:
    later: list[list[Any]] = []

    def discard_here() -> None:
        discard_large([1])
        free_large_by(later.append)
        discard_large([2], {"a": 3})
        discard([4])  # which is small
        with collecting_discards() as discarded:
            discard_large([5])
        assert discarded == [[5]]

    thread = Thread(target=discard_here)
    thread.start()
    thread.join()
    discard_large([6])
    assert later == [[[2], {"a": 3}]]


def test_a_value_that_contains_itself_is_no_problem() -> None:
    value: list[Any] = []
    value.append({"a": value})
    values = [value]
    free_in_pieces(values)
    assert (values, len(value)) == ([], 1)


def test_discarded_values_are_collected_by_their_thread_alone() -> None:
    discard([1])  # nobody collects
    with collecting_discards() as discarded:
        discard([2], {"a": 3})
        other = Thread(target=discard, args=([4],))
        other.start()
        other.join()
    discard([5])
    assert discarded == [[2], {"a": 3}]
