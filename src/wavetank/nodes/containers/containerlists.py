from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.garbage import no_collections
from wavetank.nodes.containers.container import CREATING, INITIALIZING, Container
from wavetank.nodes.containers.plans import PodPlan


class ContainerLists:
    """The containers of one pod by their lists; `initialized` is since when all init containers are done."""

    def __init__(self, plan: PodPlan) -> None:
        with no_collections():
            self.init = [Container(each, INITIALIZING) for each in plan.init]
            self.main = [Container(each, INITIALIZING if plan.init else CREATING) for each in plan.containers]
        self.ephemeral: list[Container] = []
        self.initialized: Nanoseconds | None = None

    def all(self) -> Iterator[Container]:
        """Yields all containers."""
        yield from self.init
        yield from self.main
        yield from self.ephemeral

    @property
    def restarts(self) -> int:
        """Returns how often containers were restarted, all together."""
        return sum(container.restarts for container in (*self.init, *self.main))

    @property
    def is_running(self) -> bool:
        """Tells whether the pod's containers proper have been started."""
        return self.initialized is not None and any(not each.waiting or each.last is not None for each in self.main)

    def _running(self) -> list[Container]:
        return [each for each in self.all() if each.since is not None]

    def _is_done(self, container: Container) -> bool:
        if container.plan.is_sidecar:
            return container.started or (self.initialized is not None)
        return container.has_succeeded

    def _outcome(self, init: Iterable[Container]) -> str:
        """Returns the phase in which the pod ends now, empty if it does not; these init containers may have failed."""
        if self.initialized is None:
            return FAILED if any(each.ended and not each.has_succeeded and not each.timers for each in init) else ""
        if all(each.ended and not each.timers for each in self.main):
            return SUCCEEDED if all(each.has_succeeded for each in self.main) else FAILED
        return ""
