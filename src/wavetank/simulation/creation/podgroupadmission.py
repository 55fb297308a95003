from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class PodGroupAdmission(Protocol):
    """A scheduler that admits PodGroups before their pods are created."""

    def rejected_groups(self) -> Mapping[str, str]:
        """Returns the PodGroups without pods that were not admitted, with the reason."""


def not_admitted(schedulers: Iterable[object]) -> list[str]:
    """Returns a line for each reason for which PodGroups were not admitted: they have no pods that would show it."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for scheduler in schedulers:
        if isinstance(scheduler, PodGroupAdmission):
            for name, why in scheduler.rejected_groups().items():
                names[why].append(name)
    return [f"{_count(jobs)} never let in ({', '.join(jobs[:3])}): {why}" for why, jobs in names.items()]


def _count(jobs: list[str]) -> str:
    return "1 PodGroup" if len(jobs) == 1 else f"{len(jobs)} PodGroups"
