"""The methods of disruption, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import ClassVar

from wavetank.controllers.karpenter.budgets import EMPTY, UNDERUTILIZED
from wavetank.controllers.karpenter.disruption.candidates import (
    Candidate,
    CandidateFinder,
    same_nodes,
    within_budgets,
)
from wavetank.controllers.karpenter.disruption.consolidation import Command, Consolidator
from wavetank.controllers.karpenter.nodepools import WHEN_UNDERUTILIZED
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds

_MOST_AT_ONCE = 100  # nodes that one command considers


class Method:
    """A way to find nodes that need not be there. What found nothing is not tried again until something changes."""

    reason: ClassVar[str]

    def __init__(self, clock: Clock, state: ClusterState, finder: CandidateFinder, consolidator: Consolidator) -> None:
        self._clock = clock
        self._state = state
        self._finder = finder
        self._consolidator = consolidator
        self._consolidated: Nanoseconds = -1
        self._fruitless: object = None  # state, candidates and budgets for which nothing was found

    def plan(self) -> Command | None:
        """Returns what could be done now."""
        state = self._state.consolidation_state()
        if self._consolidated == state:
            return None
        candidates = self._finder.find(self.accepts)
        if not candidates:
            return None
        budgets = self._finder.budgets(self.reason)
        situation = (state, [each.name for each in candidates], budgets)
        if situation == self._fruitless:
            return None
        command = self.compute(candidates, budgets)
        if command is None:
            self._fruitless = situation
            if not self.is_limited(candidates, budgets):
                self._consolidated = state
        return command

    def validate(self, command: Command) -> Command | None:
        """Returns what is still right of a command some time later; None if nothing is."""
        present = same_nodes(command.candidates, self._finder.find(self.accepts))
        allowed = within_budgets(present, self._finder.budgets(self.reason))
        if len(allowed) != len(command.candidates) or not self._consolidator.still_holds(command, allowed):
            return None
        return command

    def accepts(self, node: ManagedNode, is_empty: bool) -> bool:
        """Returns whether the method is for a node; `is_empty`: no pod on it would need another."""
        allowed = node.pool.consolidation_policy == WHEN_UNDERUTILIZED
        return allowed and node.is_consolidatable(self._clock.now)

    def is_limited(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> bool:
        """Returns whether budgets leave out candidates, so that it is worth while to try again."""
        return len(within_budgets(candidates, budgets)) < len(candidates)

    def compute(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> Command | None:
        """Returns the command for the candidates, given how many of each pool may be disrupted."""
        raise NotImplementedError


class Emptiness(Method):
    """Deletes nodes without pods that would need another node, under both policies."""

    reason = EMPTY

    def accepts(self, node: ManagedNode, is_empty: bool) -> bool:
        """Accepts empty nodes."""
        return is_empty and node.is_consolidatable(self._clock.now)

    def compute(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> Command | None:
        """Returns all that the budgets allow."""
        allowed = within_budgets(candidates, budgets)
        return Command(self.reason, tuple(allowed)) if allowed else None

    def validate(self, command: Command) -> Command | None:
        """Keeps the nodes that are still empty."""
        present = same_nodes(command.candidates, self._finder.find(self.accepts))
        return self.compute(present, self._finder.budgets(self.reason))


class MultiNodeConsolidation(Method):
    """Deletes as many nodes at once as possible, the cheapest to disrupt, in exchange for at most one new node."""

    reason = UNDERUTILIZED

    def compute(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> Command | None:
        """Finds the largest number of the first candidates that can go together, by bisection."""
        allowed = within_budgets([each for each in candidates if each.pods], budgets)
        best: Command | None = None
        least, most = 1, min(len(allowed) - 1, _MOST_AT_ONCE)
        while least <= most:
            middle = (least + most) // 2
            command = self._consolidator.compute(self.reason, allowed[: middle + 1])
            if command is not None and self._consolidator.is_sensible(command):
                best, least = command, middle + 1
            else:
                most = middle - 1
        return best


class SingleNodeConsolidation(Method):
    """Deletes one node, or replaces it by a cheaper one."""

    reason = UNDERUTILIZED

    def is_limited(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> bool:
        """Returns whether a pool of a candidate allows no disruption."""
        return any(not budgets.get(each.pool.name, 0) for each in candidates)

    def compute(self, candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> Command | None:
        """Returns the first command that is possible; the pools take turns."""
        pools: dict[str, list[Candidate]] = {}
        for each in candidates:
            pools.setdefault(each.pool.name, []).append(each)
        turns = chain.from_iterable(zip_longest(*(pools[name] for name in sorted(pools))))
        for candidate in turns:
            if candidate is None or not candidate.pods or not budgets.get(candidate.pool.name, 0):
                continue
            command = self._consolidator.compute(self.reason, [candidate])
            if command is not None:
                return command
        return None
