"""The number of pods that a budget expects, and how many of them must be healthy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.objects.groupkinds import DAEMON_SET, JOB, REPLICA_SET, group_kind_of
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.ownership import Reference, controller_of

# Kinds without a scale subresource.
_UNSCALED = (JOB, DAEMON_SET)


class ExpectedPodsError(Exception):
    """The number of expected pods cannot be determined."""


class ExpectedPods(NamedTuple):
    """The number of expected pods, how many of them must be healthy, and whether some have no controller."""

    pods: int
    healthy: int
    unmanaged: bool = False


def expected_pods(budget: Mapping[str, Any], pods: list[Pod], store: Store) -> ExpectedPods:
    """Returns the expected pods for the spec of a budget; ExpectedPodsError if they cannot be determined."""
    most, least = budget.get("maxUnavailable"), budget.get("minAvailable")
    if most is None and isinstance(least, int):
        return ExpectedPods(len(pods), least)
    if most is None and least is None:
        return ExpectedPods(0, 0)
    expected = sum(_scales(pods, store).values())
    unmanaged = any(controller_of(pod) is None for pod in pods)
    if most is not None:
        return ExpectedPods(expected, max(0, expected - _share(most, expected)), unmanaged)
    return ExpectedPods(expected, _share(least, expected), unmanaged)


def _share(amount: int | str | None, total: int) -> int:
    """Returns a number or a percentage of a total, rounded up."""
    if isinstance(amount, str) and amount.endswith("%"):
        return -(-total * int(amount[:-1]) // 100)
    return int(amount or 0)


def _scales(pods: Iterable[Pod], store: Store) -> dict[str, int]:
    """Returns the desired number of replicas of the pods' controllers, by uid."""
    scales: dict[str, int] = {}
    seen: set[str] = set()
    for pod in pods:
        reference = controller_of(pod)
        if reference is None or str(reference.get("uid")) in seen:
            continue
        seen.add(str(reference.get("uid")))
        controller = _scaled(reference, pod.namespace, store)
        if controller is None:
            raise ExpectedPodsError(f'found no controllers for pod "{pod.name}"')
        scales[controller.uid] = _replicas(controller)
    return scales


def _scaled(reference: Reference, namespace: str, store: Store) -> Resource | None:
    """Returns the object that determines the number of replicas: for a Deployment's ReplicaSet, the Deployment."""
    group_kind = group_kind_of(str(reference.get("apiVersion") or ""), str(reference.get("kind")))
    if group_kind in _UNSCALED:
        raise ExpectedPodsError(f"{store.resource_name(group_kind)} does not implement the scale subresource")
    found = store.find(group_kind, namespace, str(reference.get("name")))
    if found is None or found.uid != reference.get("uid"):
        return None
    above = controller_of(found) if group_kind == REPLICA_SET else None
    return found if above is None or above.get("kind") != "Deployment" else _scaled(above, namespace, store)


def _replicas(controller: Resource) -> int:
    replicas = (controller.manifest.get("spec") or {}).get("replicas")
    return 1 if replicas is None else int(replicas)
