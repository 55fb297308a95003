from __future__ import annotations

import msgspec

from wavetank.kernel.durations import Nanoseconds


class PodMemory(msgspec.Struct, omit_defaults=True):
    """What has happened to a pod on its node, as it is kept over a restart of the simulation.

    `starts` are those of its containers; `exits` has, by run, the version from which on they wait for the next.
    """

    ip: str
    bound: Nanoseconds
    starts: list[Nanoseconds] = []
    exits: dict[int, int] = {}
    finished: Nanoseconds | None = None


class NodeMemory(msgspec.Struct, omit_defaults=True):
    """The address of a node, and whether its machine has crashed."""

    address: str = ""
    down: bool = False
