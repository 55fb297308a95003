from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, parse_time
from wavetank.cluster.store.patch import merge_patch
from wavetank.errors import InputError
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED
from wavetank.verification.decisions.arrival import arrival_of_nodes
from wavetank.verification.decisions.recording import Attempt, Recording, Result, Step
from wavetank.verification.decisions.storage import RecordedVolumeControllers


class State:
    """The recorded scheduler's state at one instant: nodes, the pods on them, and pending pods.

    It follows the record, never wavetank's decisions, so that one mismatch does not cause the next. `knows_order` tells
    whether the order of nodes is known, and not only their set. A pod's uid is namespace/name.
    """

    def __init__(self, recording: Recording) -> None:
        self.table = NodeTable()
        self.listers = Listers()
        self.waiting: dict[str, Pod] = {}
        self._without_claims: set[str] = set()  # pods whose ephemeral volumes get claims after a first failure
        self._specs = SpecTable()
        self._victims_stay = recording.options.get("terminating_victims", False)
        nodes = [Node(manifest) for manifest in recording.nodes]
        arrival = arrival_of_nodes(recording, nodes)
        self.knows_order = arrival is not None
        for node in arrival or nodes:
            self.table.set_node(node)
        for manifest in recording.other_objects():
            self.listers.set(parse_resource(manifest, self._specs))
        self.controllers = RecordedVolumeControllers(recording, self.listers, self.table)
        self._add_bound(recording)

    def _add_bound(self, recording: Recording) -> None:
        for manifest, submitted in zip(recording.bound_pods(), recording.existing, strict=True):
            pod = self._parse(manifest)
            if submitted.get("_terminating"):
                pod.deleted = 0
            if not pod.finished:
                self.table.add_pod(pod, pod.node_name)

    def _parse(self, manifest: Manifest) -> Pod:
        pod = Pod.parse(manifest, self._specs)
        pod.uid = f"{pod.namespace}/{pod.name}"
        start = (manifest.get("status") or {}).get("startTime")
        pod.started = parse_time(start, "status.startTime")
        return pod

    # steps

    def play(self, step: Step, result: Result) -> None:
        """Applies a step; steps on objects that no plugin reads change nothing."""
        operation = self._OPERATIONS.get(step.op)
        if operation is not None:
            operation(self, step, result)

    def _create(self, step: Step, result: Result) -> None:
        pod = self._parse(_given(result.stored, "stored"))
        if pod.node_name:
            self.table.add_pod(pod, pod.node_name)
        else:
            self.waiting[pod.uid] = pod
        if step.ephemeral == "before":
            self.controllers.create_claims(pod)
        elif step.ephemeral == "after_failure":
            self._without_claims.add(pod.uid)

    def _ungate(self, step: Step, result: Result) -> None:
        pod = self.waiting[result.pod] = self.pod(result.pod).copy()
        pod.gates = ()

    def _delete(self, step: Step, result: Result) -> None:
        self._remove(result.pod)

    def _node_create(self, step: Step, result: Result) -> None:
        self.table.set_node(Node(_given(step.node, "node")))

    def _node_patch(self, step: Step, result: Result) -> None:
        patched = merge_patch(self._node(step).manifest, _given(step.patch, "patch"))
        self.table.set_node(Node(patched))

    def _node_delete(self, step: Step, result: Result) -> None:
        self.table.remove_node(self._node(step))

    def _pvc_bind(self, step: Step, result: Result) -> None:
        self.controllers.bind_new_volume(step)

    def _object_patch(self, step: Step, result: Result) -> None:
        self.controllers.patch(step)

    _OPERATIONS: Mapping[str, Callable[[State, Step, Result], None]] = {
        "create": _create,
        "ungate": _ungate,
        "delete": _delete,
        "node_create": _node_create,
        "node_patch": _node_patch,
        "node_delete": _node_delete,
        "pvc_bind": _pvc_bind,
        "object_patch": _object_patch,
    }

    # attempts

    def pod(self, key: str) -> Pod:
        """Returns a pending pod; InputError if it is not pending."""
        if key not in self.waiting:
            raise InputError(f"an attempt at {key}, which is not pending", path="results")
        return self.waiting[key]

    def settle(self, attempt: Attempt) -> None:
        """Applies the recorded outcome of an attempt."""
        pod = self.pod(attempt.pod).copy()
        if attempt.nominated or not attempt.not_eligible:
            # a scheduler that waits for volumes states first which node it expects to use
            pod.nominated_node = attempt.nominated or (attempt.reserved if attempt.prebind_error else "") or ""
        self.waiting[attempt.pod] = pod
        self.table.nominator.set(pod, pod.nominated_node)
        self.controllers.settle(attempt)
        if attempt.pod in self._without_claims:
            self._without_claims.discard(attempt.pod)
            self.controllers.create_claims(pod)
        if attempt.chosen:
            del self.waiting[attempt.pod]
            self.table.nominator.remove(pod.uid)
            pod.node_name = attempt.chosen
            self.table.add_pod(pod, attempt.chosen)
        elif attempt.nominated:
            self._evict(attempt, pod)

    def close(self, result: Result) -> None:
        """Does what the recorder did before the next step: start a bound pod, remove another."""
        for key, allocation in result.allocations.items():
            self._grant(key, allocation, result.pod)
        if result.removed_after:
            self._remove(result.pod)
        elif result.start_time is not None and result.pod in self.table.placements:
            pod = self.table.placements[result.pod][0].copy()
            pod.phase, pod.started = RUNNING, parse_time(result.start_time, "start_time")
            self.table.replace_pod(pod)

    def _grant(self, key: str, allocation: Manifest, pod: str) -> None:
        """Gives a resource claim its recorded allocation."""
        namespace, _, name = key.partition("/")
        claim = self.listers.devices.claim(namespace, name)
        if claim is None:
            raise InputError(f"an allocation for {key}, which is not there", path="results")
        status = {"allocation": allocation, "reservedFor": [{"resource": "pods", "uid": pod}]}
        self.listers.set(parse_resource({**claim.manifest, "status": status}, self._specs))

    def _evict(self, attempt: Attempt, preemptor: Pod) -> None:
        chosen = attempt.victims if attempt.deleted_victims is None else attempt.deleted_victims
        evicted = [key for key in chosen if not self._is_terminating(key)]
        for key in evicted:
            if self._victims_stay:
                self._terminate(key)
            else:
                self._remove(key)
        if evicted:  # pods of lower priority lose their nomination to this node
            for key, pod in self.waiting.items():
                if pod.nominated_node == attempt.nominated and pod.priority < preemptor.priority:
                    self.waiting[key] = pod.copy()
                    self.waiting[key].nominated_node = ""
                    self.table.nominator.remove(key)

    def _is_terminating(self, key: str) -> bool:
        placed = self.table.placements.get(key)
        return placed is not None and placed[0].deleted is not None

    def _terminate(self, key: str) -> None:
        placed = self.table.placements.get(key)
        if placed is not None:
            pod = placed[0].copy()
            pod.deleted = 0
            pod.reason = PREEMPTED
            self.table.replace_pod(pod)

    def _remove(self, key: str) -> None:
        self.waiting.pop(key, None)
        self.table.nominator.remove(key)
        if key in self.table.placements:
            self.table.remove_pod(key)

    def _node(self, step: Step) -> Node:
        slot = self.table.slots.get(step.name or "")
        node = None if slot is None else self.table.nodes[slot]
        if node is None:
            raise InputError(f"{step.op} of a node {step.name!r} that is not there", path="steps")
        return node


def _given(value: dict[str, Any] | None, field: str) -> dict[str, Any]:
    if value is None:
        raise InputError(f"a step lacks its {field}", path="steps")
    return value
