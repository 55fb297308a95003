"""Which instance gets a request."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from wavetank.microservices.model.rules import Rules

if TYPE_CHECKING:
    from wavetank.microservices.engine.instance import Instance


class LoadBalancer(Protocol):
    """Chooses among instances."""

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns one of the running instances (by number), or None if it finds none."""


class RandomBalancer:
    """Any instance, all with the same probability."""

    def __init__(self, random: random.Random, rules: Rules) -> None:
        self._random = random

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns any instance."""
        return running[int(self._random.random() * len(running))] if running else None


class RoundRobin:
    """One after the other; new instances come first, the latest before all.

    In misim-orchestration new pods come in the order of a hash set: by chance.
    """

    def __init__(self, random: random.Random, rules: Rules) -> None:
        self._ring: deque[Instance] = deque()
        self._known: set[Instance] = set()
        self._random = random
        self._by_chance = rules.hash_ordered_pods

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns the next running instance of the ring."""
        new = [instance for instance in running if instance not in self._known]
        if new and new[0].node and self._by_chance:
            self._random.shuffle(new)
        self._ring.extendleft(new)
        self._known.update(new)
        while self._ring:
            instance = self._ring.popleft()
            if instance.is_running:
                self._ring.append(instance)
                return instance
            self._known.discard(instance)
        return None


class FastRoundRobin:
    """One after the other by number; new instances are seen when the round is over."""

    def __init__(self, random: random.Random, rules: Rules) -> None:
        self._round: Iterator[Instance] = iter(())

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns the next running instance of the round."""
        following = next(self._round, None)
        if following is None:
            self._round = iter(list(running))
            following = next(self._round, None)
        while following is not None and not following.is_running:
            following = next(self._round, None)
        return following


class EvenBalancer:
    """The instance with the fewest requests so far, then the lowest number.

    In misim-orchestration the order of a hash set decides among equal pods: chance.
    """

    def __init__(self, random: random.Random, rules: Rules) -> None:
        self._random = random
        self._by_chance = rules.hash_ordered_pods
        self._counts: dict[Instance, int] = {}
        self._keeps_dead = rules.even_keeps_dead_instances
        self._never_counts = rules.even_never_counts

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns the instance with the fewest requests since the instances changed."""
        is_old = len(self._counts) != len(running)
        if is_old or (not self._keeps_dead and self._counts.keys() != set(running)):
            self._counts = dict.fromkeys(self._ordered(running), 0)
        if not self._counts:
            return None
        instance = min(self._counts, key=self._counts.__getitem__)
        if not (self._never_counts and instance.node):
            self._counts[instance] += 1
        return instance

    def _ordered(self, running: list[Instance]) -> list[Instance]:
        by_chance = self._by_chance and bool(running) and bool(running[0].node)
        return self._random.sample(running, len(running)) if by_chance else running


class LeastBacklog:
    """The instance with the least remaining work; any of them if several have the least."""

    def __init__(self, random: random.Random, rules: Rules) -> None:
        self._random = random

    def choose(self, running: list[Instance]) -> Instance | None:
        """Returns the least busy instance."""
        if not running:
            return None
        backlogs = [instance.cpu.backlog() for instance in running]
        least = min(backlogs)
        return self._random.choice([each for each, backlog in zip(running, backlogs, strict=True) if backlog == least])


BALANCERS: dict[str, Callable[[random.Random, Rules], LoadBalancer]] = {
    "random": RandomBalancer,
    "round-robin": RoundRobin,
    "round-robin-fast": FastRoundRobin,
    "even": EvenBalancer,
    "util": LeastBacklog,
}
