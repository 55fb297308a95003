"""What a scheduler may ask for, by the types of its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wavetank.batsim.jobs.execution import Running
from wavetank.batsim.jobs.job import FINISHED, Job, JobState, read_name
from wavetank.batsim.jobs.profiles import ANY_SIZE, COMPOSED, Catalogue
from wavetank.batsim.jobs.workload import Workload
from wavetank.batsim.platform.machine import Machine, State
from wavetank.batsim.protocol import Event, ProtocolError
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.intervals import parse_intervals

if TYPE_CHECKING:
    from wavetank.batsim.server.server import Server

_Data = Mapping[str, Any]
_ENDS = (JobState.SUCCESS, JobState.FAILED, JobState.WALLTIME, JobState.KILLED)


class Requests:
    """Carries out the events of a scheduler; InputError or ProtocolError say what is wrong with one."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._handlers: dict[str, Callable[[_Data], None]] = {
            "EXECUTE_JOB": self._execute,
            "REJECT_JOB": self._reject,
            "KILL_JOB": self._kill,
            "CALL_ME_LATER": self._call_me_later,
            "REGISTER_JOB": self._register_job,
            "REGISTER_PROFILE": self._register_profile,
            "SET_RESOURCE_STATE": self._set_resource_state,
            "SET_JOB_METADATA": self._set_metadata,
            "CHANGE_JOB_STATE": self._change_state,
            "NOTIFY": self._notify,
            "QUERY": self._query,
            "ANSWER": self._answer,
        }

    def handle(self, event: Event) -> None:
        """Carries out one event, now."""
        handler = self._handlers.get(event.type)
        if handler is None:
            expected = ", ".join(self._handlers)
            raise ProtocolError(f"unknown or unsupported event: expected one of {expected}")
        handler(event.data)

    def _execute(self, data: _Data) -> None:
        server, job = self._server, self._server.job(data.get("job_id"))
        if job.state is not JobState.SUBMITTED:
            raise ProtocolError(f"job {job.identifier} cannot be executed: it is {job.state}")
        job.allocation = parse_intervals(fields.text(data.get("alloc"), "alloc"), "alloc")
        machines = self._machines(job.allocation)
        for machine in machines:
            self._check_machine(machine, job)
        profiles = server.workloads[job.workload].profiles
        hosts = _hosts(job, machines, data.get("mapping"), profiles.kind(job.profile) in ANY_SIZE)
        run = Running(job, profiles, hosts, _storages(data.get("storage_mapping")))
        if "additional_io_job" in data:
            self._add_io(run, fields.mapping(data["additional_io_job"], "additional_io_job"))
        server.executor.start(run)
        server.recorder.started(server.clock.now, job)

    def _add_io(self, run: Running, data: _Data) -> None:
        """Adds input and output that a job does while it works: a profile of its own on machines of its own."""
        path = "additional_io_job"
        numbers = parse_intervals(fields.text(data.get("alloc"), f"{path}.alloc"), f"{path}.alloc")
        if not numbers or numbers[-1] >= self._server.platform.size:
            raise ProtocolError(f"{path}.alloc: expected machines 0 to {self._server.platform.size - 1}")
        hosts = [self._server.platform[number] for number in numbers]
        name = fields.text(data.get("profile_name"), f"{path}.profile_name")
        profiles = Catalogue({name: fields.mapping(data.get("profile"), f"{path}.profile")})
        if COMPOSED in (profiles.kind(name), self._server.workloads[run.job.workload].profiles.kind(run.job.profile)):
            raise ProtocolError(f"{path}: composed profiles cannot be joined")
        run.beside.append((profiles.step(name, len(hosts)), hosts))

    def _machines(self, numbers: Sequence[int]) -> list[Machine]:
        machines = self._server.platform.machines
        if not numbers or numbers[-1] >= len(machines):
            raise ProtocolError(f"expected machines 0 to {len(machines) - 1}, got {numbers[-1:]}")
        return [machines[number] for number in numbers]

    def _check_machine(self, machine: Machine, job: Job) -> None:
        where = f"job {job.identifier}: machine {machine.number} ({machine.name})"
        if machine.jobs and not self._server.options.compute_sharing:
            raise ProtocolError(f"{where} is busy with {min(machine.jobs)}, and --enable-compute-sharing is not given")
        if machine.state not in (State.IDLE, State.COMPUTING):
            raise ProtocolError(f"{where} is {machine.state}")

    def _reject(self, data: _Data) -> None:
        job = self._server.job(data.get("job_id"))
        if job.state is not JobState.SUBMITTED:
            raise ProtocolError(f"job {job.identifier} cannot be rejected: it is {job.state}")
        job.state = JobState.REJECTED
        self._server.close(job)

    def _kill(self, data: _Data) -> None:
        server = self._server
        jobs = [server.job(name) for name in fields.items(data.get("job_ids"), "job_ids")]
        progress: dict[str, Any] = {}
        killed: list[Job] = []
        for job in (job for job in jobs if not job.kill_requested):
            if job.state is not JobState.RUNNING and job.state not in FINISHED:
                raise ProtocolError(f"job {job.identifier} cannot be killed: it is {job.state}")
            job.kill_requested = True
            if job.state is JobState.RUNNING:
                progress[job.identifier] = server.executor.kill(job)
                server.tell_completed(job)
                killed.append(job)
        server.tell("JOB_KILLED", {"job_ids": [job.identifier for job in jobs], "job_progress": progress})
        for job in killed:
            server.close(job)

    def _call_me_later(self, data: _Data) -> None:
        at = data.get("timestamp")
        if isinstance(at, bool) or not isinstance(at, int | float) or not at <= 1e11:
            raise ProtocolError(f"timestamp: expected seconds, got {at!r:.60}")
        self._server.call_later(at)

    def _register_job(self, data: _Data) -> None:
        self._need_dynamic_jobs()
        workload, name = self._workload_of(data.get("job_id"))
        now = self._server.clock.now
        job = Job(workload.name, {**fields.mapping(data.get("job"), "job"), "id": name, "subtime": now / 1e9}, "job")
        workload.add(job)
        self._server.submit(job, told=self._server.options.acknowledge_dynamic_jobs)

    def _register_profile(self, data: _Data) -> None:
        self._need_dynamic_jobs()
        workload = self._named_workload(fields.text(data.get("workload_name"), "workload_name"))
        name, profile = (
            fields.text(data.get("profile_name"), "profile_name"),
            fields.mapping(data.get("profile"), "profile"),
        )
        workload.profiles.add(name, profile)
        workload.profiles.kind(name)

    def _need_dynamic_jobs(self) -> None:
        if not self._server.options.dynamic_jobs:
            raise ProtocolError("--enable-dynamic-jobs is not given")

    def _workload_of(self, identifier: object) -> tuple[Workload, str]:
        workload, _, name = fields.text(identifier, "job_id").rpartition("!")
        if not workload or not name:
            raise ProtocolError(f"job_id: expected WORKLOAD!NAME, got {identifier!r:.60}")
        return self._named_workload(workload), read_name(name, "job_id")

    def _named_workload(self, name: str) -> Workload:
        return self._server.workloads.setdefault(name, Workload(name))

    def _set_resource_state(self, data: _Data) -> None:
        if not self._server.platform.machines[0].powers:
            raise ProtocolError("power states need --energy")
        machines = self._machines(parse_intervals(fields.text(data.get("resources"), "resources"), "resources"))
        state = str(data.get("state"))
        if not state.isdecimal() or len(state) > 4:
            raise ProtocolError(f"state: expected the number of a power state, got {state!r:.60}")
        self._server.recorder.switching(self._server.clock.now, machines, int(state))
        self._server.switches.change(machines, int(state))
        self._server.recorder.states_changed(self._server.clock.now)

    def _set_metadata(self, data: _Data) -> None:
        metadata = data.get("metadata")
        if not isinstance(metadata, str):
            raise ProtocolError(f"metadata: expected a text, got {metadata!r:.60}")
        self._server.job(data.get("job_id")).metadata = metadata

    def _change_state(self, data: _Data) -> None:
        """Jobs whose life the scheduler itself tells: they run on no machine."""
        server, job = self._server, self._server.job(data.get("job_id"))
        wanted = fields.choice(data.get("job_state"), "job_state", [str(state) for state in JobState])
        state = JobState(wanted)
        allowed = {JobState.SUBMITTED: (JobState.RUNNING, JobState.REJECTED), JobState.RUNNING: _ENDS}
        if state not in allowed.get(job.state, ()) or job.identifier in server.executor.running:
            raise ProtocolError(f"job {job.identifier} cannot become {state}: it is {job.state}")
        job.state = state
        if state is JobState.RUNNING:
            job.started = server.clock.now
        else:
            job.finished = server.clock.now if state is not JobState.REJECTED else None
            server.close(job)

    def _notify(self, data: _Data) -> None:
        kind = fields.choice(data.get("type"), "type", ("registration_finished", "continue_registration"))
        self._need_dynamic_jobs()
        self._server.registering = kind == "continue_registration"
        self._server.finish_if_done()

    def _query(self, data: _Data) -> None:
        requests = fields.mapping(data.get("requests"), "requests", ("consumed_energy",))
        if "consumed_energy" not in requests:
            raise ProtocolError("requests: expected consumed_energy")
        if not self._server.platform.machines[0].powers:
            raise ProtocolError("consumed_energy needs --energy")
        now = self._server.clock.now
        joules = sum(machine.joules(now) for machine in self._server.platform.machines)
        self._server.tell("ANSWER", {"consumed_energy": joules})

    def _answer(self, data: _Data) -> None:
        raise ProtocolError("nothing was asked: this simulator sends no QUERY")


def _hosts(job: Job, machines: Sequence[Machine], mapping: object, any_size: bool) -> list[Machine]:
    """Returns the machine of each rank: by the mapping, else one machine each."""
    if mapping:
        ranks = fields.mapping(mapping, "mapping")
        try:
            places = {int(rank): int(place) for rank, place in ranks.items()}
            return [machines[_index(places[rank], len(machines))] for rank in range(job.size)]
        except (KeyError, ValueError, TypeError, InputError):
            expected = f"ranks 0 to {job.size - 1} on places 0 to {len(machines) - 1} of the allocation"
            raise ProtocolError(f"mapping: expected {expected}, got {mapping!r:.60}") from None
    if len(machines) != job.size and not any_size:
        raise ProtocolError(f"job {job.identifier} asks for {job.size} machines, got {len(machines)} and no mapping")
    return list(machines)


def _index(place: int, size: int) -> int:
    if not 0 <= place < size:
        raise InputError("outside the allocation")
    return place


def _storages(mapping: object) -> dict[str, int]:
    stated = fields.mapping(mapping, "storage_mapping") if mapping else {}
    return {label: fields.integer(number, f"storage_mapping.{label}") for label, number in stated.items()}
