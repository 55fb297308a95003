from __future__ import annotations

from wavetank.cluster.objects.kueue import ADMISSION_GATE, MANAGED, QUEUE_NAME
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.ownership import controller_of


def gate(pod: Pod) -> None:
    """Keeps a new pod that names a queue from being scheduled until its Workload is admitted, as Kueue's webhook does.

    Pods of Jobs are left alone: their Job is queued, not they.
    """
    if not pod.labels.get(QUEUE_NAME) or ADMISSION_GATE in pod.gates or pod.node_name:
        return
    owner = controller_of(pod)
    if owner is not None and owner.get("kind") == "Job":
        return
    pod.gates = (*pod.gates, ADMISSION_GATE)
    pod.labels = {**pod.labels, MANAGED: "true"}
    metadata = {**(pod.manifest.get("metadata") or {}), "labels": pod.labels}
    pod.manifest = {**pod.manifest, "metadata": metadata}
