from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import PluginError
from wavetank.scheduling.plugins.defaultpreemption.kernels import VIOLATIONS
from wavetank.scheduling.plugins.defaultpreemption.nodepods import start_of

NO_VICTIMS = "No preemption victims found for incoming pod"


class Candidates(Mapping[str, tuple[Pod, ...]]):
    """Nodes where preemption would help, each with its victims, the most important first.

    `victims` returns them by the number of the node. A row of `harm` is as in `harm_of`.
    """

    def __init__(self, names: Sequence[str], victims: Callable[[int], tuple[Pod, ...]], harm: IntArray) -> None:
        order = np.argsort(harm[:, VIOLATIONS] > 0, kind="stable")  # those that violate no budget come first
        self._numbers = {names[i]: i for i in order.tolist()}
        self._victims = victims
        self._harm = harm

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __getitem__(self, name: str) -> tuple[Pod, ...]:
        return self._victims(self._numbers[name])

    def violations(self, name: str) -> int:
        """Returns how many disruption budgets preemption on a node would violate."""
        return int(self._harm[self._numbers[name], VIOLATIONS])

    def best(self) -> list[str]:
        """Returns the nodes with the least harm, by one criterion after the other until one is left."""
        numbers = np.fromiter(self._numbers.values(), np.int64, len(self))
        names = np.arange(len(self))
        for criterion in self._harm.T:
            harm = criterion[numbers[names]]
            names = names[harm == harm.min()]
        listed = list(self)
        return [listed[i] for i in names.tolist()]


def harm_of(victims: Sequence[Pod], violations: int) -> tuple[int, int, int, int, int]:
    """Returns what makes preemption worse, in the order in which it counts.

    That is violated budgets, the highest priority, the sum of priorities, the number of victims, and how early the
    first of the most important ones has started.
    """
    if not victims:  # an extender may say so
        return violations, 0, 0, 0, 0
    highest = max(pod.priority for pod in victims)
    earliest = min(start_of(pod) for pod in victims if pod.priority == highest)
    return violations, victims[0].priority, sum(pod.priority + 2**31 for pod in victims), len(victims), -earliest


def listed(found: Mapping[str, tuple[Sequence[Pod], int]]) -> Candidates:
    """Returns candidates from victims and violations by node name."""
    victims = [tuple(pods) for pods, _ in found.values()]
    harm = [harm_of(pods, violations) for pods, violations in found.values()]
    return Candidates(list(found), victims.__getitem__, np.array(harm, np.int64).reshape(-1, 5))


@dataclass(slots=True)
class DryRun:
    """The result of a dry run: where preemption would help, why not elsewhere, and where no eviction is needed."""

    candidates: Candidates
    refusals: Counter[str] = field(default_factory=Counter)
    without_victims: list[str] = field(default_factory=list)  # nodes where no pod needs to be evicted

    def raise_errors(self) -> None:
        """Raises what went wrong, if anything did."""
        errors = [f'expected at least one victim pod on node "{name}"' for name in self.without_victims]
        if errors:
            text = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
            raise PluginError(f"preemption: {text}")
