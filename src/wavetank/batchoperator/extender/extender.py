from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.extender.checks import pod_problems
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.reconcilers.pods import is_ghost, testbed_of
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.groups import ApiGroup
from wavetank.batchoperator.resources.testbed import SlotState
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.store.errors import ApiError, ConflictError

FILTER, PREEMPTION = "filter", "preemption"

_RETRIES = 3  # of a pod for which there is no slot, before it is deleted
_CONFLICTS = 5  # after which a call fails

Slot = Mapping[str, Any]  # an entry in the status of a testbed


class NoSlotError(ApiError):
    """None of the slots that a pod may use is free on the offered nodes."""

    code = 409
    reason = "NoFreeSlots"


class SlotExtender:
    """Reserves a slot for each pod of an application when the scheduler asks for it.

    A pod names the slots that its application may use; the first that is free becomes its own: the testbed's status
    says so, and the ghost pod in it and the pod itself are labelled. Pods of no testbed, and ghost pods, pass.
    """

    def __init__(self, context: OperatorContext, groups: Collection[ApiGroup]) -> None:
        self._client = context.client
        self._options = context.options
        self._groups = groups

    def call(self, verb: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answers a call with kube-scheduler's JSON; KeyError if there is no such verb."""
        return {FILTER: self.filter, PREEMPTION: self.preempt}[verb](request)

    def filter(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answers a filter call: the node of the pod's slot, or none, so that the scheduler tries preemption."""
        items = (request.get("Nodes") or {}).get("items") or (request.get("Nodes") or {}).get("Items")
        names = [item["metadata"]["name"] for item in items] if items is not None else request.get("NodeNames") or []
        metadata = request["Pod"]["metadata"]
        try:
            kept, refusal = self.choose(_key(metadata), metadata.get("uid"), names)
        except ApiError as error:
            return {"Nodes": None, "NodeNames": None, "FailedNodes": {}, "Error": str(error)}
        return {**_kept(kept, items), "FailedNodes": dict.fromkeys(names, refusal) if refusal else {}}

    def choose(self, key: tuple[str, str], uid: str | None, names: Sequence[str]) -> tuple[Sequence[str], str]:
        """Returns the nodes that are left for a pod, and why the others are not, empty if for no special reason."""
        pod = self._present(key, uid)
        if pod is None or not _wants_slot(pod):
            return names, ""
        try:
            node = self._reserve(pod, names)["nodeName"]
        except NoSlotError as error:
            return [], str(error)
        return [node] if node in names else [], ""

    def preempt(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answers a preemption call: the ghost pod in the pod's slot, whatever the scheduler proposes."""
        offered = request.get("NodeNameToMetaVictims") or request.get("NodeNameToVictims") or {}
        metadata = request["Pod"]["metadata"]
        pod = self._present(_key(metadata), metadata.get("uid"))
        if pod is None or not _wants_slot(pod):
            return {"NodeNameToMetaVictims": {name: _victims(found) for name, found in offered.items()}}
        try:
            slot = self._reserve(pod, offered)
        except NoSlotError:
            self._count_failure(pod)
            return {"NodeNameToMetaVictims": {}}
        ghost = self._ghost(testbed_of(pod), slot)
        if ghost is None or ghost.deleting:
            return {"NodeNameToMetaVictims": {}}  # nothing is in the way
        victims = {"Pods": [{"UID": ghost.uid}], "NumPDBViolations": 0}
        return {"NodeNameToMetaVictims": {slot["nodeName"]: victims}}

    def _present(self, key: tuple[str, str], uid: str | None) -> KubeObject | None:
        """Returns the pod as it is now: the scheduler's is older than our own labels."""
        found = self._client.get(POD, *key)
        return found if found is not None and uid in (None, found.uid) else None

    # reserving

    def _reserve(self, pod: KubeObject, nodes: Collection[str]) -> Slot:
        """Returns the slot of a pod, reserving one if it has none yet; NoSlotError if none is free on the nodes."""
        for _ in range(_CONFLICTS):
            try:
                return self._try(pod, nodes)
            except ConflictError:
                pod = self._client.get(POD, *pod.key) or pod
        raise ConflictError(f"pod {pod.name}: its testbed changes all the time")

    def _try(self, pod: KubeObject, nodes: Collection[str]) -> Slot:
        testbed = self._testbed(pod)
        problems = pod_problems(pod, testbed, self._options)
        if problems:
            raise _refused(f"pod {pod.name} cannot be in a slot of testbed {testbed.name}: {'; '.join(problems)}")
        slots = testbed.status["slots"]
        ids = labels.split_ids(pod.labels[labels.SLOT_IDS])
        slot: Slot | None = next((slots[id_] for id_ in ids if _is_of(slots[id_], pod)), None)
        if slot is None:
            slot = next((slots[id_] for id_ in ids if _is_free(slots[id_], nodes)), None)
            if slot is None:
                raise NoSlotError(f"none of the slots {pod.labels[labels.SLOT_IDS]} is free")
            self._mark_slot(testbed, slot, pod)
        self._mark_pods(testbed, slot, pod)
        return slot

    def _testbed(self, pod: KubeObject) -> KubeObject:
        key = testbed_of(pod)
        for group in self._groups:
            testbed = self._client.get(group.testbed, *key)
            if testbed is not None:
                return testbed
        raise _refused(f"pod {pod.name}: there is no testbed {'/'.join(key)}")

    def _mark_slot(self, testbed: KubeObject, slot: Slot, pod: KubeObject) -> None:
        """Reserves a slot in the status of its testbed, which decides if two ask for it."""
        reserved = {**slot, "state": SlotState.RESERVED.value, "reservedFor": pod.name}
        slots = [reserved if each is slot else each for each in testbed.status["slots"]]
        self._client.update_status(testbed, {**testbed.status, "slots": slots})

    def _mark_pods(self, testbed: KubeObject, slot: Slot, pod: KubeObject) -> None:
        """Labels the ghost pod and the pod that will take its place."""
        ghost = self._ghost(testbed.key, slot)
        if ghost is not None and ghost.labels.get(labels.PREEMPTED_BY) != pod.name:
            self._client.patch_labels(ghost, {labels.PREEMPTED_BY: pod.name})
        marks = {labels.SLOT_ID: str(slot["slotPositionOnNode"]), labels.TARGET_NODE: slot["nodeName"]}
        if not marks.items() <= pod.labels.items():
            self._client.patch_labels(pod, {**marks, labels.IS_GHOST: "false"})

    def _ghost(self, testbed: tuple[str, str], slot: Slot) -> KubeObject | None:
        name = slot.get("podName")
        ghost = None if name is None else self._client.get(POD, testbed[0], name)
        return ghost if ghost is not None and is_ghost(ghost) else None

    def _count_failure(self, pod: KubeObject) -> None:
        """Counts how often no slot was found for a pod; after a few times it is deleted, and made anew by its owner."""
        count = pod.annotations.get(labels.RETRIES, "0")
        failures = int(count) + 1 if count.isdecimal() else 1
        try:
            if failures > _RETRIES:
                self._client.delete(pod)
            else:
                self._client.patch_labels(pod, {}, {labels.RETRIES: str(failures)})
        except ConflictError:
            return  # it counts the next time


def _key(metadata: Mapping[str, Any]) -> tuple[str, str]:
    return metadata.get("namespace") or "default", metadata["name"]


def _wants_slot(pod: KubeObject) -> bool:
    return labels.TESTBED_NAME in pod.labels and labels.SLOT_IDS in pod.labels and not is_ghost(pod)


def _is_of(slot: Slot, pod: KubeObject) -> bool:
    return bool(slot["state"] == SlotState.RESERVED and slot.get("reservedFor") == pod.name)


def _is_free(slot: Slot, nodes: Collection[str]) -> bool:
    return bool(slot["state"] == SlotState.FREE and slot["nodeName"] in nodes)


def _refused(message: str) -> ApiError:
    return ApiError(message)


def _kept(names: Collection[str], items: Any) -> dict[str, Any]:
    """Answers with the nodes that are left, in the form of the request: whole nodes, or names."""
    if items is None:
        return {"NodeNames": list(names), "FailedNodes": {}, "Error": ""}
    nodes = {"metadata": {}, "items": [item for item in items if item["metadata"]["name"] in names]}
    return {"Nodes": nodes, "NodeNames": list(names), "FailedNodes": {}, "Error": ""}


def _victims(found: Mapping[str, Any]) -> dict[str, Any]:
    pods = [{"UID": pod.get("UID") or (pod.get("metadata") or {}).get("uid")} for pod in found.get("Pods") or ()]
    return {"Pods": pods, "NumPDBViolations": found.get("NumPDBViolations") or 0}
