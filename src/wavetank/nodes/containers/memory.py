"""What containers that run one by one have done, as it is kept over a restart of the simulation."""

from __future__ import annotations

import msgspec

from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.plans import ContainerRun, Terminated


class ContainerMemory(msgspec.Struct, omit_defaults=True, frozen=True):
    """A container: what it waits for, since when it runs, its last two ends, the newest first.

    `run` is its newest run, None if it has never started; `probed` is when the probes of that run began. `delay` is the
    back-off of its next restart but one, `due` when it is started, or tried, again.
    """

    name: str
    waiting: str = ""
    why: str = ""
    run: ContainerRun | None = None
    since: Nanoseconds | None = None
    ended: Terminated | None = None
    last: Terminated | None = None
    restarts: int = 0
    ready: bool = False
    started: bool = False
    probed: Nanoseconds | None = None
    delay: Nanoseconds = 0
    due: Nanoseconds | None = None


class PodContainersMemory(msgspec.Struct, omit_defaults=True, frozen=True):
    """The containers of a pod; `initialized` is since when it is, `changed` when `ready` became what it is."""

    init: tuple[ContainerMemory, ...] = ()
    main: tuple[ContainerMemory, ...] = ()
    ephemeral: tuple[ContainerMemory, ...] = ()
    initialized: Nanoseconds | None = None
    ready: bool = False
    changed: Nanoseconds = 0

    def by_name(self) -> dict[str, ContainerMemory]:
        """Returns the containers by their names."""
        return {each.name: each for each in (*self.init, *self.main, *self.ephemeral)}
