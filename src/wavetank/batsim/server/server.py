"""Batsim's part: time passes, jobs are submitted and run, and a scheduler is asked what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from wavetank.batsim.jobs.execution import Executor
from wavetank.batsim.jobs.job import FINISHED, Job, JobState
from wavetank.batsim.jobs.workload import Workload
from wavetank.batsim.outputs.recorder import Recorder
from wavetank.batsim.platform.machine import Machine
from wavetank.batsim.platform.platform import Platform
from wavetank.batsim.protocol import Event, ProtocolError, decode, encode, in_nanoseconds, in_seconds
from wavetank.batsim.server.begin import simulation_begins
from wavetank.batsim.server.options import DEFAULT_OPTIONS, ServerOptions
from wavetank.batsim.server.requests import Requests
from wavetank.batsim.server.switching import Switches
from wavetank.errors import InputError
from wavetank.kernel.clock import SCHEDULERS, Clock
from wavetank.workloads.formats.batsim.events import MACHINE_EVENTS, ExternalEvent
from wavetank.workloads.formats.batsim.intervals import format_intervals


class Scheduler(Protocol):
    """The other end: a message is answered by a message."""

    endpoint: str

    def exchange(self, message: bytes) -> bytes:
        """Sends a message and returns the answer."""
        ...


class Server:
    """A simulation of Batsim.

    All events of an instant go out in one message, after everything at this instant has happened; nothing goes out
    while the scheduler decides, that is until the `now` of its answer. ProtocolError if it breaks the protocol, or if
    jobs are left that it will never be asked about again.
    """

    def __init__(
        self,
        platform: Platform,
        workloads: Sequence[Workload],
        scheduler: Scheduler,
        recorder: Recorder,
        options: ServerOptions = DEFAULT_OPTIONS,
        events: Sequence[ExternalEvent] = (),
    ) -> None:
        self.clock = Clock()
        self.platform = platform
        self.workloads = {workload.name: workload for workload in workloads}
        self.options = options
        self.recorder = recorder
        self.executor = Executor(self.clock, platform, options.compute_sharing, self._on_end)
        self.switches = Switches(self.clock, self.executor, self._on_switched)
        self.registering = options.dynamic_jobs
        self.unfinished: dict[str, Job] = {}  # submitted or running
        self.calls = 0  # that the scheduler has asked for
        self._scheduler = scheduler
        self._requests = Requests(self)
        self._outbox: list[Event] = []
        self._ready = True
        self._sending = False
        self._over = False
        self._static = sum(len(workload.jobs) for workload in workloads)
        self._external = len(events)
        self._plan(workloads, events)

    def run(self) -> None:
        """Simulates to the end."""
        begins = simulation_begins(self.platform, self.workloads.values(), self.options)
        self._outbox.append(Event(0.0, "SIMULATION_BEGINS", begins))
        self._send()  # a message of its own: schedulers prepare themselves after it
        self.clock.run()
        if not self._over:
            raise ProtocolError(f"{self._scheduler.endpoint}: {self._what_is_left()}, and nothing will happen any more")
        for machine in self.platform.machines:
            machine.settle(self.clock.now)

    def tell(self, kind: str, data: Mapping[str, Any]) -> None:
        """Puts an event into the next message."""
        self._outbox.append(Event(in_seconds(self.clock.now), kind, dict(data)))
        self._send_soon()

    def job(self, identifier: object) -> Job:
        """Finds a job by its name on the wire."""
        workload, _, name = str(identifier).rpartition("!")
        found = self.workloads[workload].jobs.get(name) if workload in self.workloads else None
        if found is None:
            raise ProtocolError(f"unknown job {identifier!r:.60}")
        return found

    def submit(self, job: Job, told: bool = True) -> None:
        """Makes a job known to the scheduler."""
        job.state = JobState.SUBMITTED
        self.unfinished[job.identifier] = job
        self.recorder.submitted(self.clock.now, job)
        if told:
            data: dict[str, Any] = {"job_id": job.identifier, "job": job.raw}
            if self.options.forward_profiles:
                data["profile"] = self.workloads[job.workload].profiles.raw[job.profile]
            self.tell("JOB_SUBMITTED", data)

    def close(self, job: Job) -> None:
        """Counts a job as finished."""
        assert job.state in FINISHED
        del self.unfinished[job.identifier]
        self.recorder.ended(self.clock.now, job)
        self.finish_if_done()

    def tell_completed(self, job: Job) -> None:
        """Tells of a job that has ended."""
        self.tell(
            "JOB_COMPLETED",
            {
                "job_id": job.identifier,
                "job_state": str(job.state),
                "return_code": job.exit_code,
                "alloc": format_intervals(job.allocation),
            },
        )

    def call_later(self, at: float) -> None:
        """Sends a REQUESTED_CALL at a time in seconds; at once if it has passed."""
        self.calls += 1
        self.clock.at(max(self.clock.now, in_nanoseconds(at)), self._call)

    def _call(self) -> None:
        self.calls -= 1
        self.tell("REQUESTED_CALL", {})
        self.finish_if_done()

    def _plan(self, workloads: Sequence[Workload], events: Sequence[ExternalEvent]) -> None:
        jobs = [job for workload in workloads for job in workload.jobs.values()]
        for job in sorted(jobs, key=lambda job: (job.submission, job.name)):
            self.clock.at(job.submission, self._submission(job))
        for event in events:
            if event.kind not in MACHINE_EVENTS and not self.options.forward_unknown_events:
                known = ", ".join(MACHINE_EVENTS)
                raise InputError(f"external event {event.kind!r:.60}: expected {known}, or --forward-unknown-events")
            self.clock.at(event.time, self._occurrence(event))

    def _submission(self, job: Job) -> Callable[[], None]:
        def submit() -> None:
            self.submit(job)
            self._static -= 1
            if not self._static:
                self.tell("NOTIFY", {"type": "no_more_static_job_to_submit"})

        return submit

    def _occurrence(self, event: ExternalEvent) -> Callable[[], None]:
        def occur() -> None:
            if event.kind in MACHINE_EVENTS:
                self.tell("NOTIFY", {"type": f"event_{event.kind}", "resources": event.data.get("resources", "")})
            else:
                self.tell("NOTIFY", event.data)
            self._external -= 1
            if not self._external:
                self.tell("NOTIFY", {"type": "no_more_external_event_to_occur"})
                self.finish_if_done()

        return occur

    def _on_end(self, job: Job) -> None:
        self.tell_completed(job)
        self.close(job)

    def _on_switched(self, machines: Sequence[Machine], pstate: int) -> None:
        self.recorder.switched(self.clock.now, machines, pstate)
        numbers = format_intervals(machine.number for machine in machines)
        self.tell("RESOURCE_STATE_CHANGED", {"resources": numbers, "state": str(pstate)})
        self.finish_if_done()

    def finish_if_done(self) -> None:
        """Ends the simulation if nothing is left to do."""
        waits = self.unfinished or self._static or self._external or self.calls
        if not (waits or self.registering or self.switches.under_way or self._over):
            self._over = True
            self.tell("SIMULATION_ENDS", {})

    def _send_soon(self) -> None:
        if self._ready and not self._sending:
            self._sending = True
            self.clock.at(self.clock.now, self._send, SCHEDULERS)

    def _send(self) -> None:
        now, self._sending = self.clock.now, False
        outbox, self._outbox = self._outbox, []
        answer = decode(self._scheduler.exchange(encode(now, outbox)), self._scheduler.endpoint, now)
        self._ready = False
        for event in answer.events:
            self.clock.at(max(now, in_nanoseconds(event.timestamp)), self._happening(event))
        self.clock.at(max(now, in_nanoseconds(answer.now)), self._decided)

    def _happening(self, event: Event) -> Callable[[], None]:
        def happen() -> None:
            try:
                self._requests.handle(event)
            except (InputError, ProtocolError) as error:
                where = f"{self._scheduler.endpoint}: {event.type} at {event.timestamp:g} s"
                raise ProtocolError(f"{where}: {error}") from None

        return happen

    def _decided(self) -> None:
        self._ready = True
        if self._outbox:
            self._send_soon()

    def _what_is_left(self) -> str:
        if self.unfinished:
            names = ", ".join(list(self.unfinished)[:5])
            more = f" and {len(self.unfinished) - 5} more" if len(self.unfinished) > 5 else ""
            return f"the scheduler has not started {names}{more}"
        return "the scheduler has not said that it registers no more jobs (NOTIFY registration_finished)"
