from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.rules.readiness import running_since
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.certificates import Certificates
from wavetank.controllers.framework.client import Client, Document
from wavetank.controllers.framework.metricsclient import MetricsClient, NoMetrics
from wavetank.controllers.framework.ownerindex import OwnerIndex
from wavetank.controllers.framework.queue import FIRST_RETRY, LAST_RETRY, Key, WorkQueue
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds

T = TypeVar("T")

# Records an Event about an object: the object, its type (Normal or Warning), reason, message, and the component that
# reports it.
EventRecorder = Callable[[Resource, str, str, str, str], None]


def _record_nothing(resource: Resource, type_: str, reason: str, message: str, component: str) -> None:
    """A run has no Events."""


def _no_warnings(spec: Document) -> list[Document]:
    return []


def _serves_everything(api_version: str, kind: str) -> bool:
    """A run has objects of any kind."""
    return True


class Beside(Protocol):
    """Runs a function without side effects that reads a document; of a large one without keeping others waiting."""

    def __call__(self, function: Callable[[], T], document: Mapping[str, object]) -> T:
        """Returns the function's result."""
        ...


def _run_here(function: Callable[[], T], document: Mapping[str, object]) -> T:
    """Nothing waits in a run."""
    return function()


@dataclass
class ControllerContext:
    """What all controllers of a cluster share.

    `ready_since` returns since when a pod is ready, None if it is not; `record_event` writes an Event; `render` returns
    an object with all that kubelets report about it; `serves` tells whether a kind (apiVersion, name) exists. If no
    program outside can read the objects (not `observed`), statuses on which nothing depends are not written. `metrics`
    are the metrics APIs, `flags` those of kube-controller-manager that controllers read, by name without dashes.
    `beside` is for work on a template, which may have thousands of containers.
    """

    store: Store
    client: Client
    ready_since: Callable[[Pod], Nanoseconds | None] = running_since
    record_event: EventRecorder = _record_nothing
    render: Callable[[Resource], Document] = Resource.render
    serves: Callable[[str, str], bool] = _serves_everything
    root_certificate: str = ""  # of the API server, for pods
    certificates: Certificates | None = None  # None: no certificates are signed
    observed: bool = True
    metrics: MetricsClient = field(default_factory=NoMetrics)
    policy_warnings: Callable[[Document], list[Document]] = _no_warnings  # about expressions of admission policies
    flags: Mapping[str, object] = field(default_factory=dict)
    beside: Beside = _run_here
    _owned: dict[str, OwnerIndex] = field(default_factory=dict, init=False)

    def owned(self, group_kind: str) -> OwnerIndex:
        """Returns the index by owner of a kind, which all controllers share."""
        if group_kind not in self._owned:
            self._owned[group_kind] = OwnerIndex(self.store, group_kind)
        return self._owned[group_kind]

    @property
    def pods(self) -> OwnerIndex:
        """Returns the index of pods by owner."""
        return self.owned(Pod.group_kind)

    def is_present(self, resource: Resource) -> bool:
        """Tells whether an object exists, and not only another one of its name: it may be deleted during a sync."""
        present = self.store.find(resource.group_kind, *resource.key)
        return present is not None and present.uid == resource.uid

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
        """Returns a new work queue."""
        return WorkQueue(self.clock, work, retries, first, longest)
