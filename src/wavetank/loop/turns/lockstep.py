from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wavetank.cluster.objects.groupkinds import EVENT
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.loop.turns.participant import Participant

# Programs start this long before time 0, to connect and to read the cluster.
START = -600 * SECOND
_SETTLED = 10 * SECOND  # without a request: then it has read the cluster
# Turns at one instant, after which a program is never done with it: so many, and more for each object (an old
# kube-scheduler takes some for each pod of a burst), but never more than the last, if it creates objects without end.
FEW_TURNS, TURNS_PER_OBJECT, MOST_TURNS = 2_000, 20, 100_000
INSTANT = SECOND // 1000  # time that counts as one: a program may set timers of nanoseconds without end
# A run ends when no pod has changed for this long: kube-scheduler retries after at most 5 min 40 s.
PATIENCE = 600 * SECOND


class Lockstep:
    """Runs programs and the simulation in turns, never both at once.

    It is an actor on the clock, beside built-in schedulers. In a turn the programs that have something to do run at the
    current time until they are quiet; then their requests are served, in the order (program, connection). While they
    have anything to do at this instant there is another turn, after the other actors have reacted. Otherwise time
    advances to the next event of the clock, or to the next timer of a program if pods wait for it. A program for which
    no pod waits sleeps, and finds its timers overdue when it wakes; one that polls for pods has all its timers.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = store.clock
        self._participants: Sequence[Participant] = ()
        self._awake = False
        self._timer: Timer | None = None
        self._instant: Nanoseconds = START
        self._turns = 0  # at that instant
        self._busy: Counter[Participant] = Counter()  # turns of each program at that instant

    def begin(self, participants: Sequence[Participant]) -> None:
        """Waits until the programs have started and read the cluster, before time 0; ProcessError if one does not."""
        self._participants = participants
        self._awake = True  # changes need no turn of their own yet
        for participant in participants:
            participant.wait()
            participant.collect()
        now, settled = START, START
        while now < settled + _SETTLED or self._unready():
            acted = self._run_turn(now)
            if acted:
                if not all(participant.audit.polls for participant in acted):  # polling never ends
                    settled = now
                continue
            due = min((participant.due for participant in participants if participant.due is not None), default=0)
            if due >= 0:
                break
            now = max(now, due)
        for participant in self._unready():
            raise participant.fault(participant.audit.unready_problem)

    def _unready(self) -> list[Participant]:
        """Returns the programs that have not begun their work yet."""
        return [participant for participant in self._participants if not participant.audit.ready]

    def settle(self) -> None:
        """Lets programs receive changes, still before time 0."""
        while self._run_turn(0):
            pass

    def open(self) -> None:
        """Starts the turns; from now on the clock runs."""
        self._awake = False
        self._plan()

    def wake(self) -> None:
        """Requests a turn at this instant, after other actors have reacted."""
        if not self._awake:
            self._awake = True
            self._clock.at(self._clock.now, self._turn, SCHEDULERS)

    def close(self) -> None:
        """Does nothing: it holds no connection of its own."""

    def linger(self) -> bool:
        """Waits, when nothing else is due, for a program to act on its pods; returns whether it did."""
        if not any(participant.awaited for participant in self._participants):
            return False
        before, end = self._changed(), self._clock.now + PATIENCE
        while self._changed() == before:
            due = self._clock.next_due()
            if due is None or due > end:
                self._check_tried()
                return False
            self._clock.step()
        return True

    def _changed(self) -> int:
        return sum(participant.waiting.changed for participant in self._participants)

    def _turn(self) -> None:
        self._awake = False
        if self._run_turn(self._clock.now):
            self.wake()
        elif not self._awake:
            self._plan()

    def _run_turn(self, now: Nanoseconds) -> list[Participant]:
        """Runs one turn; returns the programs that need another one at this time."""
        self._count(now)
        running = [participant for participant in self._participants if participant.deliver(now)]
        for participant in running:
            participant.resume(now)
        for participant in running:
            participant.wait()
        return [participant for participant in self._participants if participant.collect()]

    def _count(self, now: Nanoseconds) -> None:
        """Counts the turns at one instant, so that a program that is never done with it is detected."""
        if now >= self._instant + INSTANT:
            self._instant, self._turns, self._busy = now, 0, Counter()
        self._turns += 1
        self._busy.update(participant for participant in self._participants if participant.is_due(now))
        if self._turns > FEW_TURNS and self._turns > self._most_turns():
            busiest = max(self._participants, key=lambda participant: self._busy[participant])
            raise busiest.fault(f"is never done with one instant: it has had {self._turns - 1:,} turns")

    def _most_turns(self) -> int:
        """Returns how many turns an instant may have in a cluster of this size; Events do not count."""
        kinds = (kind for kind in self._store.group_kinds() if kind != EVENT)
        objects = sum(len(self._store.objects(kind)) for kind in kinds)
        return min(FEW_TURNS + TURNS_PER_OBJECT * objects, MOST_TURNS)

    def _plan(self) -> None:
        """Sets a timer for the next turn that a program's own timers require."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = min(
            (
                participant.due
                for participant in self._participants
                if participant.due is not None and participant.keeps_time
            ),
            default=None,
        )
        if due is not None:
            at = max(due, self._clock.now)
            self._timer = self._clock.at(at, self._turn, SCHEDULERS, background=True)

    def _check_tried(self) -> None:
        for participant in self._participants:
            for pod in participant.waiting:
                if not participant.audit.has_tried(pod):
                    problem = f"has never tried pod {pod.namespace}/{pod.name}, which waits for it"
                    raise participant.fault(problem)
