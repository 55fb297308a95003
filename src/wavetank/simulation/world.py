from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.releases import Version
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, Attachable, Attached, SchedulerOptions
from wavetank.simulation.creation.submitter import Complete, Submitter
from wavetank.simulation.standstill import StandstillGuard
from wavetank.workloads.workload import Workload, object_arrivals

# Writes of each kind that a client of the API may have missed and still resume its watch.
API_HISTORY = 20_000


class World:
    """One simulated cluster: a clock, a store, seeded randomness and a Kubernetes release.

    Actors are made with `context` and call each other only through the store. Those that are made first are called
    first when an object changes, so the order in which actors are made is part of a result.
    """

    def __init__(self, version: Version, seed: int = 0, store: Store | None = None) -> None:
        self.store = Store(Clock()) if store is None else store
        self.clock = self.store.clock
        self.context = ActorContext(self.store, Streams(seed), version)
        self.schedulers: list[tuple[str, Attached]] = []
        StandstillGuard(self.store)

    def create(self, manifests: Iterable[Manifest]) -> None:
        """Creates objects in the given order."""
        for manifest in manifests:
            self.store.create(parse_resource(manifest, self.store.specs))

    def attach(self, schedulers: Iterable[Attachable], options: SchedulerOptions = DEFAULT_OPTIONS) -> None:
        """Attaches schedulers, in the given order."""
        self.schedulers += [(each.name, each.attach(self.context, options)) for each in schedulers]

    def submit(
        self,
        workload: Workload,
        kinds: frozenset[GroupKind] = frozenset(),
        complete: Complete | None = None,
        finish: Callable[[Resource], Resource] | None = None,
        create: Callable[[Resource], Resource | None] | None = None,
    ) -> Submitter:
        """Submits a workload over time; owners of these kinds are created themselves, other owners as their pods.

        `complete` and `finish` prepare each pod and each other object; by default pods pass admission. `create` may
        create an object in another way.
        """
        arrivals = object_arrivals(workload, self.store.specs, self.context.streams, kinds)
        return Submitter(self.context, arrivals, complete or partial(admit, store=self.store), finish, create)

    def run(self, until: Nanoseconds | None = None) -> None:
        """Runs to an instant, or until nothing can change any more."""
        self.clock.run(until)
