"""Machines that change their power state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wavetank.batsim.jobs.execution import Executor
from wavetank.batsim.platform.machine import Machine, State
from wavetank.batsim.protocol import ProtocolError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import seconds

Switched = Callable[[Sequence[Machine], int], None]


class Switches:
    """Power states that change: between speeds at once, to sleep and back by computing one flop in a virtual state.

    `switched` is called once per request, when its last machine is in its new state.
    """

    def __init__(self, clock: Clock, executor: Executor, switched: Switched) -> None:
        self._clock = clock
        self._executor = executor
        self._switched = switched
        self.under_way = 0  # machines
        self.requests = 0
        self.machines = 0

    def change(self, machines: Sequence[Machine], pstate: int) -> None:
        """Brings machines into a power state; ProtocolError if one cannot."""
        for machine in machines:
            _check(machine, pstate)
        self.requests += 1
        self.machines += len(machines)
        waiting = set(machines)

        def done(machine: Machine) -> None:
            waiting.discard(machine)
            if not waiting:
                self._switched(machines, pstate)

        for machine in machines:
            self._change(machine, pstate, done)

    def _change(self, machine: Machine, pstate: int, done: Callable[[Machine], None]) -> None:
        now = self._clock.now
        if pstate in machine.sleeps:
            virtual = machine.sleeps[pstate].falling
            machine.set_state(now, State.SWITCHING_OFF, virtual)
            self._after(machine, virtual, State.SLEEPING, pstate, done)
        elif machine.state is State.SLEEPING:
            virtual = machine.sleeps[machine.pstate].waking
            machine.set_state(now, State.SWITCHING_ON, virtual)
            self._after(machine, virtual, State.IDLE, pstate, done)
        else:
            self._executor.change_speed(machine, pstate)
            done(machine)

    def _after(
        self, machine: Machine, virtual: int, state: State, pstate: int, done: Callable[[Machine], None]
    ) -> None:
        """One flop at the speed of the virtual state: its power is that of a machine that computes."""
        machine.set_load(self._clock.now, 1.0)
        self.under_way += 1

        def end() -> None:
            self.under_way -= 1
            machine.set_load(self._clock.now, 0.0)
            machine.set_state(self._clock.now, state, pstate)
            done(machine)

        self._clock.after(seconds(1 / machine.speeds[virtual]), end)


def _check(machine: Machine, pstate: int) -> None:
    """Raises ProtocolError if a machine cannot go into a power state."""
    where = f"machine {machine.number} ({machine.name})"
    virtual = {state for sleep in machine.sleeps.values() for state in sleep}
    if not 0 <= pstate < len(machine.speeds) or pstate in virtual:
        raise ProtocolError(f"SET_RESOURCE_STATE: {where} has no power state {pstate} that can be chosen")
    if machine.state in (State.SWITCHING_ON, State.SWITCHING_OFF):
        raise ProtocolError(f"SET_RESOURCE_STATE: {where} is {machine.state}")
    if pstate in machine.sleeps and machine.state is not State.IDLE:
        raise ProtocolError(f"SET_RESOURCE_STATE: {where} is {machine.state} and cannot go to sleep")
