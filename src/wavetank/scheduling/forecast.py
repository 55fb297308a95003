from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from wavetank.cluster.objects.pod import Pod


@dataclass(frozen=True)
class Forecast:
    """What is known of a run before it begins, for policies that want to know (by a method `expect`).

    `pods` are those that will come, or such as they are like; `nodes` are names in the order in which those that are
    equal should be taken, empty if any order will do.
    """

    pods: Callable[[], Iterable[Pod]]
    nodes: Sequence[str] = ()
