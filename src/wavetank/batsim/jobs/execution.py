"""Jobs that run on machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from wavetank.batsim.jobs.job import Job, JobState
from wavetank.batsim.jobs.profiles import Catalogue, Progress, Step
from wavetank.batsim.jobs.work import Work, WorkPlanner
from wavetank.batsim.platform.machine import Machine, State
from wavetank.batsim.platform.platform import Platform
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.network.flows import Flow, FlowNetwork


class Running:
    """A job while it runs: where its ranks are, the step that it is in and how far it is."""

    __slots__ = (
        "beside",
        "deadline",
        "done",
        "flow",
        "hosts",
        "job",
        "since",
        "span",
        "step",
        "steps",
        "storages",
        "timer",
        "trail",
        "work",
    )

    def __init__(self, job: Job, profiles: Catalogue, hosts: Sequence[Machine], storages: Mapping[str, int]) -> None:
        self.job = job
        self.hosts = hosts
        self.storages = storages
        self.beside: list[tuple[Step, Sequence[Machine]]] = []  # input and output that goes on with each step
        self.trail: list[Progress] = []
        self.steps: Generator[Step, None, int] = profiles.steps(job.profile, len(hosts), self.trail)
        self.step: Step | None = None
        self.work: Work | None = None  # of a step that is no delay
        self.done = 0.0  # of the present step, before `since`
        self.since: Nanoseconds = 0
        self.span: Nanoseconds = 0  # of what is left of the step, if nothing slows it down
        self.timer: Timer | None = None
        self.flow: Flow | None = None
        self.deadline: Timer | None = None

    def progress(self, now: Nanoseconds) -> float:
        """Returns the share of the present step that is done."""
        if self.flow is not None:
            passed = 1 - self.flow.left_at(now) / self.flow.amount if self.flow.amount else 1.0
        else:
            passed = min(1.0, (now - self.since) / self.span) if self.span else 1.0
        return self.done + (1 - self.done) * passed

    def description(self, now: Nanoseconds) -> dict[str, Any]:
        """Returns how far it is, as the protocol tells of a job that was killed."""
        told: dict[str, Any] = {
            "profile_name": self.step.profile if self.step else self.job.profile,
            "progress": self.progress(now),
        }
        for name, index in reversed(self.trail):
            told = {"profile_name": name, "current_task_index": index, "current_task": told}
        return told


class Executor:
    """Runs jobs: each rank on its machine, steps one after the other, to the end or the walltime.

    Machines that hold one job only, and steps without communication, need no shares of anything: their steps end
    when the slowest rank has done its work. `ended` is called with each job that ends by itself.
    """

    def __init__(self, clock: Clock, platform: Platform, sharing: bool, ended: Callable[[Job], None]) -> None:
        self._clock = clock
        self._platform = platform
        self._sharing = sharing
        self._ended = ended
        self._planner = WorkPlanner(platform)
        self._network = FlowNetwork()
        self._wake: Timer | None = None
        self._by_flow: dict[Flow, Running] = {}
        self._loads: defaultdict[Machine, dict[str, float]] = defaultdict(dict)
        self._energy = bool(platform.machines[0].powers)
        self.running: dict[str, Running] = {}

    def start(self, run: Running) -> None:
        """Starts a job on its machines."""
        job, now = run.job, self._clock.now
        job.state, job.started = JobState.RUNNING, now
        if self._energy:
            job.joules = self._joules(job)
        self.running[job.identifier] = run
        for number in job.allocation:
            machine = self._platform[number]
            machine.jobs.add(job.identifier)
            machine.set_state(now, State.COMPUTING)
        if job.walltime is not None:  # before the first step: at the same instant the walltime is reached first
            run.deadline = self._clock.after(job.walltime, lambda: self._finish(run, JobState.WALLTIME, -1))
        self._next_step(run)

    def kill(self, job: Job) -> dict[str, Any]:
        """Ends a job; returns how far it was."""
        run = self.running[job.identifier]
        told = run.description(self._clock.now)
        self._stop(run, JobState.KILLED, -1)
        return told

    def change_speed(self, machine: Machine, pstate: int) -> None:
        """Changes the power state of a machine that may be computing: its steps go on at another speed."""
        now = self._clock.now
        affected = [self.running[name] for name in sorted(machine.jobs) if self.running[name].work is not None]
        for run in affected:
            run.done = run.progress(now)
            self._leave_step(run)
        machine.set_state(now, machine.state, pstate)
        for run in affected:
            assert run.step is not None
            self._work(run, run.step)

    def _next_step(self, run: Running) -> None:
        try:
            step = next(run.steps)
        except StopIteration as end:
            code = int(end.value)
            self._finish(run, JobState.SUCCESS if code == 0 else JobState.FAILED, code)
            return
        run.step, run.done, run.work = step, 0.0, None
        if step.flops or step.transfers:
            self._work(run, step)
        else:
            self._wait(run, step.delay)

    def _work(self, run: Running, step: Step) -> None:
        """Begins, or goes on with, a step that computes or communicates."""
        parts = [(step, run.hosts), *run.beside]
        run.work = self._planner.work(parts, run.storages)
        left = (1 - run.done) * run.work.alone
        if not self._sharing and not any(part.transfers for part, _ in parts):
            self._set_loads(run, 1.0)
            self._wait(run, round(left * SECOND))
            return
        run.flow = self._network.start(self._clock.now, left, run.work.demands, 0 if run.done else run.work.latency)
        self._by_flow[run.flow] = run
        self._advance()

    def _wait(self, run: Running, span: Nanoseconds) -> None:
        run.since, run.span = self._clock.now, span
        run.timer = self._clock.after(span, lambda: self._end_step(run))

    def _advance(self) -> None:
        """Brings flows up to now, and wakes up at their next change."""
        now = self._clock.now
        for flow in self._network.advance(now):
            self._end_step(self._by_flow.pop(flow))
        if self._energy:
            for flow, run in self._by_flow.items():
                self._set_loads(run, flow.rate)
        due = self._network.next_change
        if self._wake is not None and self._wake.due != due:
            self._wake.cancel()
            self._wake = None
        if due is not None and (self._wake is None or self._wake.callback is None):
            self._wake = self._clock.at(due, self._advance)

    def _end_step(self, run: Running) -> None:
        run.timer = run.flow = None
        self._set_loads(run, 0.0)
        self._next_step(run)

    def _leave_step(self, run: Running) -> None:
        if run.timer is not None:
            run.timer.cancel()
            run.timer = None
        if run.flow is not None:
            self._network.stop(self._clock.now, run.flow)
            del self._by_flow[run.flow]
            run.flow = None
            self._advance()
        self._set_loads(run, 0.0)

    def _set_loads(self, run: Running, rate: float) -> None:
        if run.work is None or not self._energy:
            return
        for machine, load in run.work.loads(rate).items():
            loads = self._loads[machine]
            if load:
                loads[run.job.identifier] = load
            else:
                loads.pop(run.job.identifier, None)
            machine.set_load(self._clock.now, min(1.0, sum(loads.values())))

    def _finish(self, run: Running, state: JobState, exit_code: int) -> None:
        self._stop(run, state, exit_code)
        self._ended(run.job)

    def _stop(self, run: Running, state: JobState, exit_code: int) -> None:
        self._leave_step(run)
        if run.deadline is not None:
            run.deadline.cancel()
        job, now = run.job, self._clock.now
        del self.running[job.identifier]
        job.state, job.finished, job.exit_code = state, now, exit_code
        for number in job.allocation:
            machine = self._platform[number]
            machine.jobs.discard(job.identifier)
            if not machine.jobs:
                machine.set_state(now, State.IDLE)
        if self._energy:
            job.joules = self._joules(job) - job.joules

    def _joules(self, job: Job) -> float:
        now = self._clock.now
        return sum(self._platform[number].joules(now) for number in job.allocation if self._platform[number].powers)
