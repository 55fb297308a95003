from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from wavetank.batchoperator.client.client import Change
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.reconcilers.pods import TestbedPods
from wavetank.batchoperator.reconcilers.testbed.ghosts import fits, ghost_pod
from wavetank.batchoperator.reconcilers.testbed.plan import Place, Plan, add, make_plan, taken_on_nodes
from wavetank.batchoperator.reconcilers.testbed.slots import Slots
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.groups import GROUPS, ApiGroup
from wavetank.batchoperator.resources.testbed import Testbed, TestbedState, read_testbed
from wavetank.cluster.fields.resources import PODS
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.store.errors import AlreadyExistsError
from wavetank.controllers.framework.queue import WorkQueue
from wavetank.errors import InputError

Key = tuple[str, str]


class TestbedReconciler:
    """Keeps one ghost pod in every slot of a testbed in which no other pod is, and reports which pod is where.

    While any pod of the testbed is unscheduled or terminating nothing is created or deleted, except ghost pods that
    wait for a slot that the testbed no longer has.
    """

    __test__ = False  # pytest: this is no test

    def __init__(self, context: OperatorContext, group: ApiGroup, pods: TestbedPods) -> None:
        self._client = context.client
        self._options = context.options
        self._group = group
        self._pods = pods
        self._slots: dict[Key, Slots] = {}
        self._specs: dict[Key, object] = {}
        self._labelled: dict[str, dict[str, Any]] = {}  # nodes: what plans depend on
        self._own: Key | None = None  # the testbed whose status is being written
        self._queue = WorkQueue(context.clock, self._reconcile)
        pods.on_testbed.append(self._pod_changed)
        context.client.subscribe(group.testbed, self._changed)
        context.client.subscribe(NODE, self._node_changed)

    def _changed(self, change: Change) -> None:
        if self._own != change.object.key:
            self._queue.add(change.object.key)
        if change.action == "DELETED":
            self._replan()

    def _pod_changed(self, key: Key, pod: KubeObject) -> None:
        slots = self._slots.get(key)
        if slots is not None:
            slots.note(pod, pod.key not in self._pods.of_testbed(key))
            self._queue.add(key)

    def _node_changed(self, change: Change) -> None:
        node = change.object
        seen = {} if change.action == "DELETED" else {"labels": node.labels, "left": node.status.get("allocatable")}
        if self._labelled.get(node.name, {}) != seen:
            self._labelled[node.name] = seen
            self._replan()

    def _replan(self) -> None:
        """Plans all testbeds again: they share nodes."""
        self._specs.clear()
        for key in self._slots:
            self._queue.add(key)

    def _reconcile(self, key: Key) -> None:
        found = self._client.get(self._group.testbed, *key)
        if found is None or found.deleting:
            self._remove(key)
            return
        slots = self._slots.get(key) or self._begin(key)
        try:
            testbed = read_testbed(found)
            if self._specs.get(key) != found.spec:
                slots.take(self._plan(testbed))
                self._specs[key] = found.spec
        except (msgspec.ValidationError, InputError) as error:
            self._report(found, TestbedState.ERROR, (), [str(error)], {})
            return
        rival = self._rival(key)
        if rival:
            self._report(found, TestbedState.ERROR, (), [rival], {})
            return
        slots.follow(found.status.get("slots") or ())
        assert slots.plan is not None
        if not slots.plan.node_problems:
            self._adjust(testbed, slots)
        self._describe(found, slots, slots.plan)

    def _rival(self, key: Key) -> str:
        """Returns a problem if a testbed of another API group has the same name: their pods could not be told apart."""
        for group in GROUPS[: GROUPS.index(self._group)]:
            if self._client.get(group.testbed, *key) is not None:
                return f"there is a {group.testbed_kind} of this name in {group.name}"
        return ""

    def _begin(self, key: Key) -> Slots:
        slots = self._slots[key] = Slots()
        for pod in self._pods.of_testbed(key).values():
            slots.note(pod, gone=False)
        return slots

    def _remove(self, key: Key) -> None:
        """Deletes the ghost pods of a testbed that was deleted."""
        slots = self._slots.get(key) or self._begin(key)
        for pod in _flat(slots.ghosts):
            self._client.delete(pod)
        self._slots.pop(key, None)
        self._specs.pop(key, None)

    # planning

    def _plan(self, testbed: Testbed) -> Plan:
        nodes = [node for node in self._client.list(NODE) if _is_in(node, testbed)]
        taken = taken_on_nodes(self._client.list(POD))
        for other in self._older(testbed):
            for node in nodes:
                if _is_in(node, other):
                    reserved = taken.setdefault(node.name, {})
                    add(reserved, make_plan(other.spec, (), {}).requests, other.spec.slots_per_node)
                    add(reserved, {PODS: other.spec.slots_per_node})
        return make_plan(testbed.spec, nodes, taken)

    def _older(self, testbed: Testbed) -> Iterable[Testbed]:
        """Yields the testbeds whose slots come before this one's where they share a node."""
        for found in self._client.list(self._group.testbed):
            if (found.created, found.key) < (testbed.object.created, testbed.object.key):
                try:
                    yield read_testbed(found)
                except msgspec.ValidationError:
                    continue

    # pods

    def _adjust(self, testbed: Testbed, slots: Slots) -> None:
        """Deletes and creates ghost pods."""
        assert slots.plan is not None
        unwanted = [pod for place in slots.due if place not in slots.ids for pod in _in(slots.ghosts, place)]
        unwanted += [
            pod
            for place in slots.due
            if place in slots.ids
            for pod in _in(slots.ghosts, place)
            if not fits(pod, slots.plan.requests)
        ]
        for pod in unwanted:
            if not pod.node_name:
                self._client.delete(pod)
        if slots.unsettled:
            return
        for pod in unwanted:
            self._client.delete(pod)
        if unwanted:  # their successors come when they are gone
            return
        for place in sorted(slots.due, key=lambda place: slots.ids.get(place, -1)):
            if place in slots.ids:
                self._settle(testbed, slots, place)
            slots.due.discard(place)

    def _settle(self, testbed: Testbed, slots: Slots, place: Place) -> None:
        """Leaves one pod in a slot: that of an application, or a ghost pod."""
        ghosts = sorted(_in(slots.ghosts, place), key=lambda pod: pod.created)
        if _in(slots.others, place):
            for pod in ghosts:
                self._client.delete(pod)
        elif not ghosts:
            self._create(testbed, slots, place)
        else:
            if labels.PREEMPTED_BY in ghosts[0].labels:  # by a pod that is gone
                self._client.patch_labels(ghosts[0], {labels.PREEMPTED_BY: None})
            for pod in ghosts[1:]:
                self._client.delete(pod)

    def _create(self, testbed: Testbed, slots: Slots, place: Place) -> None:
        assert slots.plan is not None
        document = slots.documents.get(place)
        if document is None:  # the same one again and again: pods of one document are cheap in a simulation
            node_id = slots.plan.node_ids[place[0]]
            document = slots.documents[place] = ghost_pod(self._group, testbed, place, node_id, self._options)
        try:
            self._client.create(document)
        except AlreadyExistsError:  # one that has just been deleted, or was not seen yet
            return

    # status

    def _describe(self, found: KubeObject, slots: Slots, plan: Plan) -> None:
        entries = slots.report()
        problems = [f"node {node}: {'; '.join(texts)}" for node, texts in sorted(plan.node_problems.items())]
        problems += [f"pod {pod.name} runs on {pod.node_name}, in no slot" for pod in slots.astray.values()]
        if not plan.places and not problems:
            problems.append(f"no node has the label {found.spec['nodeLabel']}")
        state = _state(entries, bool(plan.node_problems) or not plan.places, bool(slots.unsettled))
        self._report(found, state, entries, problems, dict(plan.node_problems))
        slots.reported(entries)

    def _report(
        self,
        found: KubeObject,
        state: TestbedState,
        entries: tuple[Any, ...],
        problems: list[str],
        node_problems: dict[str, list[str]],
    ) -> None:
        status: dict[str, Any] = {"state": state.value, "slots": list(entries)}
        if problems:
            status["problems"] = problems
        if node_problems:
            status["nodeProblems"] = node_problems
        if status != found.status:
            self._own = found.key
            try:
                self._client.update_status(found, status)
            finally:
                self._own = None


def _state(entries: tuple[Any, ...], broken: bool, unsettled: bool) -> TestbedState:
    if broken:
        return TestbedState.ERROR
    free = [entry for entry in entries if entry["state"] == "FREE"]
    if unsettled or not all(["podUId" in entry for entry in free]):  # noqa: C419  # a list is quicker
        return TestbedState.IN_PROGRESS
    return TestbedState.SUCCESS if len(free) == len(entries) else TestbedState.RUNNING


def _is_in(node: KubeObject, testbed: Testbed) -> bool:
    return testbed.spec.node_label in node.labels


def _in(table: dict[Place, dict[Key, KubeObject]], place: Place) -> list[KubeObject]:
    return list(table.get(place, {}).values())


def _flat(table: dict[Place, dict[Key, KubeObject]]) -> list[KubeObject]:
    return [pod for pods in table.values() for pod in pods.values()]
