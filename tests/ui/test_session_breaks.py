"""Going back in time, in the middle of long events and with writes there, and while the heart beats."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.support.waiting import PATIENCE_S
from tests.ui.test_session import Driven
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import MAX
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import Response
from wavetank.apiserver.waiting import Waiting, beside, break_after_write, wait_for
from wavetank.cluster.objects.groupkinds import DEPLOYMENT, POD
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster

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
                self.breaks += 1
                if self.in_breaks:
                    self.in_breaks.pop(0)()
                done = await work.go_on()

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


def test_a_write_while_an_event_waits_for_a_large_pod_is_a_barrier() -> None:
    driven, pods = Broken(), "/api/v1/namespaces/default/pods"
    tolerations = [{"key": f"k{i}", "operator": "Exists"} for i in range(600)]
    spec = {"containers": [{"name": "c", "image": "i"}], "tolerations": tolerations}
    driven.ask("POST", pods, {"metadata": {"name": "large"}, "spec": spec})
    driven.advance(60)
    assert driven.breaks > 0, "a large pod is tried beside the loop"
    driven.ask("POST", pods, {"metadata": {"name": "larger"}, "spec": spec})
    assert not driven.session.barrier
    driven.in_breaks = [lambda: driven.deploy("web")]
    driven.advance(60)
    assert "large object" in driven.session.barrier


def test_a_write_that_ends_while_an_event_waits_is_a_barrier() -> None:
    driven, works = Broken(), list[Waiting[Any]]()
    driven.advance(5)

    def act(served: ServedCluster) -> Response:
        served.clock.soon(lambda: wait_for(asyncio.sleep(0)))
        driven.pacing.advance(SECOND, lambda: None)
        works.append(Waiting(driven.pacing.work, driven.pacing.breaks))
        assert not works[0].start(), "the event waits"
        return Response(200, [])

    driven.session.act(lambda: "wait", act)
    assert "large object" in driven.session.barrier
    asyncio.run(works[0].finish())


class Beating(Driven):
    """A session whose clock goes as fast as possible, with a long event every second."""

    def __init__(self) -> None:
        super().__init__(wall=time.monotonic_ns, speed=MAX)
        self.old = self.session.served
        self.deploy("web")
        self.advance(5)
        self.events = 0
        self.old.clock.soon(self._happen)

    def _happen(self) -> None:
        self.events += 1
        for _ in range(20):
            break_after_write()
        self.old.clock.after(SECOND, self._happen)

    def run(self, test: Callable[[Heartbeat], Coroutine[Any, Any, None]]) -> None:
        """Runs a test in an event loop, in which the heart beats."""
        asyncio.run(self._run(test))

    async def _run(self, test: Callable[[Heartbeat], Coroutine[Any, Any, None]]) -> None:
        heartbeat = Heartbeat(self.pacing)
        self.pacing.resume(MAX)
        heartbeat.start()
        await test(heartbeat)
        heartbeat.stop()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits until a condition holds."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                await asyncio.sleep(0)

    async def states_during(self, rewinding: asyncio.Task[None]) -> set[tuple[int, int, int]]:
        """Returns the states of the old cluster in the course of a rewind, without the end of an event before."""
        await asyncio.sleep(0)
        await self.until(lambda: not self.pacing.in_event)
        seen = set()
        while not rewinding.done():
            seen.add((self.old.clock.now, self.old.store.version, self.events))
            await asyncio.sleep(0)
        return seen


@pytest.mark.parametrize("in_break", [False, True], ids=["between events", "in a break of one"])
def test_time_stands_while_the_cluster_goes_back(in_break: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    driven, in_event = Beating(), list[bool]()

    async def noted(function: Callable[[], Any]) -> Any:
        in_event.append(driven.pacing.in_event)
        return await beside(function)

    monkeypatch.setattr("wavetank.ui.session.beside", noted)

    async def test(heartbeat: Heartbeat) -> None:
        await driven.until(lambda: driven.events > 3 and driven.pacing.in_event is in_break)
        rewinding = asyncio.create_task(driven.session.rewind(0))
        assert len(await driven.states_during(rewinding)) == 1
        await rewinding
        assert in_event == [False, False], "an event has ended before"
        made, steps = driven.session.served, driven.pacing.steps
        assert made is not driven.old
        at = (made.clock.now, made.store.version)
        heartbeat.reschedule()
        for _ in range(50):
            await asyncio.sleep(0)
        assert (made.clock.now, made.store.version, driven.pacing.steps) == (*at, steps), "it is paused"

    driven.run(test)


@pytest.mark.parametrize("in_break", [False, True], ids=["between events", "in a break of one"])
def test_a_cluster_that_cannot_go_back_stays_and_then_goes_on(in_break: bool) -> None:
    driven = Beating()
    driven.old.store.version += 1  # a write that no client made
    driven.deploy("other")

    async def test(heartbeat: Heartbeat) -> None:
        await driven.until(lambda: driven.events > 3 and driven.pacing.in_event is in_break)
        rewinding = asyncio.create_task(driven.session.rewind(1))
        assert len(await driven.states_during(rewinding)) == 1
        with pytest.raises(StatusError, match="cannot be repeated exactly"):
            await rewinding
        assert driven.session.served is driven.old
        events = driven.events
        heartbeat.reschedule()
        await driven.until(lambda: driven.events > events)

    driven.run(test)
