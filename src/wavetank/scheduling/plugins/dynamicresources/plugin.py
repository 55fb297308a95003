from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from wavetank.cluster.objects.dra import Allocation, ResourceClaim
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.store.store import Store
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.devices import CLAIMS, Devices
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import (
    PASSED,
    PROCEED,
    SKIP,
    FilterPlugin,
    PluginError,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    Reason,
    ReservePlugin,
    ScorePlugin,
)
from wavetank.scheduling.framework.static import scale_to_100
from wavetank.scheduling.plugins.dynamicresources.allocation import Allocator, InvalidPoolsError

MAX_ALTERNATIVES = 8  # of a request; the first is worth as many points


class ClaimsError(PluginError):
    """A claim of a pod is not there, or not for this pod."""


@dataclass(slots=True)
class _State:
    """The claims of the pod, what they would get on each node, and those that are allocated out of reach."""

    claims: tuple[ResourceClaim, ...] = ()
    allocator: Allocator | None = None
    on_nodes: dict[str, list[Allocation]] = field(default_factory=dict)
    unavailable: set[int] = field(default_factory=set)

    @property
    def to_allocate(self) -> list[ResourceClaim]:
        return [claim for claim in self.claims if claim.allocation is None]


class DynamicResources(
    PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, ScorePlugin, ReservePlugin, PreBindPlugin
):
    """Allocates the devices of a pod's resource claims, on a node where all of them are available."""

    name = "DynamicResources"
    waits = False
    REASONS = (
        Reason("cannot allocate all claims", resolvable=False),
        Reason("resourceclaim not available on the node", resolvable=False),
        Reason("invalid resource pools were encountered", resolvable=False),
    )
    _CANNOT, _ELSEWHERE, _INVALID = 1, 2, 3

    def __init__(self, devices: Devices) -> None:
        self._devices = devices

    def pre_enqueue(self, pod: Pod) -> bool:
        """Keeps a pod out of the queue until all its claims are there."""
        if "resourceClaims" not in pod.spec.manifest:
            return True
        try:
            self.claims_of(pod)
        except ClaimsError:
            return False
        return True

    def claims_of(self, pod: Pod) -> tuple[ResourceClaim, ...]:
        """Returns the claims that a pod names or that were made for it; ClaimsError if one is missing."""
        return tuple(self._claim(pod, name, made) for name, made in _claim_names(pod))

    def _claim(self, pod: Pod, name: str, made_for_pod: bool) -> ResourceClaim:
        claim = self._devices.claim(pod.namespace, name)
        if claim is None:
            raise ClaimsError(f'could not find ResourceClaim "{pod.namespace}/{name}"')
        if claim.deleted is not None:
            raise ClaimsError(f'resourceclaim "{name}" is being deleted')
        if made_for_pod and claim.owner != pod.uid:
            whose = f"was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"
            raise ClaimsError(f"ResourceClaim {pod.namespace}/{name} {whose}")
        return claim

    # filtering

    def passes_spec(self, spec: PodSpec) -> bool:
        """Passes pods without claims."""
        return "resourceClaims" not in spec.manifest

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes pods without claims."""
        return self.passes_spec(cycle.pod.spec)

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Has nothing to filter for a pod without claims."""
        state = cycle.state[self.name] = _State()
        if not cycle.pod.spec.manifest.get("resourceClaims"):
            return SKIP
        try:
            claims = self.claims_of(cycle.pod)
        except ClaimsError as error:
            return PreFilterResult(rejected=Reason(str(error), resolvable=False))
        trouble = next(filter(None, map(self._trouble, claims)), None)
        if trouble or not claims:
            return PreFilterResult(rejected=Reason(trouble, resolvable=False)) if trouble else SKIP
        state.claims = claims
        if state.to_allocate:
            state.allocator = Allocator(self._devices, state.to_allocate)
        return PROCEED

    def _trouble(self, claim: ResourceClaim) -> str:
        """Returns why a claim cannot be allocated at present, wherever it is; nothing if it can, or is already."""
        if claim.allocation is not None:
            return ""
        if self._devices.is_pending(claim):
            return f"resource claim {_key(claim)} is in the process of being allocated"
        wanted = (item for request in claim.requests for item in request.alternatives)
        missing = (item for item in wanted if self._devices.device_class(item.class_name) is None)
        return next((f"request {item.name}: device class {item.class_name} does not exist" for item in missing), "")

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Tries to allocate on each node."""
        state: _State = cycle.state[self.name]
        if not state.claims:
            return np.zeros(len(nodes), np.int64)
        found = (cycle.table.nodes[slot] for slot in nodes.tolist())
        return np.array([self._code(state, node) for node in found if node is not None], np.int64)

    def _code(self, state: _State, node: Node) -> int:
        unavailable = {i for i, claim in enumerate(state.claims) if not _is_usable(claim, node)}
        try:
            allocations = state.allocator.allocate(node) if state.allocator else []
        except InvalidPoolsError:
            return self._INVALID
        except PluginError as error:
            raise PluginError(f'running "{self.name}" filter plugin: {error}') from None
        if allocations is None:
            return self._CANNOT
        if unavailable:
            state.unavailable |= unavailable
            return self._ELSEWHERE
        state.on_nodes[node.name] = allocations
        return PASSED

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the one reason of a code."""
        return (self.REASONS[code - 1],)

    def post_filter(self, cycle: Cycle, outcome: Outcome) -> str:
        """Deallocates a claim that is out of reach and unused; fails if this plugin's PreFilter did not run."""
        if self.name not in cycle.state:
            raise PluginError("not found")
        state: _State = cycle.state[self.name]
        for i in sorted(state.unavailable):
            if {cycle.pod.uid}.issuperset(state.claims[i].reserved_for):
                outcome.writes = (*outcome.writes, partial(_deallocate, state.claims[i]))
                return "deallocation of ResourceClaim completed"
        return "still not schedulable" if state.claims else "no new claims to deallocate"

    # scoring

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Prefers nodes where requests with several alternatives get an early one."""
        state: _State = cycle.state[self.name]
        if not state.claims:
            return np.zeros(len(nodes), np.int64)
        found = (cycle.table.nodes[slot] for slot in nodes.tolist())
        return np.array([_points(state, node.name) for node in found if node is not None], np.int64)

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Scales so that the best node gets 100."""
        return scale_to_100(scores)

    def allocations(self, cycle: Cycle, node_name: str) -> dict[str, Manifest]:
        """Returns what the claims that have nothing yet would get on a node, by namespace/name."""
        state: _State | None = cycle.state.get(self.name)
        found = state.on_nodes.get(node_name) if state is not None else None
        if state is None or found is None:
            return {}
        together = zip(state.to_allocate, found, strict=True)
        return {_key(claim): allocation.manifest for claim, allocation in together}

    # reserving

    def reserve(self, cycle: Cycle, node_name: str) -> None:
        """Keeps the devices for the claims until the store has them."""
        state: _State | None = cycle.state.get(self.name)
        if state is None or state.allocator is None:
            return
        if node_name not in state.on_nodes:  # a nominated node was tried in a cycle of its own
            self.filter(cycle, np.array([cycle.table.slots[node_name]]))
        for claim, allocation in zip(state.to_allocate, state.on_nodes[node_name], strict=True):
            self._devices.assume(claim, allocation)

    def unreserve(self, cycle: Cycle, node_name: str) -> None:
        """Gives the devices back."""
        state: _State = cycle.state.get(self.name, _State())
        for claim in state.to_allocate:
            self._devices.forget(claim)

    def has_to_prepare(self, cycle: Cycle, node_name: str) -> bool:
        """Returns whether the pod has claims, which are reserved for it."""
        state: _State | None = cycle.state.get(self.name)
        return state is not None and bool(state.claims)

    def prepare(self, cycle: Cycle, node_name: str, store: Store) -> None:
        """Writes into the claims what they got, and that the pod uses them."""
        state: _State = cycle.state[self.name]
        allocated = self.allocations(cycle, node_name)
        for claim in state.claims:
            _reserve(claim, allocated.get(_key(claim)), cycle.pod, store)

    # queueing

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """New devices, classes and nodes; a claim of the pod; and any claim that gives its devices back."""
        on_claim = dict.fromkeys((ClusterEvent.RESOURCE_CLAIM_ADD, ClusterEvent.RESOURCE_CLAIM_UPDATE), self._helps)
        return {**dict.fromkeys(_HELPFUL, always), **on_claim}

    def _helps(self, waiting: Pod, old: ResourceClaim | None, new: ResourceClaim) -> bool:
        try:
            is_own = new.key in [claim.key for claim in self.claims_of(waiting)]
        except ClaimsError:
            return False
        if old is not None and old.allocation is not None and new.allocation is None:
            return True
        return is_own and (old is None or old.manifest.get("status") != new.manifest.get("status"))


_HELPFUL = (
    ClusterEvent.NODE_ADD,
    ClusterEvent.NODE_LABEL,
    ClusterEvent.NODE_ALLOCATABLE,
    ClusterEvent.RESOURCE_SLICE_ADD,
    ClusterEvent.RESOURCE_SLICE_UPDATE,
    ClusterEvent.DEVICE_CLASS_ADD,
    ClusterEvent.DEVICE_CLASS_UPDATE,
)


def _reserve(claim: ResourceClaim, allocation: Manifest | None, pod: Pod, store: Store) -> None:
    present = store.get(CLAIMS, claim.namespace, claim.name)
    assert isinstance(present, ResourceClaim)
    if allocation is not None and present.allocation is not None:
        raise PluginError(f"claim {_key(claim)} got allocated elsewhere in the meantime")
    users = (present.manifest.get("status") or {}).get("reservedFor") or ()
    status: dict[str, Any] = {"reservedFor": [*users, {"resource": "pods", "name": pod.name, "uid": pod.uid}]}
    if allocation is not None:
        status["allocation"] = allocation
    store.patch(CLAIMS, claim.namespace, claim.name, {"status": status})


def _deallocate(claim: ResourceClaim, store: Store) -> None:
    if store.find(CLAIMS, *claim.key) is not None:
        status = {"allocation": None, "reservedFor": None, "devices": None}
        store.patch(CLAIMS, *claim.key, {"status": status})


def _key(claim: ResourceClaim) -> str:
    return f"{claim.namespace}/{claim.name}"


def _claim_names(pod: Pod) -> list[tuple[str, bool]]:
    """Returns (name, whether it was made for the pod) of a pod's claims; one that turned out needless has none."""
    status = pod.manifest.get("status") or {}
    made = {item.get("name"): item.get("resourceClaimName") for item in status.get("resourceClaimStatuses") or ()}
    names: list[tuple[str, bool]] = []
    for item in pod.spec.manifest.get("resourceClaims") or ():
        if item.get("resourceClaimName"):
            names.append((str(item["resourceClaimName"]), False))
        elif item.get("name") not in made:
            raise ClaimsError(f'pod "{pod.namespace}/{pod.name}": ResourceClaim not created yet')
        elif made[item["name"]]:
            names.append((str(made[item["name"]]), True))
    return names


def _is_usable(claim: ResourceClaim, node: Node) -> bool:
    """Returns whether a claim is not allocated yet, or to devices that can be used on the node."""
    selector = claim.allocation.node_selector if claim.allocation is not None else None
    return selector is None or selector.matches(node.labels, node.name)


def _points(state: _State, node_name: str) -> int:
    found = iter(state.on_nodes.get(node_name, ()))
    points = 0
    for claim in state.claims:
        allocation = claim.allocation or next(found, None)
        if allocation is None:
            return 0
        chosen = {request for request, _ in allocation.results}
        points += sum(
            MAX_ALTERNATIVES - i
            for request in claim.requests
            if not request.is_exact
            for i, alternative in enumerate(request.alternatives)
            if alternative.name in chosen
        )
    return points
