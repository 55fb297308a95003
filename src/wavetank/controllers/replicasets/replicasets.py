from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import REPLICA_SET, REPLICATION_CONTROLLER
from wavetank.cluster.objects.kinds import ReplicaSet, ReplicationController
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_of
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.controllers.replicasets.ranking import pods_to_delete
from wavetank.controllers.replicasets.replicas import Replicas
from wavetank.controllers.workloads.adoption import adopt, release
from wavetank.controllers.workloads.conditions import Condition, find_condition, without_condition
from wavetank.controllers.workloads.podcontrol import PodControl
from wavetank.controllers.workloads.podtemplates import pod_of
from wavetank.kernel.durations import SECOND

_BURST = 500  # pods that are created or deleted per sync
_FAILURE = "ReplicaFailure"


Owner = ReplicaSet | ReplicationController


@dataclass(frozen=True)
class ReplicaKind:
    """A kind that keeps a number of pods: `component` is the source of its Events.

    The status of a ReplicationController has no count of pods that terminate.
    """

    group_kind: str
    component: str
    counts_terminating: bool = True


REPLICA_SETS = ReplicaKind(REPLICA_SET, "replicaset-controller")
REPLICATION_CONTROLLERS = ReplicaKind(REPLICATION_CONTROLLER, "replication-controller", counts_terminating=False)


class ReplicaSets:
    """The replicaset-controller: keeps the desired number of pods of each ReplicaSet, and its status.

    As in kube-controller-manager it also is the controller of ReplicationControllers, which `kind` says. Pods are
    counted as they change; only to choose surplus ones are all of them read.
    """

    def __init__(self, context: ControllerContext, kind: ReplicaKind = REPLICA_SETS) -> None:
        self._kind = kind
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._control = PodControl(context, kind.component)
        self._replicas: dict[str, Replicas] = {}  # by uid
        self._templates: dict[str, tuple[Any, Document]] = {}  # by uid: a template and the pod made from it
        self._selectors = SelectorIndex()
        self._adopting: set[Key] = set()  # ReplicaSets that may have orphans to adopt
        self._kin = context.owned(kind.group_kind)
        self._store.subscribe(kind.group_kind, self)
        context.pods.follow_orphans(self._orphan_seen)
        for replica_set in self._store.list(kind.group_kind):
            self.added(replica_set)

    # events

    def added(self, new: Owner) -> None:
        """Adds a ReplicaSet, with its existing pods."""
        replicas = self._replicas[new.uid] = Replicas(self._context, partial(self._queue.add, new.key))
        replicas.expect(_template_labels(new))
        self._selectors.put(new.key, new.selector)
        self._adopting.add(new.key)
        self._context.pods.follow(new.uid, replicas)
        self._queue.add(new.key)

    def modified(self, old: Owner, new: Owner) -> None:
        """Enqueues a ReplicaSet whose spec or metadata has changed."""
        if new.manifest["spec"] is old.manifest["spec"] and new.manifest["metadata"] is old.manifest["metadata"]:
            return
        if new.manifest["spec"] is not old.manifest["spec"]:
            self._selectors.put(new.key, new.selector)
            replicas = self._replicas[new.uid]
            replicas.expect(_template_labels(new))
            if _min_ready_s(new) != _min_ready_s(old):
                replicas.reconsider()
        self._queue.add(new.key)

    def deleted(self, old: Owner) -> None:
        """Removes a ReplicaSet; its pods are left to the garbage collector."""
        self._context.pods.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)
        del self._replicas[old.uid]
        self._templates.pop(old.uid, None)

    def _orphan_seen(self, pod: Pod) -> None:
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._adopting.add(key)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        replica_set = self._store.find(self._kind.group_kind, *key)
        if not isinstance(replica_set, Owner) or replica_set.uid not in self._replicas:
            return
        replicas = self._replicas[replica_set.uid]
        self._claim(replica_set, replicas)
        excess = len(replicas.active) - _wanted(replica_set)
        problem = None
        if excess and replica_set.deleted is None:
            problem = self._manage(replica_set, replicas, excess)
        self._write_status(replica_set, replicas, excess, problem)
        if problem is not None:
            raise problem
        self._wait_for_availability(replica_set, replicas)

    def _claim(self, replica_set: Owner, replicas: Replicas) -> None:
        """Releases pods that no longer match the selector, and adopts matching orphans."""
        while replicas.unsure:
            _, pod = replicas.unsure.popitem()
            if not replica_set.selector.matches(pod.labels):
                release(self._context.client, replica_set, pod)
        if replica_set.key in self._adopting and replica_set.deleted is None:
            self._adopting.discard(replica_set.key)
            for pod in self._context.pods.orphans(replica_set.namespace):
                if replica_set.selector.matches(pod.labels) and pod.deleted is None and not pod.finished:
                    adopt(self._context.client, replica_set, pod)

    def _manage(self, replica_set: Owner, replicas: Replicas, excess: int) -> ApiError | None:
        """Creates missing pods or deletes surplus ones; returns the first error."""
        try:
            if excess < 0:
                document = self._document(replica_set)
                self._control.create_in_batches(replica_set, [document] * min(-excess, _BURST))
            else:
                related = self._related(replica_set, replicas)
                now, ready_since = self._context.clock.now, self._context.ready_since
                number = min(excess, _BURST)
                for pod in pods_to_delete(replicas.active.values(), related, number, now, ready_since):
                    self._control.delete(replica_set, pod)
        except ApiError as error:
            return error
        return None

    def _document(self, replica_set: Owner) -> Document:
        template = replica_set.manifest["spec"]["template"]
        known = self._templates.get(replica_set.uid)
        if known is None or known[0] is not template:
            known = self._templates[replica_set.uid] = (template, pod_of(replica_set, template))
        return known[1]

    def _related(self, replica_set: Owner, replicas: Replicas) -> Iterator[Pod]:
        """Yields the active pods of all ReplicaSets of the same owner."""
        owner = controller_of(replica_set)
        if owner is None:
            yield from replicas.active.values()
            return
        for other in self._kin.of(str(owner.get("uid"))):
            if other.uid in self._replicas:
                yield from self._replicas[other.uid].active.values()

    # status

    def _write_status(self, replica_set: Owner, replicas: Replicas, excess: int, problem: ApiError | None) -> None:
        present = self._store.find(self._kind.group_kind, *replica_set.key)
        if present is None or present.uid != replica_set.uid:
            return
        old = present.manifest.get("status") or {}
        after = _min_ready_s(replica_set) * SECOND
        counts = {
            "fullyLabeledReplicas": replicas.labelled,
            "readyReplicas": replicas.ready,
            "availableReplicas": replicas.available(self._context.clock.now, after),
        }
        status: Document = {"replicas": len(replicas.active)}
        status |= {field: count for field, count in counts.items() if count}
        if self._kind.counts_terminating:
            status["terminatingReplicas"] = len(replicas.terminating)
        status["observedGeneration"] = (present.manifest.get("metadata") or {}).get("generation") or 0
        conditions = self._conditions(old.get("conditions") or [], excess, problem)
        if conditions:
            status["conditions"] = conditions
        if status != old:
            self._context.client.update_status(present, status)

    def _conditions(self, old: list[Condition], excess: int, problem: ApiError | None) -> list[Condition]:
        if problem is None:
            return without_condition(old, _FAILURE)
        if find_condition(old, _FAILURE) is not None:
            return old
        reason = "FailedCreate" if excess < 0 else "FailedDelete"
        now = render_time(self._context.clock.now)
        failure = {"type": _FAILURE, "status": "True", "lastTransitionTime": now, "reason": reason}
        return [*old, {**failure, "message": str(problem)}]

    def _wait_for_availability(self, replica_set: Owner, replicas: Replicas) -> None:
        next_one, after = replicas.next_available, _min_ready_s(replica_set) * SECOND
        if next_one is not None and after:
            self._queue.add_after(replica_set.key, max(next_one + after - self._context.clock.now, 0))


def _wanted(replica_set: Owner) -> int:
    replicas = replica_set.manifest["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def _min_ready_s(replica_set: Owner) -> int:
    return int(replica_set.manifest["spec"].get("minReadySeconds") or 0)


def _template_labels(replica_set: Owner) -> dict[str, str]:
    return ((replica_set.manifest["spec"].get("template") or {}).get("metadata") or {}).get("labels") or {}
