"""What a pod must have to be placed into a slot."""

from __future__ import annotations

from wavetank.batchoperator.client.objects import KubeObject, requests_of
from wavetank.batchoperator.reconcilers.context import OperatorOptions
from wavetank.batchoperator.resources import labels
from wavetank.cluster.fields.resources import format_amounts, parse_amounts


def pod_problems(pod: KubeObject, testbed: KubeObject, options: OperatorOptions) -> list[str]:
    """Returns what is wrong with a pod that should go into a slot: requests, slots, priority, scheduler, affinity."""
    found = [*_requests(pod, testbed), *_slots(pod, testbed)]
    if not pod.spec.get("priorityClassName") and not pod.spec.get("priority"):
        found.append("it has no priority class, so that it preempts no ghost pod")
    if pod.spec.get("schedulerName") != options.scheduler_name:
        found.append(f"its scheduler is {pod.spec.get('schedulerName')!r}, not {options.scheduler_name!r}")
    if not ((pod.spec.get("affinity") or {}).get("nodeAffinity")):
        found.append("it has no affinity to the nodes of its slots")
    return found


def _requests(pod: KubeObject, testbed: KubeObject) -> list[str]:
    """Checks that the pod fits into a slot."""
    slot = parse_amounts(testbed.spec.get("resourcesPerSlot") or {})
    wanted = requests_of(pod)
    return [
        f"it requests {format_amounts({name: amount})[name]} of {name}, "
        f"a slot has {format_amounts({name: slot.get(name, 0)})[name]}"
        for name, amount in wanted.items()
        if amount > slot.get(name, 0)
    ]


def _slots(pod: KubeObject, testbed: KubeObject) -> list[str]:
    """Checks that the slots exist."""
    ids, known = labels.split_ids(pod.labels.get(labels.SLOT_IDS, "")), len(testbed.status.get("slots") or ())
    if not ids:
        return ["it names no slots"]
    return [f"slot {id_} is not one of the {known} slots of the testbed" for id_ in ids if id_ >= known]
