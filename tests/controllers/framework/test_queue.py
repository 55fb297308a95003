from __future__ import annotations

from wavetank.cluster.store.errors import ConflictError
from wavetank.controllers.framework.queue import Key, WorkQueue
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

A, B = ("default", "a"), ("default", "b")


class KeyWorker:
    """Notes when which key was worked on; fails as often as it is told to."""

    def __init__(self, failures: int = 0, retries: int | None = None) -> None:
        self.clock = Clock()
        self.done: list[tuple[float, str]] = []
        self.failures = failures
        self.queue = WorkQueue(self.clock, self.work, retries)

    def work(self, key: Key) -> None:
        self.done.append((self.clock.now / SECOND, key[1]))
        if self.failures:
            self.failures -= 1
            raise ConflictError("not now")


def test_a_key_is_worked_on_once_however_often_it_was_asked_for() -> None:
    worker = KeyWorker()
    for key in (A, B, A):
        worker.queue.add(key)
    worker.clock.run(0)
    assert worker.done == [(0, "a"), (0, "b")]


def test_the_shortest_of_several_delays_counts() -> None:
    worker = KeyWorker()
    for delay in (3, 1, 2):
        worker.queue.add_after(A, delay * SECOND)
    worker.clock.run(10 * SECOND)
    assert worker.done == [(1, "a")]


def test_work_that_is_refused_is_tried_again_after_longer_and_longer_waits() -> None:
    worker = KeyWorker(failures=4)
    worker.queue.add(A)
    worker.clock.run(SECOND)
    assert [time for time, _ in worker.done] == [0, 0.005, 0.015, 0.035, 0.075]


def test_after_so_many_failures_a_key_is_not_tried_again() -> None:
    worker = KeyWorker(failures=100, retries=2)
    worker.queue.add(A)
    worker.clock.run(SECOND)
    assert len(worker.done) == 3


def test_a_run_does_not_wait_for_what_is_no_progress() -> None:
    worker = KeyWorker(failures=100)
    worker.queue.add(A)
    worker.queue.add_after(B, SECOND, background=True)
    worker.clock.run()
    assert worker.done == [(0, "a")]


def test_a_wait_is_progress_if_one_of_its_requests_is_and_the_shorter_one_counts() -> None:
    worker = KeyWorker()
    worker.queue.add_after(A, SECOND, background=True)
    worker.queue.add_after(A, 2 * SECOND)
    worker.clock.run()
    assert worker.done == [(1, "a")]
