from __future__ import annotations

from collections.abc import Sequence

from wavetank.batsim.jobs.job import Job
from wavetank.batsim.outputs.paje import PajeTrace
from wavetank.batsim.platform.machine import Machine, State
from wavetank.batsim.platform.platform import Platform
from wavetank.kernel.durations import SECOND, Nanoseconds

COLUMNS = (State.SLEEPING, State.SWITCHING_ON, State.SWITCHING_OFF, State.IDLE, State.COMPUTING)
TO_COMPUTATION, TO_SLEEP = -1, -2  # in place of a power state while a switch is under way


class Recorder:
    """Keeps what Batsim's files tell: jobs as they finish, the states of machines, energy and power states."""

    def __init__(self, platform: Platform, trace: bool = True) -> None:
        self._machines = platform.machines
        self._states = platform.states
        self._energy = bool(platform.machines[0].powers)
        self._last_energy: tuple[Nanoseconds, float] = (0, 0.0)
        self.jobs: list[Job] = []  # finished, in the order of their ends
        self.states: list[tuple[Nanoseconds, tuple[int, ...]]] = []
        self.energies: list[tuple[Nanoseconds, float, str, float, float | None]] = []
        self.pstates: list[tuple[Nanoseconds, tuple[int, ...], int]] = []
        self.paje = PajeTrace(platform.machines) if trace else None
        self.submissions = 0
        self.joules_before = self.joules_after = 0.0  # at the first submission, and at the last end of a job
        self._write_first_states()

    def _write_first_states(self) -> None:
        self.states_changed(0)
        if self._energy:
            for pstate in sorted({machine.pstate for machine in self._machines}):
                those = tuple(machine.number for machine in self._machines if machine.pstate == pstate)
                self.pstates.append((0, those, pstate))

    def submitted(self, now: Nanoseconds, job: Job) -> None:
        """A job is known to the scheduler."""
        if not self.submissions and self._energy:
            self.joules_before = self._joules(now)
        self.submissions += 1

    def started(self, now: Nanoseconds, job: Job) -> None:
        """A job runs on its machines."""
        self.states_changed(now)
        if self.paje is not None:
            self.paje.started(now, job)
        if self._energy:
            self._note_energy(now, "s")

    def ended(self, now: Nanoseconds, job: Job) -> None:
        """A job has ended, or was rejected."""
        self.jobs.append(job)
        if not job.allocation or job.started is None:
            return
        self.states_changed(now)
        if self.paje is not None:
            self.paje.ended(now, job, self._machines)
        if self._energy:
            self.joules_after = self._note_energy(now, "e")

    def switching(self, now: Nanoseconds, machines: Sequence[Machine], pstate: int) -> None:
        """Machines were asked to go into another power state."""
        to = TO_SLEEP if pstate in machines[0].sleeps else TO_COMPUTATION
        self.pstates.append((now, tuple(machine.number for machine in machines), to))
        self._note_energy(now, "p")

    def switched(self, now: Nanoseconds, machines: Sequence[Machine], pstate: int) -> None:
        """Machines are in their new power state."""
        self.pstates.append((now, tuple(machine.number for machine in machines), pstate))
        self.states_changed(now)

    def states_changed(self, now: Nanoseconds) -> None:
        """Counts the machines in each state; of one instant the last count is kept."""
        counted = self._states
        if self.states and self.states[-1][0] == now:
            self.states.pop()
        self.states.append((now, tuple([counted[state] for state in COLUMNS])))

    def _joules(self, now: Nanoseconds) -> float:
        return sum(machine.joules(now) for machine in self._machines)

    def _note_energy(self, now: Nanoseconds, kind: str) -> float:
        joules = self._joules(now)
        least = sum(machine.powers[machine.pstate].idle for machine in self._machines)
        since, before = self._last_energy
        watts = (joules - before) * SECOND / (now - since) if now > since else None
        self.energies.append((now, joules, kind, least, watts))
        self._last_energy = now, joules
        return joules
