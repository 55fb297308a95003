"""Gates of pods that wait for their quota, as Kueue's webhook sets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import LOCAL_QUEUE
from wavetank.cluster.objects.kueue import ADMISSION_GATE, MANAGED, QUEUE_NAME
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.ownership import controller_of

DEFAULT = "default"  # the LocalQueue of what names none
_GATES = "schedulingGates"


def default_queue(store: Store, namespace: str) -> str:
    """Returns the LocalQueue of Jobs and pods of a namespace that name none; empty if there is none."""
    return DEFAULT if store.find(LOCAL_QUEUE, namespace, DEFAULT) is not None else ""


def gate(pod: Pod, store: Store) -> None:
    """Keeps a new pod of a queue from being scheduled until its Workload is admitted.

    Pods of Jobs are left alone: their Job is queued, not they.
    """
    if ADMISSION_GATE in pod.gates or pod.node_name:
        return
    queue = _queue_of(pod.labels, pod.namespace, controller_of(pod), store)
    if not queue:
        return
    pod.gates = (*pod.gates, ADMISSION_GATE)
    pod.set_labels({**pod.labels, QUEUE_NAME: queue, MANAGED: "true"})


def gate_document(document: dict[str, Any], namespace: str, store: Store) -> None:
    """Does the same with the document of a new pod."""
    metadata, spec = document.setdefault("metadata", {}), document["spec"]
    gates = spec.get(_GATES) or []
    if spec.get("nodeName") or any(each.get("name") == ADMISSION_GATE for each in gates):
        return
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    labels = metadata.get("labels") or {}
    queue = _queue_of(labels, namespace, owner, store)
    if queue:
        spec[_GATES] = [*gates, {"name": ADMISSION_GATE}]
        metadata["labels"] = {**labels, QUEUE_NAME: queue, MANAGED: "true"}


def _queue_of(labels: Mapping[str, str], namespace: str, owner: Mapping[str, Any] | None, store: Store) -> str:
    """Returns the LocalQueue that a pod itself is queued in; empty if it is not."""
    if owner is not None and owner.get("kind") == "Job":
        return ""
    return labels.get(QUEUE_NAME) or ("" if owner else default_queue(store, namespace))
