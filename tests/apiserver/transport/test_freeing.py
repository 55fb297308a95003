from __future__ import annotations

import asyncio
from threading import current_thread

import pytest

from wavetank.apiserver import waiting
from wavetank.apiserver.waiting import HEAVIEST, run_beside, run_waiting
from wavetank.kernel.discards import discard


class Freed:
    """Notes which thread frees it."""

    def __init__(self, by: list[str]) -> None:
        self._by = by

    def __del__(self) -> None:
        self._by.append(current_thread().name)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_FREED_AFTER_S", 0.02)  # when its thread has forgotten it


async def until(by: list[str], number: int) -> None:
    async with asyncio.timeout(10):
        while len(by) < number:
            await asyncio.sleep(0.001)


def test_a_request_frees_the_results_of_heavy_functions_beside_the_loop_when_it_is_answered() -> None:
    by: list[str] = []

    def request() -> int:
        document = run_beside(lambda: {"items": [Freed(by)]}, HEAVIEST)
        document.clear()
        run_beside(lambda: {"items": [Freed(by)]}, HEAVIEST)
        return len(by)

    async def serve() -> None:
        assert await run_waiting(request) == 1  # what was cleared
        await until(by, 2)

    asyncio.run(serve())
    assert by[1].startswith("heavy-freeing")


def test_a_refused_request_frees_them_as_well() -> None:
    by: list[str] = []

    def write() -> None:
        document = run_beside(lambda: {"items": [Freed(by)]}, HEAVIEST)
        raise ValueError(len(document))

    def request() -> int:
        try:
            write()
        except ValueError:
            return 422
        return 201

    async def serve() -> None:
        assert await run_waiting(request) == 422
        await until(by, 1)

    asyncio.run(serve())
    assert by[0].startswith("heavy-freeing")


def test_what_a_heavy_function_discards_is_freed_after_it() -> None:
    by: list[str] = []

    def heavy() -> int:
        value = [Freed(by)]
        discard(value)
        del value
        return len(by)

    async def serve() -> None:
        assert await run_waiting(lambda: run_beside(heavy, HEAVIEST)) == 0
        await until(by, 1)

    asyncio.run(serve())
    assert by[0].startswith("heavy-freeing")
