"""Which pods of a node must move if it is removed, and which pods keep it from being removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.scaledown.budgets import RemainingBudgets
from wavetank.controllers.framework.pods import controller_of, is_daemon_set_pod, is_mirror_pod
from wavetank.kernel.durations import SECOND, Nanoseconds

SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
_SYSTEM = "kube-system"
_LONG_TERMINATING: Nanoseconds = 30 * SECOND  # beyond its grace period a pod no longer counts
_REPLICATED = {
    "ReplicationController": "ReplicationController",
    "ReplicaSet": "ReplicaSet.apps",
    "StatefulSet": "StatefulSet.apps",
    "Job": "Job.batch",
}


class Owner(NamedTuple):
    """The controller of a pod."""

    kind: str
    namespace: str
    name: str


class BlockingPodError(Exception):
    """A pod keeps its node from being removed."""


class DrainRules:
    """The rules of the autoscaler about the pods of a node, in its order: the first that applies decides."""

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options

    def pods_to_move(self, pods: Iterable[Pod], budgets: RemainingBudgets | None, now: Nanoseconds) -> list[Pod]:
        """Returns the pods that must move; BlockingPodError if one cannot. Without budgets they are not looked at."""
        moving = []
        for pod in pods:
            if not self.must_move(pod, now):
                continue
            self._check(pod, budgets, now)
            moving.append(pod)
        if budgets is not None:
            for pod in moving:
                if budgets.blocks(pod):
                    raise BlockingPodError(f"not enough pod disruption budget to move {pod.name}")
        return moving

    def must_move(self, pod: Pod, now: Nanoseconds) -> bool:
        """Returns whether a pod would have to move if its node were removed."""
        return not (is_mirror_pod(pod) or is_long_terminating(pod, now) or is_daemon_set_pod(pod))

    def _check(self, pod: Pod, budgets: RemainingBudgets | None, now: Nanoseconds) -> None:
        self._check_replicas(pod)
        if pod.annotations.get(SAFE_TO_EVICT) == "true" or pod.phase in (SUCCEEDED, FAILED):
            return
        options = self._options
        if not self._is_replicated(pod):
            raise BlockingPodError(f"{pod.name} is not replicated")
        if options.skip_nodes_with_system_pods and self._is_blocking_system_pod(pod, budgets, now):
            what = "non-daemonset, non-mirrored, non-pdb-assigned kube-system pod present"
            raise BlockingPodError(f"{what}: {pod.name}")
        if pod.annotations.get(SAFE_TO_EVICT) == "false":
            raise BlockingPodError(f"pod annotated as not safe to evict present: {pod.name}")
        if options.skip_nodes_with_local_storage and _has_local_storage(pod):
            raise BlockingPodError(f"pod with local storage present: {pod.name}")

    def owner_of(self, pod: Pod) -> Owner | None:
        """Returns the owner that must have enough replicas for the pod to move, if any."""
        controller = controller_of(pod) if self._options.skip_nodes_with_custom_controller_pods else None
        kind = str(controller["kind"]) if controller else ""
        return Owner(kind, pod.namespace, str(controller["name"])) if controller and kind in _REPLICATED else None

    def problem_of(self, owner: Owner, pod: str) -> str:
        """Returns why a pod of an owner cannot move, or an empty string."""
        found = self._store.find(_REPLICATED[owner.kind], owner.namespace, owner.name)
        if found is None:
            return f"{owner.kind.lower()} for {pod} is not available"
        replicas = (found.manifest.get("spec") or {}).get("replicas")
        least = self._options.min_replica_count
        if owner.kind in ("ReplicationController", "ReplicaSet") and replicas is not None and replicas < least:
            return f"replication controller for {pod} has too few replicas spec: {replicas} min: {least}"
        return ""

    def _check_replicas(self, pod: Pod) -> None:
        owner = self.owner_of(pod)
        if owner is not None and (problem := self.problem_of(owner, pod.name)):
            raise BlockingPodError(problem)

    def _is_replicated(self, pod: Pod) -> bool:
        controller = controller_of(pod)
        if controller is None:
            return False
        return not self._options.skip_nodes_with_custom_controller_pods or controller["kind"] in _REPLICATED

    def _is_blocking_system_pod(self, pod: Pod, budgets: RemainingBudgets | None, now: Nanoseconds) -> bool:
        if pod.namespace != _SYSTEM or now - pod.created > self._options.blocking_system_pod_distruption_timeout:
            return False
        return budgets is None or not budgets.matching(pod)


def is_long_terminating(pod: Pod, now: Nanoseconds) -> bool:
    """Returns whether a pod should have ended long ago."""
    return pod.deleted is not None and pod.deleted + _LONG_TERMINATING < now


def _has_local_storage(pod: Pod) -> bool:
    safe = {name.strip() for name in pod.annotations.get(SAFE_VOLUMES, "").split(",")}
    return any(_is_local(volume) and volume["name"] not in safe for volume in pod.spec.manifest.get("volumes") or ())


def _is_local(volume: dict[str, object]) -> bool:
    empty = volume.get("emptyDir")
    in_memory = isinstance(empty, dict) and empty.get("medium") == "Memory"
    return "hostPath" in volume or ("emptyDir" in volume and not in_memory)
