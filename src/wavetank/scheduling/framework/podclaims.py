"""Which claims a pod has, for the plugins that look at them."""

from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.storage import PersistentVolumeClaim


def named_claims(pod: Pod) -> list[str]:
    """Returns the claims that a pod's volumes name, in order."""
    return [volume.claim for volume in pod.spec.volumes if volume.claim is not None]


def names_claim(waiting: Pod, old: object, new: PersistentVolumeClaim) -> bool:
    """Returns that a claim may help the pod if the pod names it."""
    return waiting.namespace == new.namespace and new.name in named_claims(waiting)


def has_claim(waiting: Pod, old: object, new: PersistentVolumeClaim) -> bool:
    """Returns that a claim may help the pod if it is the pod's, those of its ephemeral volumes included."""
    names = (volume.claim_name(waiting.name) for volume in waiting.spec.volumes)
    return waiting.namespace == new.namespace and new.name in names
