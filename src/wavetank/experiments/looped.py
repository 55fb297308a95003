"""A run with programs in the loop: the API that they speak to, and their turns beside the other actors."""

from __future__ import annotations

import random
import resource as limits
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wavetank.apiserver.api import Api
from wavetank.cluster.store import Store
from wavetank.experiments.planting import PodPlanter, plant_cluster
from wavetank.experiments.podruns import PodRuns
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.kernel.randomness import Streams
from wavetank.loop.conduct import BINDING, Conduct
from wavetank.loop.definition import ManagerDefinition, ProcessDefinition
from wavetank.loop.expiry import EventExpiry
from wavetank.loop.hosting import seat_process
from wavetank.loop.lockstep import Lockstep
from wavetank.loop.manager import EveryTimer, ManagerConduct, seat_manager
from wavetank.loop.plainhosting import seat_plain
from wavetank.loop.seat import Seat
from wavetank.loop.timestep import Timestep
from wavetank.loop.waiting import WaitingPods
from wavetank.nodes.stories import Stories
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.workloads.cluster import Cluster

# Writes of each kind that a watcher may have missed and still resume.
HISTORY = 20_000
_KUBELETS = "v1.35.8"  # if the program does not say which release it is of


class Loop:
    """The programs of one run, the API that they speak to, and the lockstep that they are in.

    It brings its own store, with nothing in it but what every API server has. `begin`, `plant` the cluster, and
    `close` it whatever happens. Programs are there before the cluster: so they hear of its nodes one after the other,
    in the order of their creation, where a list would be shuffled by the informers.
    """

    def __init__(
        self,
        clock: Clock,
        processes: Sequence[ProcessDefinition],
        takes_all: bool,
        manager: ManagerDefinition | None = None,
    ) -> None:
        self.store = store = Store(clock, HISTORY)
        self._clock = clock
        self._processes = processes
        self._manager = manager
        if manager is not None:
            store.subscribe("Pod", PodRuns())
        stated = [*(each.version for each in processes), manager.version if manager else "", _KUBELETS]
        self._api = Api(store, Stories(store, next(version for version in stated if version)))
        EventExpiry(store)
        sync = processes[0].sync if processes else None
        self._lockstep = Lockstep(clock) if sync is None else Timestep(clock, store, sync)
        self._seats: list[Seat] = []
        self._folder: Path | None = None
        names = processes[0].scheduler_names if processes else ()
        self.planter = PodPlanter(store, self._api.kinds, names[0] if takes_all and len(names) == 1 else None)

    def plant(self, cluster: Cluster) -> None:
        """Creates the cluster's objects as an API server would hold them; then the clock may run."""
        plant_cluster(cluster, self.store, self._api.kinds, self.planter.scheduler_name, self._lockstep.settle)
        self._lockstep.settle()
        self._lockstep.open()

    def begin(self, streams: Streams, latency: SchedulerLatency) -> list[tuple[str, WaitingPods]]:
        """Starts the programs and lets them connect; returns which pods each is responsible for."""
        _allow_many_files()
        self._folder = Path(tempfile.mkdtemp(prefix="wavetank-"))
        for i, definition in enumerate(self._processes):
            waiting = WaitingPods(self.store, definition.scheduler_names)
            costs = AttemptCosts(self._clock, latency, streams.stream(f"scheduler/{definition.name}/latency"))
            conduct = Conduct(self.store, tells=not definition.command)
            seat = Seat(self._clock, self._api.handle, waiting, conduct, costs.of, self._lockstep.wake)
            self._seats.append(seat)
            seed = streams.stream(f"scheduler/{definition.name}/process").getrandbits(60)
            if definition.exact:
                seat_process(definition, seat, self._folder / str(i), seed)
            else:
                seat_plain(definition, seat, self._folder / str(i))
        schedulers = [(each.name, seat.waiting) for each, seat in zip(self._processes, self._seats, strict=True)]
        if self._manager is not None:
            self._seat_manager(self._manager, self._folder / "manager", streams)
        self._lockstep.begin(self._seats)
        return schedulers

    def _seat_manager(self, manager: ManagerDefinition, folder: Path, streams: Streams) -> None:
        """Starts a real controller manager; nothing that it asks for takes time."""
        conduct, timers = ManagerConduct(self.store), EveryTimer(self.store)
        seat = Seat(self._clock, self._api.handle, timers, conduct, lambda end: 0, self._lockstep.wake)
        self._seats.append(seat)
        seat_manager(manager, seat, folder, streams.stream("controllers/process").getrandbits(60))

    def linger(self) -> bool:
        """Waits, when nothing else goes on, whether a program still does something; tells if it did."""
        return self._lockstep.linger()

    @property
    def attempts(self) -> int:
        """Returns how many scheduling attempts the programs have told of."""
        return sum(seat.conduct.attempts for seat in self._seats)

    def close(self) -> None:
        """Ends the programs and forgets their files."""
        for seat in self._seats:
            seat.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class AttemptCosts:
    """How long the end of a scheduling attempt is on its way, by the latency model; a program thinks in no time.

    Attempts follow one another, so that each waits for those before it. What they decide is not changed by that: a
    scheduler counts a pod as placed as soon as it has decided.
    """

    def __init__(self, clock: Clock, latency: SchedulerLatency, random: random.Random) -> None:
        self._clock = clock
        self._latency = latency
        self._random = random
        self._free: Nanoseconds = 0

    def of(self, end: str) -> Nanoseconds:
        """Returns when an attempt that ends with a binding or a status is to be served, from now."""
        self._free = max(self._clock.now, self._free) + self._draw(self._latency.attempt)
        sent = self._latency.bind if end == BINDING else self._latency.patch
        return self._free - self._clock.now + self._draw(sent)

    def _draw(self, distribution: Distribution) -> Nanoseconds:
        return seconds(distribution.sample(self._random))


def _allow_many_files() -> None:
    """Raises the limit of open files: every request that is under way has a connection of its own."""
    _, most = limits.getrlimit(limits.RLIMIT_NOFILE)
    limits.setrlimit(limits.RLIMIT_NOFILE, (most, most))
