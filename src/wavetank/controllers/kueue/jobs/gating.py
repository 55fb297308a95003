from __future__ import annotations

from wavetank.cluster.objects.groupkinds import LOCAL_QUEUE
from wavetank.cluster.objects.kueue import ADMISSION_GATE, MANAGED, QUEUE_NAME
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.ownership import controller_of

DEFAULT = "default"  # the LocalQueue of what names none


def default_queue(store: Store, namespace: str) -> str:
    """Returns the LocalQueue of Jobs and pods of a namespace that name none; empty if there is none."""
    return DEFAULT if store.find(LOCAL_QUEUE, namespace, DEFAULT) is not None else ""


def gate(pod: Pod, store: Store) -> None:
    """Keeps a new pod of a queue from being scheduled until its Workload is admitted, as Kueue's webhook does.

    Pods of Jobs are left alone: their Job is queued, not they.
    """
    if ADMISSION_GATE in pod.gates or pod.node_name:
        return
    owner = controller_of(pod)
    queue = pod.labels.get(QUEUE_NAME) or ("" if owner else default_queue(store, pod.namespace))
    if not queue or (owner is not None and owner.get("kind") == "Job"):
        return
    pod.gates = (*pod.gates, ADMISSION_GATE)
    pod.labels = {**pod.labels, QUEUE_NAME: queue, MANAGED: "true"}
    metadata = {**(pod.manifest.get("metadata") or {}), "labels": pod.labels}
    pod.manifest = {**pod.manifest, "metadata": metadata}
