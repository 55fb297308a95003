"""Going back in time, with writes in the middle of long events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.ui.test_session import Driven
from wavetank.apiserver.webhooks.waiting import Waiting
from wavetank.cluster.objects.groupkinds import DEPLOYMENT, POD
from wavetank.kernel.durations import SECOND

_REPLICAS = 100


class Broken(Driven):
    """A session whose long events take breaks, as in a server; `in_breaks` are called in the breaks, one in each."""

    def __init__(self, start: int | None = None) -> None:
        super().__init__(start=start)
        self.in_breaks: list[Callable[[], None]] = []
        self.breaks = 0

    def advance(self, seconds: int) -> None:
        """Advances the clock."""
        asyncio.run(self._advance(seconds))

    async def _advance(self, seconds: int) -> None:
        arrived: list[bool] = []
        self.pacing.advance(seconds * SECOND, lambda: arrived.append(True))
        while not arrived:
            work = Waiting(self.pacing.work, self.pacing.breaks)
            done = work.start()
            while not done:
                self.pacing.held = True
                self.breaks += 1
                if self.in_breaks:
                    self.in_breaks.pop(0)()
                done = await work.go_on()
            self.pacing.held = False

    def names(self) -> list[str]:
        """Returns the names of all pods, in the order of their creation."""
        pods = self.session.served.store.list(POD)
        return [pod.name for pod in sorted(pods, key=lambda pod: pod.uid)]


def _deployed(driven: Driven) -> dict[str, Any]:
    driven.deploy("web")
    driven.scale("web", _REPLICAS)
    driven.advance(60)
    return driven.state()


def test_breaks_change_nothing_of_what_is_simulated() -> None:
    plain, broken = Driven(start=0), Broken(start=0)
    assert _deployed(plain) == _deployed(broken)
    assert broken.breaks > 2
    assert plain.session.served.store.version == broken.session.served.store.version


def test_the_state_before_writes_in_and_after_a_long_event_comes_back() -> None:
    driven, states = Broken(), []
    driven.deploy("web")
    driven.advance(5)
    driven.scale("web", _REPLICAS)

    def change() -> None:
        pods = len(driven.names())
        assert 3 < pods < _REPLICAS, "the burst is under way"
        driven.deploy("other")

    driven.in_breaks = [lambda: None, change]
    driven.advance(60)
    states.append(driven.state())
    driven.scale("web", 1)
    driven.advance(60)
    states.append(driven.state())
    driven.deploy("last")
    driven.advance(5)
    assert not driven.session.barrier
    for number in (4, 3):
        driven.rewind(number)
        assert driven.state() == states[number - 3]
    driven.advance(60)
    driven.rewind(2)
    assert len(driven.names()) == _REPLICAS, "the event in which the write came has ended"
    assert [each["metadata"]["name"] for each in driven.state()[DEPLOYMENT]] == ["web"]
    state = driven.state()
    driven.deploy("again")
    driven.advance(60)
    driven.rewind(3)
    assert driven.state() == state
