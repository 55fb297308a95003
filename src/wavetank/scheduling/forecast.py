from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from wavetank.cluster.objects.pod import Pod


@dataclass(frozen=True)
class Forecast:
    """What is known of a run before it starts, for policies with a method `expect`.

    `pods` are those that will arrive, or a sample of them; `nodes` are names in the order in which equal nodes should
    be taken, empty if any order will do.
    """

    pods: Callable[[], Iterable[Pod]]
    nodes: Sequence[str] = ()
