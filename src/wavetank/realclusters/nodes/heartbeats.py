from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError, NotFoundError
from wavetank.kernel.durations import SECOND
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.nodes.reports.leases import lease_of, micro_time
from wavetank.realclusters.client.client import MERGE_PATCH, STRATEGIC_PATCH
from wavetank.realclusters.client.outbox import Outbox, Request
from wavetank.realclusters.nodes.names import LEASES, NODES

_SLICE = SECOND // 10
_LEASE_SLICES = 100  # a Lease is renewed every 10 s
_STATUS_SLICES = 3000  # a status is reported every 5 minutes, as kubelets do if nothing has changed


class Heartbeats:
    """The Leases and the status reports of simulated nodes, spread evenly over time.

    A node has its turn in one slice of 0.1 s of each period, by its number. Nodes for which `is_down` holds send
    nothing.
    """

    def __init__(
        self, context: ActorContext, reports: KubeletReports, outbox: Outbox, is_down: Callable[[str], bool]
    ) -> None:
        self._store = context.store
        self._clock = context.clock
        self._reports = reports
        self._outbox = outbox
        self._is_down = is_down
        self._slice = 0
        self._turns: list[list[str]] = [[] for _ in range(_LEASE_SLICES)]
        self._numbers: dict[str, int] = {}
        context.store.subscribe(NODE, added=self._added)
        self._clock.after(_SLICE, self._beat, background=True)

    def _added(self, node: Node) -> None:
        if node.name not in self._numbers:  # one that comes back keeps its turn
            number = self._numbers[node.name] = len(self._numbers)
            self._turns[number % _LEASE_SLICES].append(node.name)
        self.begin(node)

    def begin(self, node: Node) -> None:
        """Creates the Lease of a node, and reports that it is ready."""
        lease = Request("POST", LEASES, lease_of(node, self._clock.now))
        self._outbox.put(("lease", node.name), lambda: [lease], urgent=True)
        self.report(node.name)

    def report(self, name: str) -> None:
        """Reports the status of a node."""
        self._outbox.put(("node", name), partial(self._status, name), urgent=True)

    def refused(self, key: Hashable, error: ApiError) -> bool:
        """Tells whether a refused request was expected: a Lease that exists, or a node that was deleted."""
        if isinstance(error, NotFoundError) and isinstance(key, tuple) and key[0] == "lease":
            node = self._store.find(NODE, "", key[1])
            if isinstance(node, Node):
                self._clock.after(_SLICE, partial(self._begin_again, node.name), background=True)
        return isinstance(error, AlreadyExistsError | NotFoundError)

    def _begin_again(self, name: str) -> None:
        node = self._store.find(NODE, "", name)
        if isinstance(node, Node) and not self._is_down(name):
            self.begin(node)

    def _beat(self) -> None:
        self._slice += 1
        for name in self._turns[self._slice % _LEASE_SLICES]:
            if self._is_down(name) or self._store.find(NODE, "", name) is None:
                continue
            self._outbox.put(("lease", name), partial(self._renewal, name), urgent=True)
            if (self._numbers[name] - self._slice) % _STATUS_SLICES == 0:
                self.report(name)
        self._clock.after(_SLICE, self._beat, background=True)

    def _renewal(self, name: str) -> list[Request]:
        body = {"spec": {"renewTime": micro_time(self._clock.now)}}
        return [Request("PATCH", f"{LEASES}/{name}", body, MERGE_PATCH)]

    def _status(self, name: str) -> list[Request]:
        node = self._store.find(NODE, "", name)
        if not isinstance(node, Node) or self._is_down(name):
            return []
        status = node_status(self._reports, node, render_time(self._clock.now))
        return [Request("PATCH", f"{NODES}/{name}/status", {"status": status}, STRATEGIC_PATCH)]


def node_status(reports: KubeletReports, node: Node, now: str) -> dict[str, Any]:
    """Returns the status of a healthy node, as its kubelet reports it at a time."""
    status: dict[str, Any] = reports.render(_healthy(node))["status"]
    before = {each["type"]: each for each in (node.manifest.get("status") or {}).get("conditions") or ()}
    conditions = [_stamped(each, before.get(each["type"]), now) for each in status["conditions"]]
    return {**status, "conditions": conditions}


def _stamped(condition: dict[str, Any], before: dict[str, Any] | None, now: str) -> dict[str, Any]:
    is_same = before is not None and before.get("status") == condition["status"]
    since = (before or {}).get("lastTransitionTime") if is_same else now
    return {**condition, "lastHeartbeatTime": now, "lastTransitionTime": since or now}


def _healthy(node: Node) -> Node:
    """Returns a node without the conditions that a controller may have set while its kubelet was silent."""
    new = node.copy()
    status = node.manifest.get("status") or {}
    new.manifest = {**node.manifest, "status": {**status, "conditions": []}}
    new.ready = True
    return new
