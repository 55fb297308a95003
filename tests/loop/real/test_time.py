"""What the passing of virtual time does to a program: its watches end in time, its idle timers are jumped over."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.loop.programs import run_real
from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request
from wavetank.loop.turns.lockstep import Lockstep
from wavetank.simulation import programs as looped

HOURS = 6


@pytest.fixture
def counted(monkeypatch):
    """Counts turns and the watches of pods."""
    counts: Counter[str] = Counter()

    class CountingApi(Api):
        def handle(self, request: Request) -> Any:
            if request.path == "/api/v1/pods" and request.flag("watch"):
                counts["watches"] += 1
            return super().handle(request)

    play = Lockstep._run_turn

    def counting(self: Lockstep, now: int) -> bool:
        counts["turns"] += 1
        return play(self, now)

    monkeypatch.setattr(looped, "Api", CountingApi)
    monkeypatch.setattr(Lockstep, "_run_turn", counting)
    return counts


def jobs(folder, *starts: int) -> dict[str, Any]:
    path = folder / "jobs.json"
    listed = [{"id": f"j{start}", "subtime": start, "res": 1, "profile": "p"} for start in starts]
    path.write_text(json.dumps({"nb_res": 2, "jobs": listed, "profiles": {"p": {"type": "delay", "delay": 5}}}))
    return {"file": str(path), "format": "batsim"}


def test_hours_without_pods_cost_nothing(counted, tmp_path):
    recorder = run_real(workload=jobs(tmp_path, 0, HOURS * 3600))
    assert [row.scheduled for row in recorder.rows] == [0, HOURS * 3600 * 10**9]
    assert counted["turns"] < 150
    assert counted["watches"] <= 2


def test_while_a_pod_waits_watches_end_and_begin_again(counted, tmp_path):
    generator = {"kind": "burst", "pods": 1, "duration": 5, "requests": {"cpu": 64}}
    recorder = run_real(workload={"generator": generator}, horizon=f"{HOURS}h")
    assert recorder.rows[0].scheduled is None
    assert HOURS * 6 - 2 <= counted["watches"] <= HOURS * 12 + 2  # they ask for five to ten minutes
    assert counted["turns"] >= HOURS * 3600


def test_a_pod_that_will_never_fit_does_not_keep_a_run_going():
    recorder = run_real(workload={"generator": {"kind": "burst", "pods": 2, "duration": 5, "requests": {"cpu": 64}}})
    assert recorder.end == 0
    assert recorder.rows[0].message.startswith("0/2 nodes are available: 2 Insufficient cpu.")
