"""`wavetank batsim`: a simulation from its files to its files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wavetank.batsim.jobs.workload import Workload, read_workload
from wavetank.batsim.outputs.gantt import write_gantt
from wavetank.batsim.outputs.recorder import Recorder
from wavetank.batsim.outputs.totals import Totals
from wavetank.batsim.outputs.write import Files, write_files
from wavetank.batsim.platform.platform import DEFAULT_OPTIONS as DEFAULT_PLATFORM
from wavetank.batsim.platform.platform import PlatformOptions, read_platform
from wavetank.batsim.server.options import DEFAULT_OPTIONS, ServerOptions
from wavetank.batsim.server.server import Scheduler, Server
from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.events import ExternalEvent, machines_of, read_external_events


@dataclass(frozen=True)
class BatsimRun:
    """What is simulated and where the results go: `prefix` begins the name of each file."""

    platform: Path
    workloads: Sequence[Path]
    prefix: str = "out"
    events: Sequence[Path] = ()
    platform_options: PlatformOptions = DEFAULT_PLATFORM
    most_by_workload: bool = False  # as many machines as the largest workload was made for
    options: ServerOptions = DEFAULT_OPTIONS
    schedule_trace: bool = True
    machine_states: bool = True
    report: bool = False


class _Timed:
    """A scheduler whose answers are timed."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.endpoint = scheduler.endpoint
        self.seconds = 0.0
        self.messages = 0

    def exchange(self, message: bytes) -> bytes:
        began = time.perf_counter()
        answer = self._scheduler.exchange(message)
        self.seconds += time.perf_counter() - began
        self.messages += 1
        return answer


def simulate(run: BatsimRun, scheduler: Scheduler) -> Server:
    """Simulates a run; what has happened is written even if the scheduler fails."""
    workloads = [read_workload(path, f"w{i}") for i, path in enumerate(run.workloads)]
    files = Files(run.prefix)
    files.prepare()
    server, timed = _server(run, workloads, scheduler)
    began = time.perf_counter()
    try:
        server.run()
    finally:
        for machine in server.platform.machines:
            machine.settle(server.clock.now)
        totals = Totals(
            server.platform.machines,
            sum(len(workload.jobs) for workload in server.workloads.values()),
            server.switches.requests,
            server.switches.machines,
            timed.seconds,
            time.perf_counter() - began,
        )
        write_files(
            files,
            server.recorder,
            totals,
            server.clock.now,
            machine_states=run.machine_states,
        )
        if run.report:
            title = ", ".join(path.name for path in run.workloads)
            machines = server.platform.machines
            write_gantt(files.path("report.html"), title, server.recorder.jobs, machines, server.clock.now)
    return server


def _server(run: BatsimRun, workloads: list[Workload], scheduler: Scheduler) -> tuple[Server, _Timed]:
    options = run.platform_options
    if run.most_by_workload:
        needed = max(workload.resources for workload in workloads)
        options = replace(options, most=min(options.most or needed, needed))
    platform = read_platform(run.platform, options)
    largest = max((job for workload in workloads for job in workload.jobs.values()), key=lambda job: job.size)
    if largest.size > len(platform.machines):
        problem = (
            f"job {largest.name!r:.60} asks for {largest.size} machines, the platform has {len(platform.machines)}"
        )
        raise InputError(problem, source=str(run.platform))
    events = [event for path in run.events for event in _events(path, platform.size)]
    timed = _Timed(scheduler)
    return Server(platform, workloads, timed, Recorder(platform, run.schedule_trace), run.options, events), timed


def _events(path: Path, machines: int) -> tuple[ExternalEvent, ...]:
    """Reads external events; InputError if one is of a machine that the platform does not have."""
    events = read_external_events(path)
    for event in events:
        try:
            unknown = next((machine for machine in machines_of(event) if machine >= machines), None)
        except InputError as error:
            raise error.inside(source=str(path)) from None
        if unknown is not None:
            raise InputError(f"there is no machine {unknown}: the platform has {machines}", source=str(path))
    return events
