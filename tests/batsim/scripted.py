"""A simulation of Batsim in this process, with a scheduler of a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wavetank.batsim.jobs.job import Job
from wavetank.batsim.jobs.profiles import Catalogue
from wavetank.batsim.jobs.workload import Workload
from wavetank.batsim.outputs.recorder import Recorder
from wavetank.batsim.platform.machine import Machine
from wavetank.batsim.platform.platform import Platform
from wavetank.batsim.server.options import ServerOptions
from wavetank.batsim.server.server import Server
from wavetank.workloads.formats.batsim.events import ExternalEvent

Answer = tuple[str, Mapping[str, Any]]
Decide = Callable[[float, str, Mapping[str, Any]], Sequence[Answer]]


class ScriptedScheduler:
    """Answers each event by what `decide(now, type, data)` returns, at the time of the message."""

    endpoint = "tcp://test:1"

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self.heard: list[tuple[float, str, Mapping[str, Any]]] = []

    def exchange(self, message: bytes) -> bytes:
        said = json.loads(message)
        now, answers = said["now"], []
        for event in said["events"]:
            self.heard.append((event["timestamp"], event["type"], event["data"]))
            answers += self._decide(now, event["type"], event["data"])
        events = [{"timestamp": now, "type": kind, "data": data} for kind, data in answers]
        return json.dumps({"now": now, "events": events}).encode()

    def kinds(self) -> list[str]:
        return [kind for _, kind, _ in self.heard]

    def of(self, kind: str) -> list[tuple[float, Mapping[str, Any]]]:
        return [(time, data) for time, each, data in self.heard if each == kind]


def machines(count: int = 4, **options: Any) -> list[Machine]:
    return [Machine(i, f"m{i}", options.get("speeds", (1e6,)), **_rest(options)) for i in range(count)]


def _rest(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "speeds"}


def workload(jobs: Sequence[Mapping[str, Any]], **profiles: Mapping[str, Any]) -> Workload:
    """A workload w0; jobs ask for one machine at time 0 unless they say otherwise."""
    made = Workload("w0", "w.json", 4, Catalogue({"d": {"type": "delay", "delay": 10}, **profiles}))
    for job in jobs:
        made.add(Job("w0", {"subtime": 0, "res": 1, "profile": "d", **job}))
    return made


def simulate(
    decide: Decide,
    jobs: Sequence[Mapping[str, Any]] = ({"id": "1"},),
    *,
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    platform: Platform | None = None,
    events: Sequence[ExternalEvent] = (),
    **options: Any,
) -> tuple[Server, ScriptedScheduler]:
    scheduler = ScriptedScheduler(decide)
    platform = platform or Platform(machines())
    inputs = [workload(jobs, **(profiles or {}))]
    server = Server(platform, inputs, scheduler, Recorder(platform), ServerOptions(**options), events)
    server.run()
    return server, scheduler


def start_at_once(now: float, kind: str, data: Mapping[str, Any]) -> Sequence[Answer]:
    """Starts each job on the first machines, whoever else is there."""
    if kind != "JOB_SUBMITTED":
        return []
    size = data["job"]["res"]
    return [("EXECUTE_JOB", {"job_id": data["job_id"], "alloc": f"0-{size - 1}" if size > 1 else "0"})]
