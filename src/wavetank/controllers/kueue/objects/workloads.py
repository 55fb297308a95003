from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.objects.kueue import EVICTED, QUOTA_RESERVED
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.cluster.objects.resource import Resource, parse_time
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.quota.amounts import Quantities
from wavetank.controllers.kueue.topology.requests import (
    DomainUsage,
    TopologyRequest,
    limit_of,
    read_placement,
    read_request,
)
from wavetank.kernel.durations import SECOND


class PodSet:
    """Pods of a workload with one template; `requests` are those of all of them, `flavors` by resource if assigned."""

    __slots__ = ("count", "flavors", "min_count", "name", "requests", "spec")

    def __init__(
        self,
        name: str,
        spec: PodSpec,
        count: int,
        min_count: int | None,
        requests: Mapping[str, int],
        flavors: Mapping[str, str],
    ) -> None:
        self.name = name
        self.spec = spec
        self.count = count
        self.min_count = min_count
        self.requests = requests
        self.flavors = flavors

    def scaled(self, count: int) -> PodSet:
        """Returns so many of the pods."""
        if not self.count or count == self.count:
            return self
        requests = {name: amount // self.count * count for name, amount in self.requests.items()}
        return PodSet(self.name, self.spec, count, self.min_count, requests, self.flavors)


class LastAssignment:
    """The flavors that the last attempt has tried: by pod set and resource the last index, -1 for all of them."""

    __slots__ = ("generation", "tried")

    def __init__(self, tried: Sequence[Mapping[str, int]], generation: int) -> None:
        self.tried = tried
        self.generation = generation

    @property
    def has_more(self) -> bool:
        """Tells whether some flavors have not been tried."""
        return any(index != -1 for each in self.tried for index in each.values())

    def next_for(self, pod_set: int, resource: str) -> int:
        """Returns the index of the flavor to begin with."""
        return self.tried[pod_set].get(resource, -1) + 1 if pod_set < len(self.tried) else 0


class WorkloadInfo:
    """A Workload as queues and the scheduler see it: of one version of the object.

    `usage` is what it holds, if it has quota, and `domains` what it occupies of topologies. Times are in seconds, as in
    the objects.
    """

    __slots__ = (
        "cluster_queue",
        "domains",
        "evicted",
        "key",
        "last",
        "order_s",
        "pod_sets",
        "priority",
        "queue",
        "requeue_at_s",
        "reserved_s",
        "resource",
        "said",
        "usage",
        "waits",
    )

    def __init__(self, resource: Resource, specs: SpecTable) -> None:
        spec: Mapping[str, Any] = resource.manifest["spec"]
        view = WorkloadStatus(resource, 0)
        status = view.status
        self.resource = resource
        self.key: Key = resource.key
        self.queue = str(spec.get("queueName") or "")
        self.priority = int(spec.get("priority") or 0)
        self.last: LastAssignment | None = None
        self.said: object = None  # the reasons of the last attempt, as they were reported
        admission = status.get("admission")
        self.cluster_queue = str(admission["clusterQueue"]) if admission else ""
        self.pod_sets = _from_admission(spec, status, specs) if admission else _from_spec(spec, status, specs)
        self.usage = _usage(self.pod_sets)
        self.domains = tuple(_domains(admission)) if admission else ()
        self.evicted = view.is_true(EVICTED)
        self.order_s = resource.created // SECOND
        evicted = view.get(EVICTED)
        if evicted is not None and self.evicted and evicted["reason"] in ("PodsReadyTimeout", "AdmissionCheck"):
            self.order_s = _seconds(evicted["lastTransitionTime"])
        reserved = view.get(QUOTA_RESERVED)
        has_quota = reserved is not None and reserved["status"] == "True"
        self.reserved_s = _seconds(reserved["lastTransitionTime"]) if has_quota and reserved is not None else None
        requeue = (status.get("requeueState") or {}).get("requeueAt")
        self.requeue_at_s = _seconds(requeue) if requeue else None
        self.waits = (view.get("Requeued") or {}).get("status") == "False"

    @property
    def can_shrink(self) -> bool:
        """Tells whether fewer pods than asked for may be admitted."""
        return any(each.min_count is not None and each.min_count < each.count for each in self.pod_sets)

    @property
    def topologies(self) -> tuple[TopologyRequest | None, ...]:
        """Returns for each pod set how near to each other its pods ask to be (topology-aware scheduling)."""
        return tuple(read_request(each) for each in self._documents)

    @property
    def topology_limit(self) -> str:
        """Returns why the pods cannot be placed in domains, if that is not modelled."""
        return limit_of(self._documents)

    @property
    def _documents(self) -> Sequence[Mapping[str, Any]]:
        return self.resource.manifest["spec"].get("podSets") or ()

    def uses(self, frs: set[tuple[str, str]]) -> bool:
        """Tells whether the workload holds any of these."""
        return any((flavor, name) in frs for each in self.pod_sets for name, flavor in each.flavors.items())


def local_queue_of(resource: Resource) -> Key:
    """Returns the LocalQueue of a workload: its namespace and spec.queueName, which may be empty."""
    return resource.namespace, str((resource.manifest.get("spec") or {}).get("queueName") or "")


def is_active(resource: Resource) -> bool:
    """Tells whether a workload is active (spec.active)."""
    return (resource.manifest.get("spec") or {}).get("active") is not False


def _seconds(text: str) -> int:
    return (parse_time(text, "status") or 0) // SECOND


def _usage(pod_sets: Sequence[PodSet]) -> Quantities:
    usage: Quantities = {}
    for each in pod_sets:
        for name, amount in each.requests.items():
            flavor = each.flavors.get(name)
            if flavor is not None:
                usage[flavor, name] = usage.get((flavor, name), 0) + amount
    return usage


def _domains(admission: Mapping[str, Any]) -> Iterator[DomainUsage]:
    """Yields what the pods of an admission occupy; those that have finished still count."""
    for each in admission.get("podSetAssignments") or ():
        placed = each.get("topologyAssignment")
        if not placed:
            continue
        count = int(each.get("count") or 1)
        requests = {name: amount // count for name, amount in parse_amounts(each.get("resourceUsage")).items()}
        for flavor in dict.fromkeys((each.get("flavors") or {}).values()):
            for domain in read_placement(placed).domains:
                yield DomainUsage(flavor, domain.values, requests, domain.pods)


def _reclaimed(status: Mapping[str, Any]) -> dict[str, int]:
    return {each["name"]: int(each["count"]) for each in status.get("reclaimablePods") or ()}


def _from_spec(spec: Mapping[str, Any], status: Mapping[str, Any], specs: SpecTable) -> list[PodSet]:
    reclaimed = _reclaimed(status)
    found: list[PodSet] = []
    for each in spec.get("podSets") or ():
        compiled = specs.intern(each["template"]["spec"])
        count = int(each["count"]) - reclaimed.get(each["name"], 0)
        requests = {name: amount * count for name, amount in compiled.requests.items()}
        found.append(PodSet(each["name"], compiled, count, each.get("minCount"), requests, {}))
    return found


def _from_admission(spec: Mapping[str, Any], status: Mapping[str, Any], specs: SpecTable) -> list[PodSet]:
    reclaimed = _reclaimed(status)
    wanted = {each["name"]: each for each in spec.get("podSets") or ()}
    found: list[PodSet] = []
    for each in status["admission"].get("podSetAssignments") or ():
        given = wanted[each["name"]]
        total, left = int(given["count"]), int(given["count"]) - reclaimed.get(each["name"], 0)
        count = int(each.get("count", total))
        requests = parse_amounts(each.get("resourceUsage"))
        compiled = specs.intern(given["template"]["spec"])
        pod_set = PodSet(each["name"], compiled, count, given.get("minCount"), requests, each.get("flavors") or {})
        found.append(pod_set.scaled(left) if left < count else pod_set)
    return found
