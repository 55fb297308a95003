from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.rules.readiness import running_since
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Client, Document
from wavetank.controllers.framework.ownerindex import OwnerIndex
from wavetank.controllers.framework.queue import FIRST_RETRY, LAST_RETRY, Key, WorkQueue
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds

# Tells of something that happened to an object, for `kubectl describe`: object, Normal or Warning, reason, message,
# and which controller says so.
Tell = Callable[[Resource, str, str, str, str], None]


def _nobody_listens(resource: Resource, type_: str, reason: str, message: str, component: str) -> None:
    """In a run nobody reads Events."""


def _anything(api_version: str, kind: str) -> bool:
    """A run has objects of any kind."""
    return True


@dataclass
class ControllerContext:
    """What all controllers of a cluster work with.

    `ready_since` tells since when a pod is ready, None if it is not; `tell` makes Events of what they report; `render`
    shows an object with all that kubelets say of it; `serves` tells whether there is a kind (apiVersion, name).
    Where nobody outside can look (not `seen`), statuses on which nothing depends need not be kept.
    """

    store: Store
    client: Client
    ready_since: Callable[[Pod], Nanoseconds | None] = running_since
    tell: Tell = _nobody_listens
    render: Callable[[Resource], Document] = Resource.render
    serves: Callable[[str, str], bool] = _anything
    root_certificate: str = ""  # by which pods would know the API server
    seen: bool = True
    _owned: dict[str, OwnerIndex] = field(default_factory=dict, init=False)

    def owned(self, table: str) -> OwnerIndex:
        """Returns the index of a kind's objects by owner, which all controllers share."""
        if table not in self._owned:
            self._owned[table] = OwnerIndex(self.store, table)
        return self._owned[table]

    @property
    def pods(self) -> OwnerIndex:
        """Returns the index of pods by owner."""
        return self.owned(Pod.group_kind)

    @property
    def clock(self) -> Clock:
        """Returns the clock of the cluster."""
        return self.store.clock

    def queue(
        self,
        work: Callable[[Key], None],
        retries: int | None = None,
        first: Nanoseconds = FIRST_RETRY,
        longest: Nanoseconds = LAST_RETRY,
    ) -> WorkQueue:
        """Returns a new queue of work."""
        return WorkQueue(self.clock, work, retries, first, longest)
