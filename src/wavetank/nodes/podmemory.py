from __future__ import annotations

import msgspec

from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.memory import PodContainersMemory


class PodMemory(msgspec.Struct, omit_defaults=True):
    """What has happened to a pod on its node, as it is kept over a restart of the simulation.

    `starts` are those of its containers; `exits` has, by run, the version from which on they wait for the next.
    `containers` are those that run one by one, None if they run as a whole; `volumes` has the files of its volumes, by
    the volume's name and the path in it.
    """

    ip: str
    bound: Nanoseconds
    starts: list[Nanoseconds] = []
    exits: dict[int, int] = {}
    finished: Nanoseconds | None = None
    containers: PodContainersMemory | None = None
    volumes: dict[str, dict[str, str]] = {}

    @property
    def started(self) -> Nanoseconds | None:
        """Returns when the containers started, None if none has: init containers do so at once."""
        if self.starts:
            return self.starts[-1]
        return None if self.containers is None else self.bound


class NodeMemory(msgspec.Struct, omit_defaults=True):
    """The address of a node, and whether its machine has crashed."""

    address: str = ""
    down: bool = False
