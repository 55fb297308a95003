"""What the real kube-scheduler does when its API server has a bad day."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.loop.programs import assert_nothing_over_allocated, run_real, seconds_of, told
from wavetank.apiserver.api import Api
from wavetank.apiserver.errors import expired
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.verbs.watching import WatchStream
from wavetank.kernel.durations import SECOND
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.listener import Listener
from wavetank.loop.turns.participant import Participant
from wavetank.simulation import programs as looped

NODES = {"nodes": [{"count": 4, "cpu": 4, "memory": "16Gi"}]}
JOBS = {"generator": {"kind": "spaced", "pods": 60, "every": 10, "duration": {"uniform": [100, 400]}}}
JOBS["generator"]["requests"] = {"cpu": 1}


class _RefusingApi(Api):
    """Refuses the first binding of every fifth pod."""

    status = 409

    def handle(self, request: Request) -> Any:
        self.seen = getattr(self, "seen", Counter())
        if request.path.endswith("/binding"):
            name = request.path.split("/")[-2]
            self.seen[name] += 1
            if int(name.rpartition("-")[2]) % 5 == 0 and self.seen[name] == 1:
                return Response(self.status, [("content-type", "application/json")], b'{"kind":"Status"}')
        return super().handle(request)


class _FailingApi(_RefusingApi):
    status = 500


class _RudeSeat(Participant):
    """Hangs up on the first binding of every fifth pod."""

    def serve(self, listener: Listener, connection: Connection, request: Request) -> None:
        self.seen = getattr(self, "seen", Counter())
        if request.path.endswith("/binding"):
            name = request.path.split("/")[-2]
            self.seen[name] += 1
            if int(name.rpartition("-")[2]) % 5 == 0 and self.seen[name] == 1:
                listener.drop(connection)
                return
        super().serve(listener, connection, request)


@pytest.mark.parametrize(
    ("place", "replacement"),
    [
        pytest.param("Api", _RefusingApi, id="409"),
        pytest.param("Api", _FailingApi, id="500"),
        pytest.param("Participant", _RudeSeat, id="connection closed"),
    ],
)
def test_a_binding_that_fails_is_tried_again_after_a_back_off(monkeypatch, place, replacement):
    calm = run_real(cluster=NODES, workload=JOBS)
    monkeypatch.setattr(looped, place, replacement)
    disturbed = run_real(cluster=NODES, workload=JOBS)
    assert all(row.phase == "Succeeded" for row in disturbed.rows)
    assert_nothing_over_allocated(disturbed)
    late = [
        seconds_of(after.scheduled - before.scheduled) for before, after in zip(calm.rows, disturbed.rows, strict=True)
    ]
    assert all(0.9 < late[i] < 11 for i in (0, 5, 10))  # where a node is free all the time
    assert told(run_real(cluster=NODES, workload=JOBS).rows) == told(disturbed.rows)


class _BreakingApi(Api):
    """Ends all watches now and then: cleanly, or with 410 Gone."""

    plan = ((250, "end"), (450, "gone"), (455, "end"), (700, "gone"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.streams: list[WatchStream] = []
        self.broken = 0
        for second, how in self.plan:
            self._objects.store.clock.at(second * SECOND, lambda how=how: self._break(how))

    def handle(self, request: Request) -> Any:
        answer = super().handle(request)
        if isinstance(answer, WatchStream):
            self.streams.append(answer)
        return answer

    def _break(self, how: str) -> None:
        streams, self.streams = self.streams, []
        for stream in streams:
            if not stream.closed:
                self.broken += 1
                stream.send_error(expired("too old")) if how == "gone" else stream.close()


class _CuttingParticipant(Participant):
    """Cuts all connections at once, now and then."""

    def take(self, process: Any, listeners: Any) -> None:
        super().take(process, listeners)
        for second in (250, 455, 700):
            self._clock.at(second * SECOND, lambda: self._cut(listeners))

    def _cut(self, listeners: Any) -> None:
        for listener in listeners:
            for connection in listener:
                listener.drop(connection)
        self.has_work = True
        self._wake()


@pytest.mark.parametrize(("place", "replacement"), [("Api", _BreakingApi), ("Participant", _CuttingParticipant)])
def test_watches_that_break_change_nothing(monkeypatch, place, replacement):
    calm = run_real(cluster=NODES, workload=JOBS)
    monkeypatch.setattr(looped, place, replacement)
    disturbed = run_real(cluster=NODES, workload=JOBS)
    before, after = ([(row.name, round(row.scheduled / SECOND)) for row in run.rows] for run in (calm, disturbed))
    assert before == after
    assert_nothing_over_allocated(disturbed)
    assert told(run_real(cluster=NODES, workload=JOBS).rows) == told(disturbed.rows)
