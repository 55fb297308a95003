from __future__ import annotations

import select
import time
from collections.abc import Sequence

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.loop.errors import ProcessError
from wavetank.loop.timesteps.batsky import Batsky
from wavetank.loop.timesteps.sync import TimestepSync
from wavetank.loop.turns.participant import Participant

_SILENCE_S = 0.5  # without a request: then a program has read the cluster
_PAUSE_S = 0.05  # the same, after a small change
_PATIENCE_S = 60.0  # until programs watch pods


class Timestep:
    """Synchronizes with programs that cannot run in lockstep, by waiting and jumping, as Batkube does.

    It is an actor on the clock, in place of `Lockstep`. In a *cycle* the programs get some real time, which passes in
    the simulation too; then the simulation jumps. Later decisions are served in the next cycle. Cycles begin when a pod
    is submitted or finishes, and when the time step is over.
    """

    def __init__(self, clock: Clock, store: Store, sync: TimestepSync) -> None:
        self._clock = clock
        self._sync = sync
        self._participants: Sequence[Participant] = ()
        self._batsky = Batsky(sync.batsky_endpoint, sync.scheduler_crash_timeout) if sync.batsky_endpoint else None
        self._poll = select.poll()
        self._open = False
        self._cycling = False
        self._call: Timer | None = None
        self._step: Nanoseconds = sync.base_simulation_timestep
        self._timers: list[Nanoseconds] = []
        self._begun = (0, 0.0, 0)  # of the cycle: simulated time, real time, number of bindings
        self.turns = 0
        store.subscribe(POD, self)

    # before time 0

    def begin(self, participants: Sequence[Participant]) -> None:
        """Waits until the programs have started and read the cluster; ProcessError if one does not."""
        self._participants = participants
        for participant in participants:
            for fd in participant.descriptors:
                self._poll.register(fd, select.POLLIN)
        deadline = time.monotonic() + _PATIENCE_S
        while not all(participant.audit.ready for participant in participants):
            self._serve_until_silent(_PAUSE_S)
            if time.monotonic() > deadline:
                raise self._fault(f"does not watch pods: not within {_PATIENCE_S:g} s")
        self._serve_until_silent(_SILENCE_S)

    def settle(self) -> None:
        """Lets programs receive changes, still before time 0."""
        self._serve_until_silent(_PAUSE_S)

    def open(self) -> None:
        """Starts the cycles; from now on the clock runs."""
        self._open = True
        self._plan()

    def _serve_until_silent(self, silence_s: float) -> None:
        while True:
            self._deliver()
            if not self._poll.poll(silence_s * 1000):
                break
            self._collect()
        self._check_alive()

    # while the clock runs

    def wake(self) -> None:
        """Does nothing: changes wait for the next cycle."""

    def added(self, new: Pod) -> None:
        """Begins a cycle: a pod was submitted."""
        self._happened()

    def modified(self, old: Pod, new: Pod) -> None:
        """Begins a cycle if a pod has finished."""
        if new.finished and not old.finished:
            self._happened()

    def deleted(self, old: Pod) -> None:
        """Begins a cycle: a pod was deleted."""
        self._happened()

    def _happened(self) -> None:
        self._step = self._sync.base_simulation_timestep
        self._start_cycle()

    def _called(self) -> None:
        self._call = None
        self._start_cycle()

    def _start_cycle(self) -> None:
        if self._open and not self._cycling:
            self._cycling = True
            self._clock.at(self._clock.now, self._cycle, SCHEDULERS, background=True)

    def _cycle(self) -> None:
        self.turns += 1
        self._begun = (self._clock.now, time.monotonic(), self._bindings())
        self._listen()

    def _listen(self) -> None:
        """Waits in real time for requests, and lets the simulation catch up."""
        self._deliver()
        if self._batsky is not None:
            self._timers = self._batsky.exchange(self._clock.now)
        longest = self._sync.min_delay if self._decided() else max(self._sync.timeout_value, self._sync.min_delay)
        self._poll.poll(max(longest - self._elapsed(), 0) / SECOND * 1000)
        at = max(self._clock.now, self._begun[0] + self._elapsed())
        self._clock.at(at, self._serve, SCHEDULERS, background=True)

    def _serve(self) -> None:
        self._collect()
        self._check_alive()
        decided, elapsed = self._decided(), self._elapsed()
        if elapsed >= self._sync.min_delay and (decided or elapsed >= self._sync.timeout_value):
            self._end_cycle(decided)
        else:
            self._listen()

    def _end_cycle(self, decided: bool) -> None:
        self._deliver()  # send the responses, which it can read while the simulation continues
        self._cycling = False
        if decided:
            self._step = self._sync.base_simulation_timestep
        self._plan()

    def _plan(self) -> None:
        """Schedules the next cycle if nothing happens before; an earlier plan is kept."""
        sync = self._sync
        pending = any(participant.awaited for participant in self._participants)
        if self._call is not None or (sync.fast_forward_on_no_pending_jobs and self._bindings() and not pending):
            return
        step = sync.base_simulation_timestep // 5
        if self._bindings():
            self._step = min(round(self._step * sync.backoff_multiplier), sync.max_simulation_timestep)
            step = self._step
        self._call = self._clock.after(min([step, *self._timers]), self._called, SCHEDULERS, background=True)

    def linger(self) -> bool:
        """Waits in real time, when nothing else is due, for a program to act on its pods; returns whether it did.

        ProcessError after the crash timeout, if deadlock detection is on.
        """
        if not any(participant.awaited for participant in self._participants):
            return False
        before, begun = self._changed(), time.monotonic()
        while self._changed() == before:
            if time.monotonic() - begun > self._sync.scheduler_crash_timeout / SECOND:
                if self._sync.detect_scheduler_deadlock:
                    raise self._fault("has not reacted although pods wait for it and none runs")
                return False
            self._clock.step()
        return True

    # helpers

    def _deliver(self) -> None:
        for participant in self._participants:
            participant.deliver(self._clock.now)

    def _collect(self) -> None:
        for participant in self._participants:
            participant.collect()

    def _check_alive(self) -> None:
        for participant in self._participants:
            participant.process.wait()

    def _elapsed(self) -> Nanoseconds:
        return seconds(time.monotonic() - self._begun[1])

    def _decided(self) -> bool:
        return self._bindings() > self._begun[2]

    def _bindings(self) -> int:
        return sum(participant.audit.bindings for participant in self._participants)

    def _changed(self) -> int:
        return sum(participant.waiting.changed for participant in self._participants)

    def _fault(self, problem: str) -> ProcessError:
        awaited = [participant for participant in self._participants if participant.awaited] or self._participants
        return ProcessError(awaited[0].process.name, problem, awaited[0].process.tail())

    def close(self) -> None:
        """Closes the connection to batsky-go."""
        if self._batsky is not None:
            self._batsky.close()
