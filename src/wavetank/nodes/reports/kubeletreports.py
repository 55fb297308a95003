from __future__ import annotations

import ipaddress
from collections import deque
from threading import Lock
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.rules.readiness import whole_second
from wavetank.kernel.discards import discard_large
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.reports import PodReport
from wavetank.nodes.podmemory import PodMemory
from wavetank.nodes.reports.nodestatus import complete_node
from wavetank.nodes.reports.podhistory import PodHistory, container_log
from wavetank.nodes.reports.podstatus import (
    complete_status,
    containers_ready_since,
    differs,
    gates_open_since,
    observe_unscheduled,
)

# Of deleted pods, since clients may still read older versions:
_KEPT_HISTORIES = 4096
_KEPT_CONTAINERS = 100_000  # in the reports of all of them
_MANY = 1000  # containers in the reports of one, which is freed in pieces
_OF_A_LARGE_POD = 25_000  # containers that the history of a very large pod counts for, beside those in its reports

_KEPT_REPORTS = 64  # of each pod

_PODS = int(ipaddress.ip_address("10.128.0.0"))
_NODES = int(ipaddress.ip_address("172.16.0.0"))
_MOST_NODES = 1 << 20  # addresses of 172.16.0.0/12


class KubeletReports:
    """Completes pods and nodes with what their kubelets would have reported.

    Objects in the store stay small: container statuses, addresses and conditions are added when an object is rendered.
    Attach it before anything that renders objects. `version` is that of the kubelets: v1.35.8.
    """

    def __init__(self, context: ActorContext, version: str) -> None:
        self._store = store = context.store
        self._clock = context.clock
        self._version = version
        self._histories: dict[str, PodHistory] = {}
        self._lock = Lock()  # a large pod may be rendered in a thread before its event has arrived here
        self._gone: deque[tuple[str, int]] = deque()  # with how many containers they count for
        self._gone_containers = 0
        self._hosts: dict[str, str] = {}
        self._known_hosts = 0  # nodes that ever were
        self._next_address = 1
        # a node that comes back keeps its address, so deletions change nothing
        store.subscribe(NODE, added=self.node_seen, modified=lambda _, new: self.node_seen(new))
        store.subscribe(POD, added=self.pod_seen, modified=lambda _, new: self.pod_seen(new), deleted=self.pod_gone)

    def render(self, resource: Resource) -> dict[str, Any]:
        """Returns an object as Kubernetes JSON, pods and nodes with what their kubelets report."""
        document = resource.render()
        if isinstance(resource, Pod):
            history = self._history_of(resource)
            if history is not None and resource.node_name:
                complete_status(document, resource, history, self._hosts.get(resource.node_name, ""))
            elif not resource.node_name:
                observe_unscheduled(document)
        elif isinstance(resource, Node):
            complete_node(document, resource, self._hosts.get(resource.name, ""), self._version)
        return document

    def ready_since(self, pod: Pod) -> Nanoseconds | None:
        """Returns since when a pod is ready, in this version and in whole seconds; None if it is not."""
        history = self._history_of(pod) if pod.phase == RUNNING and pod.node_name else None
        since = None if history is None else containers_ready_since(pod, history)
        if since is None or "readinessGates" not in pod.spec.manifest:
            return None if since is None else whole_second(since)
        return gates_open_since(pod, whole_second(since))

    def log(self, pod: Pod, container: str, previous: bool = False) -> list[tuple[Nanoseconds, str]]:
        """Returns the log of a container: virtual times and lines; none if it has not started."""
        history = self._history_of(pod)
        kinds = ("initContainers", "containers", "ephemeralContainers")
        given = [each for kind in kinds for each in pod.spec.manifest.get(kind) or ()]
        named = next((each for each in given if each.get("name") == container), {"name": container, "image": ""})
        return container_log(history, pod, named, self._clock.now, previous) if history else []

    def exited(self, pod: Pod, version: int) -> None:
        """Records that a pod's containers have ended and wait to be restarted, from a resource version on."""
        history = self._history_of(pod)
        if history is not None:
            history.exits[pod.restarts] = version

    def resume(self, pod: Pod, ip: str, bound: Nanoseconds, started: Nanoseconds) -> None:
        """Records what an earlier kubelet reported of a running pod, before that is created in the store."""
        history = self._histories[pod.uid] = PodHistory(bound, ip)
        history.starts = [started] * (pod.restarts + 1)

    def restores(self, old: Pod, new: Pod) -> bool:
        """Tells whether a client has written conditions of the kubelet's that differ from what it reports.

        That version then shows what was written.
        """
        conditions = (new.manifest.get("status") or {}).get("conditions")
        if not conditions or not new.node_name or conditions is (old.manifest.get("status") or {}).get("conditions"):
            return False
        history = self._history_of(new)
        if history is None or not differs(conditions, new, history):
            return False
        history.stated.append(new.resource_version)
        return True

    def has_report(self, pod: Pod) -> bool:
        """Tells whether the containers of a pod are reported one by one."""
        history = self._histories.get(pod.uid)
        return history is not None and bool(history.reports)

    def report(self, pod: Pod, version: int, report: PodReport) -> None:
        """Takes the state of a pod's containers, from a resource version on."""
        history = self._history_of(pod)
        if history is not None:
            history.reports.append((version, report))
            del history.reports[:-_KEPT_REPORTS]

    def _history_of(self, pod: Pod) -> PodHistory | None:
        """Returns the history of a pod, up to this version: its event may not have arrived here yet."""
        history = self._histories.get(pod.uid)
        if history is None or pod.resource_version > history.version:
            present = self._store.find(POD, pod.namespace, pod.name)
            if present is not None and present.uid == pod.uid:
                self.pod_seen(pod)
        return self._histories.get(pod.uid)

    # going on after a restart of the simulation

    def memory_of(self, pod: Pod) -> PodMemory | None:
        """Returns what has happened to a pod, None if it is not bound."""
        history = self._history_of(pod)
        if history is None:
            return None
        containers = history.reports[-1][1].memory() if history.reports else None
        return PodMemory(history.ip, history.bound, history.starts, history.exits, history.finished, containers)

    def address_of(self, node_name: str) -> str:
        """Returns the address of a node; empty if it is not known."""
        return self._hosts.get(node_name, "")

    def resume_node(self, node: Node, address: str) -> None:
        """Gives a node its address again."""
        if address:
            self._hosts[node.name] = address
            number = int(ipaddress.ip_address(address)) - _NODES
            self._known_hosts = max(self._known_hosts, number if 0 < number < _MOST_NODES else 0)
        self.node_seen(node)

    def resume_pod(self, pod: Pod, past: PodMemory) -> None:
        """Goes on with the history of a pod."""
        history = self._histories[pod.uid] = PodHistory(past.bound, past.ip)
        history.starts, history.exits, history.finished = list(past.starts), dict(past.exits), past.finished
        history.version = pod.resource_version
        number = int(ipaddress.ip_address(past.ip)) - _PODS
        self._next_address = max(self._next_address, number + 1)

    # events

    def node_seen(self, node: Node) -> None:
        """Records a node's address, or assigns one."""
        stated, is_new = _stated_address(node), node.name not in self._hosts
        self._known_hosts += is_new
        if stated:
            self._hosts[node.name] = stated
        elif is_new:
            self._hosts[node.name] = _address(_NODES, self._known_hosts)

    def pod_seen(self, pod: Pod) -> None:
        """Records what has happened to a pod."""
        if not pod.node_name:
            return
        with self._lock:
            history = self._histories.get(pod.uid)
            if history is None:
                history = self._histories[pod.uid] = PodHistory(self._clock.now, _address(_PODS, self._next_address))
                self._next_address += 1
            if pod.resource_version > history.version:
                history.note(pod, self._clock.now)

    def pod_gone(self, pod: Pod) -> None:
        """Keeps the history of a deleted pod for a while."""
        history = self._histories.get(pod.uid)
        if history is None:
            return
        containers = history.size + _OF_A_LARGE_POD * pod.spec.is_large
        self._gone.append((pod.uid, containers))
        self._gone_containers += containers
        while len(self._gone) > _KEPT_HISTORIES or (self._gone_containers > _KEPT_CONTAINERS and len(self._gone) > 1):
            uid, containers = self._gone.popleft()
            self._gone_containers -= containers
            gone = self._histories.pop(uid, None)
            if containers > _MANY:
                discard_large(gone)


def _address(network: int, number: int) -> str:
    return str(ipaddress.ip_address(network + number))


def _stated_address(node: Node) -> str:
    """Returns the address in a node's own status, if there is one."""
    addresses = (node.manifest.get("status") or {}).get("addresses") or ()
    return next((str(each.get("address")) for each in addresses if each.get("type") == "InternalIP"), "")
