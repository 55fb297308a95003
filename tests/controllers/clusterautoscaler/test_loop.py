from __future__ import annotations

from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.loop import LoopTrigger
from wavetank.kernel.clock import Clock


class Loops:
    """Notes when loops run and what started them; those in `productive` (by number) add nodes."""

    def __init__(self, productive: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        self.store = Store(Clock())
        self.seen: list[tuple[int, str]] = []
        self._productive = productive
        self.trigger = LoopTrigger(self.store, self._run, interval=10, first=10, frequent=True)

    def _run(self, trigger: str, lagging: bool) -> tuple[bool, bool]:
        self.seen.append((self.store.clock.now, trigger))
        return len(self.seen) in self._productive, False

    def until(self, time: int) -> list[tuple[int, str]]:
        self.store.clock.run(time)
        return self.seen


def test_a_loop_follows_one_interval_after_the_last_one() -> None:
    assert Loops().until(30) == [(10, "timer"), (20, "timer"), (30, "timer")]


def test_a_pod_starts_a_loop_at_once_and_shifts_the_later_ones() -> None:
    loops = Loops()
    loops.store.clock.at(13, loops.trigger.signal)
    assert loops.until(33) == [(10, "timer"), (13, "pod"), (23, "timer"), (33, "timer")]


def test_several_pods_at_one_instant_start_two_loops() -> None:
    loops = Loops()
    for _ in range(3):
        loops.store.clock.at(13, loops.trigger.signal)
    assert loops.until(22) == [(10, "timer"), (13, "pod"), (13, "pod")]


def test_two_more_loops_follow_one_that_added_nodes() -> None:
    assert Loops({1}).until(20) == [(10, "timer"), (10, "productive"), (10, "productive"), (20, "timer")]
