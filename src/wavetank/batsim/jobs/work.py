"""The work of a step as demands on cores and links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wavetank.batsim.jobs.profiles import STORAGE, Step
from wavetank.batsim.platform.machine import Machine
from wavetank.batsim.platform.platform import Platform
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.network.link import Link, latency_of


class Work:
    """What a step asks of each link, in bytes or flops; a machine's cores are links as well.

    Several ranks may be on one machine: together they have all its cores, each has one at most. `alone` is how many
    seconds it takes if nothing else runs, `latency` what passes before the first byte arrives.
    """

    def __init__(self, amounts: Mapping[Link, float], latency: Nanoseconds, flops: Mapping[Machine, float]) -> None:
        self.alone = max((amount / link.bandwidth for link, amount in amounts.items()), default=0.0)
        self.latency = latency
        # one unit of progress is a second of running alone, so that tasks share a machine or a link equally
        self.demands = {link: amount / self.alone for link, amount in amounts.items()} if self.alone else {}
        self._flops = flops

    def loads(self, rate: float) -> dict[Machine, float]:
        """Returns the share of each machine's cores that computes while it progresses at `rate` (1: alone)."""
        if not self.alone:
            return dict.fromkeys(self._flops, 0.0)
        return {
            machine: flops * rate / (self.alone * machine.speed * machine.cores)
            for machine, flops in self._flops.items()
        }


class WorkPlanner:
    """Turns steps into work on the machines of a platform."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._cores: dict[tuple[int, int], tuple[Link, ...]] = {}  # by machine and power state

    def work(self, parts: Iterable[tuple[Step, Sequence[Machine]]], storages: Mapping[str, int]) -> Work:
        """Returns the work of steps that go on together, each with the machines of its ranks.

        InputError if one needs links that are not there.
        """
        amounts: defaultdict[Link, float] = defaultdict(float)
        flops: defaultdict[Machine, float] = defaultdict(float)
        latency = 0
        for step, hosts in parts:
            self._add_flops(amounts, flops, step, hosts)
            latency = max(latency, self._add_transfers(amounts, step, hosts, storages))
        return Work(amounts, latency, flops)

    def _add_flops(
        self,
        amounts: defaultdict[Link, float],
        flops: defaultdict[Machine, float],
        step: Step,
        hosts: Sequence[Machine],
    ) -> None:
        for machine, amount in zip(hosts, step.flops, strict=False):
            flops[machine] += amount
            if amount:
                together, *one = self._links_of(machine)
                amounts[together] += amount
                for core in one:
                    amounts[core] = max(amounts[core], amount)

    def _links_of(self, machine: Machine) -> tuple[Link, ...]:
        """Returns all cores of a machine and, if it has several, a bound of one core for each task."""
        key = machine.number, machine.pstate
        if key not in self._cores:
            together = Link(machine.name, machine.speed * machine.cores)
            one = (Link(machine.name, machine.speed, shared=False),) if machine.cores > 1 else ()
            self._cores[key] = (together, *one)
        return self._cores[key]

    def _add_transfers(
        self, amounts: defaultdict[Link, float], step: Step, hosts: Sequence[Machine], storages: Mapping[str, int]
    ) -> Nanoseconds:
        """Adds what is sent over links; returns the longest latency of a route."""
        latency = 0
        ends = [self._storage(label, storages) for label in step.storages]
        for source, target, size in step.transfers:
            first = ends[0] if source == STORAGE else hosts[source]
            last = ends[-1] if target == STORAGE else hosts[target]
            for link in (route := self._route(first, last, step.profile)):
                amounts[link] += size
            latency = max(latency, latency_of(route))
        return latency

    def _route(self, source: Machine, target: Machine, profile: str) -> Sequence[Link]:
        if source is target:
            return ()
        routes = self._platform.routes
        if routes is None:
            problem = "communication needs links, which the platform does not have"
            raise InputError(problem, path=f"profiles.{profile}")
        found = routes.between(source.name, target.name)
        if found is None:
            raise InputError(
                f"the platform has no route from {source.name} to {target.name}", path=f"profiles.{profile}"
            )
        return found

    def _storage(self, label: str, mapping: Mapping[str, int]) -> Machine:
        number = mapping.get(label)
        for storage in self._platform.storages:
            if storage.number == number or (number is None and storage.name == label):
                return storage
        raise InputError(f"there is no storage {label!r:.60}: name it in storage_mapping")
