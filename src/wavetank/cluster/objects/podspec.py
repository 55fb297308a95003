from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from wavetank.cluster.fields.podaffinity import parse_pod_affinity
from wavetank.cluster.fields.resize import held_by_containers
from wavetank.cluster.fields.resources import CPU, MEMORY, Amounts, pod_requests
from wavetank.cluster.fields.selectors import LabelSelector, NodeSelector, NodeSelectorTerm
from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.fields.termindex import MANY_TERMS, NodeTermIndex
from wavetank.cluster.fields.topologyspread import parse_spread
from wavetank.cluster.fields.volumes import parse_volumes
from wavetank.errors import InputError

# Fields of a spec that belong to the pod: pods that differ only in these share one PodSpec.
OF_THE_POD = frozenset({"nodeName", "schedulingGates"})

HostPort = tuple[str, str, int]  # (host IP, protocol, port)


@dataclass(frozen=True, slots=True)
class NodeAffinity:
    """Where a pod may and would like to run: the facet that NodeAffinity reads. Equal facets are equal values."""

    selector: LabelSelector
    required: NodeSelector | None
    preferred: tuple[tuple[int, NodeSelectorTerm], ...]
    _hash: int = field(init=False, compare=False, repr=False)
    _index: NodeTermIndex | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.selector, self.required, self.preferred)))
        many = len(self.preferred) >= MANY_TERMS
        object.__setattr__(self, "_index", NodeTermIndex([term for _, term in self.preferred]) if many else None)

    def __hash__(self) -> int:
        return self._hash  # it is a key of caches that every cycle asks

    @property
    def allows_all(self) -> bool:
        """Returns whether the pod may run on every node."""
        return self.required is None and not self.selector.requirements

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Returns whether a node with these labels and this name may run the pod."""
        return self.selector.matches(labels) and (self.required is None or self.required.matches(labels, name))

    def preference(self, labels: Mapping[str, str], name: str) -> int:
        """Returns the weights of the preferred terms that such a node meets, added up."""
        if self._index is not None:
            return sum(self.preferred[place][0] for place in self._index.matching(labels, name))
        return sum(weight for weight, term in self.preferred if term.matches(labels, name))


class PodSpec:
    """What pods of one kind ask for, compiled once and shared by all of them.

    `manifest` is the spec as given. Amounts are in milli-CPU and bytes; `nonzero_*` count defaults for containers
    that leave a request open (what the pod occupies for scoring); `scored_*` are those of the pod being scored,
    in which kube-scheduler ignores the pod's own `resources`. Specs of one `family` differ only in what they request.
    Caches keep few that are large.
    """

    __slots__ = (
        "__weakref__",
        "containers",
        "deadline_s",
        "family",
        "grace_s",
        "images",
        "is_large",
        "manifest",
        "node_affinity",
        "nonzero_cpu",
        "nonzero_memory",
        "pod_affinity",
        "ports",
        "preemption_policy",
        "priority",
        "priority_class",
        "requests",
        "restart_policy",
        "scheduler_name",
        "scored_cpu",
        "scored_memory",
        "spread",
        "tolerations",
        "volumes",
    )

    def __init__(self, manifest: Mapping[str, Any], is_large: bool = False) -> None:
        self.manifest = manifest
        self.is_large = is_large
        self.family = object()
        containers = list(_containers(manifest))
        self._compile_resources(manifest)
        self.tolerations = Tolerations.parse(manifest.get("tolerations"), path="spec.tolerations")
        affinity = manifest.get("affinity") or {}
        self.node_affinity = parse_node_affinity(manifest.get("nodeSelector") or {}, affinity.get("nodeAffinity") or {})
        self.pod_affinity = parse_pod_affinity(affinity)
        self.spread = parse_spread(manifest.get("topologySpreadConstraints"), "spec.topologySpreadConstraints")
        self.volumes = parse_volumes(manifest.get("volumes"), "spec.volumes")
        self.containers = len(containers)
        self.images = tuple(str(container.get("image") or "") for container in containers)
        self.ports = frozenset(_host_ports(manifest))
        self.priority = _priority(manifest)
        self.priority_class = str(manifest.get("priorityClassName") or "")
        self.preemption_policy = str(manifest.get("preemptionPolicy") or "PreemptLowerPriority")
        self.scheduler_name = str(manifest.get("schedulerName") or "default-scheduler")
        self.restart_policy = str(manifest.get("restartPolicy") or "Always")
        grace = manifest.get("terminationGracePeriodSeconds")
        self.grace_s: int = 30 if grace is None else int(grace)
        deadline = manifest.get("activeDeadlineSeconds")
        self.deadline_s: int | None = None if deadline is None else int(deadline)

    def _compile_resources(self, manifest: Mapping[str, Any]) -> None:
        self.requests: Amounts = pod_requests(manifest)
        nonzero = pod_requests(manifest, nonzero=True)
        scored = pod_requests(manifest, nonzero=True, pod_level=False)
        self.nonzero_cpu, self.nonzero_memory = nonzero.get(CPU, 0), nonzero.get(MEMORY, 0)
        self.scored_cpu, self.scored_memory = scored.get(CPU, 0), scored.get(MEMORY, 0)

    def asking(self, requests: Amounts) -> PodSpec:
        """Returns this spec with other requests; everything else is shared, so that a trace costs little per pod."""
        from wavetank.cluster.fields.resources import DEFAULT_NONZERO, format_amounts

        new = self._copy()
        quantities = format_amounts(requests)
        first = {**self.manifest["containers"][0], "resources": {"requests": quantities}}
        new.manifest = {**self.manifest, "containers": [first]}
        new.requests = requests
        new.nonzero_cpu = new.scored_cpu = requests.get(CPU, DEFAULT_NONZERO[CPU])
        new.nonzero_memory = new.scored_memory = requests.get(MEMORY, DEFAULT_NONZERO[MEMORY])
        return new

    def holding(self, status: Mapping[str, Any]) -> PodSpec:
        """Returns this spec with what a pod of that status holds, which differs only while it is being resized."""
        held = held_by_containers(self.manifest, status)
        if held is self.manifest:
            return self
        new = self._copy()
        new._compile_resources(held)
        return new

    def _copy(self) -> PodSpec:
        new = object.__new__(PodSpec)
        for slot in PodSpec.__slots__[1:]:  # the first one is no field
            setattr(new, slot, getattr(self, slot))
        return new


_LARGEST_KEPT = 64 * 1024  # bytes of JSON: larger specs are kept only as long as a pod has them
_MOST_KEPT = 32 * 1024 * 1024  # bytes of JSON; the specs themselves take ten to sixteen times as much


class SpecTable:
    """Interns pod specs: equal manifests give the same PodSpec object.

    The last ones are kept also while no pod has them, for the next pod that does.
    """

    def __init__(self) -> None:
        self._specs: OrderedDict[bytes, PodSpec] = OrderedDict()
        self._size = 0  # bytes of their JSON
        self._used: WeakValueDictionary[bytes, PodSpec] = WeakValueDictionary()  # large and early ones, by a digest
        self._lock = Lock()  # specs may be compiled in another thread

    def intern(self, manifest: Mapping[str, Any]) -> PodSpec:
        """Returns the one PodSpec of this manifest, nodeName and scheduling gates aside."""
        shared = {field: value for field, value in manifest.items() if field not in OF_THE_POD}
        try:
            text = msgspec.json.encode(shared)
        except (TypeError, ValueError) as error:
            raise InputError(f"not plain JSON: {error}", path="spec") from None
        if len(text) > _LARGEST_KEPT:  # msgspec may sort the keys of a large one in quadratic time
            return self._intern_large(sha256(text).digest(), shared)
        key = msgspec.json.encode(shared, order="deterministic")
        found = self._specs.get(key)
        return self._intern_small(key, shared) if found is None else found

    def _intern_small(self, key: bytes, manifest: Mapping[str, Any]) -> PodSpec:
        found = self._used.get(sha256(key).digest()) if self._used else None
        if found is not None:
            return found
        new = PodSpec(manifest)
        with self._lock:
            found = self._specs.setdefault(key, new)
            if found is new:
                self._size += len(key)
            while self._size > _MOST_KEPT:
                early, spec = self._specs.popitem(last=False)
                self._size -= len(early)
                self._used[sha256(early).digest()] = spec
        return found

    def _intern_large(self, digest: bytes, manifest: Mapping[str, Any]) -> PodSpec:
        found = self._used.get(digest)
        return self._used.setdefault(digest, PodSpec(manifest, is_large=True)) if found is None else found

    def __len__(self) -> int:
        return len(self._specs)

    def keep_only(self, used: Iterable[PodSpec]) -> None:
        """Forgets all other specs: the next pod with one of them gets a new one."""
        kept = set(map(id, used))
        with self._lock:
            self._specs = OrderedDict((key, spec) for key, spec in self._specs.items() if id(spec) in kept)
            self._size = sum(map(len, self._specs))


def _containers(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for part in ("initContainers", "containers"):
        items = manifest.get(part) or ()
        if not isinstance(items, list | tuple):
            raise InputError(f"expected a list of containers, got {items!r}", path=f"spec.{part}")
        for i, container in enumerate(items):
            if not isinstance(container, Mapping):
                raise InputError(f"expected a container, got {container!r}", path=f"spec.{part}[{i}]")
            yield container


def _priority(manifest: Mapping[str, Any]) -> int | None:
    value = manifest.get("priority")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(f"expected an integer, got {value!r:.60}", path="spec.priority")
    return value


def _host_ports(manifest: Mapping[str, Any]) -> Iterator[HostPort]:
    """Yields the host ports of containers and sidecars; ordinary init containers do not keep theirs."""
    init = len(manifest.get("initContainers") or ())
    for i, container in enumerate(_containers(manifest)):
        if i < init and container.get("restartPolicy") != "Always":
            continue
        for port in container.get("ports") or ():
            if port.get("hostPort"):
                yield port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", int(port["hostPort"])


def parse_node_affinity(selector: Mapping[str, Any], affinity: Mapping[str, Any]) -> NodeAffinity:
    """Reads a nodeSelector and a NodeAffinity."""
    path = "spec.affinity.nodeAffinity"
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return NodeAffinity(
        selector=LabelSelector.parse({"matchLabels": selector}, path="spec.nodeSelector"),
        required=None if required is None else NodeSelector.parse(required, path=f"{path}.required"),
        preferred=tuple(
            (int(item["weight"]), NodeSelectorTerm.parse(item["preference"], path=f"{path}.preferred[{i}]"))
            for i, item in enumerate(preferred)
        ),
    )
