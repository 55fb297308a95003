"""The decision process: messages of a Batsim in, decisions of a scheduler out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from wavetank.batsim.decide.cluster import DecisionSetting, MachineCluster
from wavetank.batsim.decide.jobs import PodJob, pod_job
from wavetank.batsim.protocol import Event, ProtocolError, decode, encode, in_nanoseconds, in_seconds
from wavetank.batsim.sockets import Replier
from wavetank.cluster.objects.pod import Pod
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.formats.batsim.intervals import format_intervals, parse_intervals

_SUCCESS = "COMPLETED_SUCCESSFULLY"
_Data = Mapping[str, Any]


class DecisionProcess:
    """Lets a scheduler of ours decide for a Batsim: resources are nodes, jobs are pods, binds are EXECUTE_JOB.

    Both sides go from event to event: a message at t is handled at t, and Batsim is asked to call again when the
    cluster has something to do by itself, such as a retry after a back-off. ProtocolError if Batsim breaks the rules.
    """

    def __init__(self, setting: DecisionSetting) -> None:
        self._setting = setting
        self._cluster: MachineCluster | None = None
        self._jobs: dict[str, PodJob] = {}
        self._by_pod: dict[str, PodJob] = {}
        self._profiles: dict[str, Mapping[str, Any]] = {}
        self._decisions: list[Event] = []
        self._calls: set[Nanoseconds] = set()
        self._now: Nanoseconds = 0
        self._stack = ExitStack()  # what to close at the end: programs in the loop
        self.decided = 0
        self.over = False
        self._handlers: dict[str, Callable[[_Data], None]] = {
            "JOB_SUBMITTED": self._submitted,
            "JOB_COMPLETED": self._completed,
            "JOB_KILLED": self._nothing,
            "REQUESTED_CALL": self._nothing,
            "RESOURCE_STATE_CHANGED": self._nothing,
            "NOTIFY": self._notify,
        }

    def serve(self, batsim: Replier) -> None:
        """Answers messages until SIMULATION_ENDS."""
        while not self.over:
            batsim.reply(self.answer(batsim.receive(), batsim.endpoint))

    def answer(self, text: bytes, peer: str) -> bytes:
        """Answers one message of `peer`."""
        message = decode(text, peer, self._now)
        self._now = now = max(self._now, in_nanoseconds(message.now))
        try:
            self.over = self._handle(message.events, now)
        except InputError as error:
            raise ProtocolError(f"{peer}: {error}") from None
        return encode(now, self._answer(now))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _handle(self, events: list[Event], now: Nanoseconds) -> bool:
        """Handles a message; returns whether the simulation is over."""
        self._calls = {call for call in self._calls if call > now}
        if self._cluster is not None:
            self._cluster.clock.run_events(now)
        for event in events:
            if event.type == "SIMULATION_ENDS":
                return True
            try:
                self._take(event)
            except InputError as error:
                raise error.inside(path=f"{event.type} at {event.timestamp:g} s") from None
        self._running.run(now)
        return False

    def _take(self, event: Event) -> None:
        if event.type == "SIMULATION_BEGINS":
            self._begin(event.data)
            return
        handler = self._handlers.get(event.type)
        if handler is None:
            raise InputError(f"unknown event: expected one of SIMULATION_BEGINS, {', '.join(self._handlers)}")
        handler(event.data)

    def _begin(self, data: _Data) -> None:
        if self._cluster is not None:
            raise InputError("the simulation has begun already")
        machines = [
            fields.mapping(each, f"compute_resources[{i}]")
            for i, each in enumerate(fields.items(data.get("compute_resources"), "compute_resources"))
        ]
        sharing = data.get("allow_compute_sharing") is True
        self._profiles = dict(fields.mapping(data.get("profiles", {}), "profiles"))
        self._cluster = MachineCluster(self._setting, machines, sharing, self._stack, self._bound, self._deleted)

    @property
    def _running(self) -> MachineCluster:
        if self._cluster is None:
            raise InputError("the first event must be SIMULATION_BEGINS")
        return self._cluster

    def _submitted(self, data: _Data) -> None:
        cluster = self._running
        workload = str(data.get("job_id")).rpartition("!")[0]
        job = pod_job(data, self._profiles.get(workload, {}), cluster.specs)
        if job.identifier in self._jobs:
            raise InputError(f"job {job.identifier} was submitted twice")
        if len(job.pods) > len(cluster.numbers):
            self._decide("REJECT_JOB", {"job_id": job.identifier})
            return
        self._jobs[job.identifier] = job
        self._by_pod.update({pod.name: job for pod in job.pods})
        cluster.submit(job)

    def _completed(self, data: _Data) -> None:
        job = self._jobs.pop(str(data.get("job_id")), None)
        if job is None:
            raise InputError(f"unknown job {data.get('job_id')!r:.60}")
        for pod in job.pods:
            self._by_pod.pop(pod.name, None)
        self._running.end(job, data.get("job_state") == _SUCCESS)

    def _notify(self, data: _Data) -> None:
        kind = str(data.get("type"))
        if kind in ("event_machine_unavailable", "event_machine_available"):
            machines = parse_intervals(fields.text(data.get("resources"), "resources"), "resources")
            self._running.cordon(machines, kind == "event_machine_unavailable")

    def _nothing(self, data: _Data) -> None:
        """These events change nothing that a scheduler sees."""

    def _bound(self, pod: Pod) -> None:
        job = self._by_pod.get(pod.name)
        if job is None or not job.bind(pod):
            return
        job.started = True
        ranks = [self._running.numbers[node] for node in job.nodes()]
        machines = sorted(set(ranks))
        data: dict[str, Any] = {"job_id": job.identifier, "alloc": format_intervals(machines)}
        if len(machines) != len(ranks):
            places = {machine: str(i) for i, machine in enumerate(machines)}
            data["mapping"] = {str(rank): places[machine] for rank, machine in enumerate(ranks)}
        self._decide("EXECUTE_JOB", data)

    def _deleted(self, pod: Pod) -> None:
        """A scheduler that preempts a pod ends its whole job."""
        job = self._by_pod.pop(pod.name, None)
        if job is not None and job.started:
            job.started = False
            self._decide("KILL_JOB", {"job_ids": [job.identifier]})

    def _decide(self, kind: str, data: dict[str, Any]) -> None:
        self.decided += 1
        self._decisions.append(Event(in_seconds(self._running.clock.now), kind, data))

    def _answer(self, now: Nanoseconds) -> list[Event]:
        decisions, self._decisions = self._decisions, []
        due = None if self.over else self._next_call()
        if due is not None and not any(call <= due for call in self._calls):
            self._calls.add(due)
            decisions.append(Event(in_seconds(now), "CALL_ME_LATER", {"timestamp": in_seconds(due)}))
        return decisions

    def _next_call(self) -> Nanoseconds | None:
        """Returns when the cluster does something by itself that can lead to a decision."""
        waiting = any(not job.started for job in self._jobs.values())
        return self._running.clock.next_due() if waiting else None
