"""Lets pods be scheduled in the domains that their workload got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import POD, WORKLOAD
from wavetank.cluster.objects.kueue import ADMITTED, POD_SET, TOPOLOGY_GATE, WORKLOAD_NAME
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.topology.requests import Placement, Values, read_placement
from wavetank.controllers.kueue.topology.topologies import is_placed
from wavetank.kernel.clock import SCHEDULERS
from wavetank.kernel.durations import SECOND, Nanoseconds

_BATCH: Nanoseconds = SECOND  # changes of pods are collected for so long


class TopologyUngater:
    """Gives each pod of an admitted workload its domain as node selector, and removes its gate.

    Pods with an index get domains in its order, others in any order. Nothing is followed before `start`.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._store = context.store
        self._clock = context.clock
        self._work = context.queue(self._let_others_go_first)
        self._started = False
        self._pods: dict[Key, dict[str, Pod]] = {}  # of each workload, by uid

    def start(self) -> None:
        """Follows pods and workloads from now on."""
        if self._started:
            return
        self._started = True
        self._store.subscribe(POD, added=self._pod_changed, modified=self._pod_modified, deleted=self._pod_deleted)
        self._store.subscribe(WORKLOAD, modified=self._workload_modified)
        for pod in self._store.list(POD):
            if isinstance(pod, Pod):
                self._pod_changed(pod)

    # events

    def _pod_changed(self, pod: Pod) -> None:
        name = pod.annotations.get(WORKLOAD_NAME)
        if name is None or not is_placed(pod):
            return
        key = (pod.namespace, name)
        pods = self._pods.setdefault(key, {})
        if pod.finished:
            pods.pop(pod.uid, None)
        else:
            pods[pod.uid] = pod
        self._work.add_after(key, _BATCH, background=TOPOLOGY_GATE not in pod.gates)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        self._pod_changed(new)

    def _pod_deleted(self, old: Pod) -> None:
        name = old.annotations.get(WORKLOAD_NAME)
        pods = self._pods.get((old.namespace, name)) if name is not None else None
        if pods is not None and pods.pop(old.uid, None) is not None and not pods:
            del self._pods[old.namespace, str(name)]

    def _workload_modified(self, old: Resource, new: Resource) -> None:
        if new.key in self._pods:
            self._work.add(new.key)

    # work

    def _let_others_go_first(self, key: Key) -> None:
        """Waits for pods that are created at this instant: a real Kueue has them before its timer is over."""
        self._clock.at(self._clock.now, partial(self._reconcile, key), SCHEDULERS)

    def _reconcile(self, key: Key) -> None:
        workload = self._store.find(WORKLOAD, *key)
        if workload is None or not WorkloadStatus(workload, 0).is_true(ADMITTED):
            return
        pods = list(self._pods.get(key, {}).values())
        admission: Mapping[str, Any] = (workload.manifest.get("status") or {}).get("admission") or {}
        for each in admission.get("podSetAssignments") or ():
            if each.get("topologyAssignment"):
                own = [pod for pod in pods if pod.labels.get(POD_SET) == each["name"]]
                self._assign(own, read_placement(each["topologyAssignment"]), _index_label(workload, each["name"]))

    def _assign(self, pods: Sequence[Pod], placement: Placement, index: str) -> None:
        slots = [domain.values for domain in placement.domains for _ in range(domain.pods)]
        ranks = _ranks(pods, index, len(slots))
        chosen = [(pod, slots[ranks[pod.uid]]) for pod in pods] if ranks else _in_order(pods, placement)
        for pod, values in chosen:
            self._ungate(pod, dict(zip(placement.levels, values, strict=True)))

    def _ungate(self, pod: Pod, selector: Mapping[str, str]) -> None:
        present = self._store.find(POD, *pod.key)
        if not isinstance(present, Pod) or present.uid != pod.uid or TOPOLOGY_GATE not in present.gates:
            return
        spec = dict(present.spec.manifest)
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **selector}
        new = present.copy()
        new.gates = tuple(each for each in present.gates if each != TOPOLOGY_GATE)
        new.spec = self._store.specs.intern(spec)
        self._store.update(new)


def _index_label(workload: Resource, pod_set: str) -> str:
    """Returns the label of pods that has their index, empty if there is none."""
    for each in workload.manifest["spec"]["podSets"]:
        if each["name"] == pod_set:
            return str((each.get("topologyRequest") or {}).get("podIndexLabel") or "")
    return ""


def _ranks(pods: Sequence[Pod], label: str, count: int) -> dict[str, int]:
    """Returns the index of each pod by uid; nothing unless all have one, below `count` and their own."""
    ranks = {pod.uid: int(text) for pod in pods if (text := pod.labels.get(label, "")).isdecimal()}
    distinct = set(ranks.values())
    valid = len(distinct) == len(pods) and all(rank < count for rank in distinct)
    return ranks if valid else {}


def _in_order(pods: Sequence[Pod], placement: Placement) -> list[tuple[Pod, Values]]:
    """Gives each gated pod a domain that has fewer pods than assigned."""
    gated = [pod for pod in pods if TOPOLOGY_GATE in pod.gates]
    placed = (pod.spec.manifest.get("nodeSelector") or {} for pod in pods if TOPOLOGY_GATE not in pod.gates)
    present = Counter(tuple(selector.get(level, "") for level in placement.levels) for selector in placed)
    free = [each.values for each in placement.domains for _ in range(each.pods - present[each.values])]
    return list(zip(gated, free, strict=False))
