from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.scheduling.attachable import Attachable

Make = Callable[[str, Version, Mapping[str, Any]], Attachable]


@dataclass(frozen=True)
class NamedScheduler:
    """A scheduler that users pick by name.

    `kind` is what runs it (kube-scheduler, policy, batch, volcano), `formula` says in a line what it prefers, `source`
    where that is written down. `make` is given the name that it has in results, the release and the user's arguments.
    """

    name: str
    kind: str
    formula: str
    source: str
    make: Make
