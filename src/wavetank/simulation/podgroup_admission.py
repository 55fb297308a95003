from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class PodGroupAdmission(Protocol):
    """A scheduler that lets jobs in before their pods are made."""

    def not_let_in(self) -> Mapping[str, str]:
        """Returns the jobs without pods that wait outside, with the reason."""


def left_outside(schedulers: Iterable[object]) -> list[str]:
    """Says which jobs no scheduler has let in, and why: they have no pods that could tell."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for scheduler in schedulers:
        if isinstance(scheduler, PodGroupAdmission):
            for name, why in scheduler.not_let_in().items():
                names[why].append(name)
    return [f"{_count(jobs)} never let in ({', '.join(jobs[:3])}): {why}" for why, jobs in names.items()]


def _count(jobs: list[str]) -> str:
    return "1 PodGroup" if len(jobs) == 1 else f"{len(jobs)} PodGroups"
