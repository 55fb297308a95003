from __future__ import annotations

import asyncio
import gc
import time
import weakref

import pytest

from wavetank.kernel import garbage
from wavetank.kernel.garbage import collect_while_busy, no_collections, rare_collections, short_collections


class Circle:
    def __init__(self) -> None:
        self.itself = self


def test_the_collector_is_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() > before
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


@pytest.mark.parametrize(("most", "stays"), [(10, False), (10**9, True)])
def test_what_an_earlier_simulation_has_left_goes_once_it_is_much(
    most: int, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_MOST_LEFT", most)
    with rare_collections():
        circles = [Circle() for _ in range(100)]
        left = weakref.ref(circles[0])
        del circles
    with rare_collections():
        assert (left() is not None) == stays


def test_a_server_collects_among_few_objects_at_a_time():
    thresholds = gc.get_threshold()
    try:
        short_collections()
        young, middle, _ = gc.get_threshold()
        assert young * (middle + 2) <= 80_000
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def test_nothing_is_collected_while_many_objects_are_made() -> None:
    with no_collections(), no_collections():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_server_that_works_looks_for_garbage_among_what_is_new() -> None:
    async def work() -> None:
        collecting = asyncio.create_task(collect_while_busy())
        left = weakref.ref(Circle())
        async with asyncio.timeout(10):
            while left() is not None:
                began = time.process_time()
                while time.process_time() - began < 0.01:
                    pass
                await asyncio.sleep(0.01)
        collecting.cancel()

    with no_collections():
        asyncio.run(work())
