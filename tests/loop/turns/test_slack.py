"""Timers of a program are exact, or due at multiples of its timerSlack."""

from __future__ import annotations

import pytest

from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.experiments.document.structures.controllers import ControllerProcessSpec
from wavetank.kernel.clock import Clock
from wavetank.loop.processes.controllermanager import manager_participant

MS = 1_000_000


class Sleeper:
    """A program that sleeps until a time."""

    name = "sleeper"

    def __init__(self, due: int | None) -> None:
        self._due = due

    def wait(self) -> int | None:
        """Returns at once."""
        return self._due


@pytest.mark.parametrize(
    ("slack", "timer", "due"),
    [
        (0, 1_234_567, 1_234_567),
        (MS, 1_234_567, 2 * MS),
        (MS, 3 * MS, 3 * MS),
        (10 * MS, -1, -1),
        (MS, 0, 0),
        (MS, None, None),
    ],
)
def test_a_timer_is_due_at_a_multiple_of_the_slack(slack, timer, due):
    participant = manager_participant(Store(Clock()), lambda request: None, lambda: None, slack)
    participant.take(Sleeper(timer), [])
    participant.wait()
    assert participant.due == due


def test_it_is_read_from_the_document():
    assert ControllerProcessSpec.read({"timerSlack": "1ms"}, "").timer_slack == MS
    assert ControllerProcessSpec.read({}, "").timer_slack == 0
    with pytest.raises(InputError, match="timerSlack: a duration cannot be negative"):
        ControllerProcessSpec.read({"timerSlack": "-1ms"}, "")
