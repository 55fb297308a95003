from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.volcanojobs.pods import JOB_NAME
from wavetank.errors import InputError
from wavetank.simulation.served.podplans import stopping_time
from wavetank.workloads.manifests.behavior import TERMINATION
from wavetank.workloads.manifests.expansion import behavior_of_owned
from wavetank.workloads.manifests.volcanojobs import behavior_of_epochs


def _epochs(pod: Pod) -> PodBehavior | None:
    """Returns the training of a task of K8sSim by its arguments, without K8sSim's restarts."""
    run = behavior_of_epochs(pod.manifest, "") if JOB_NAME in pod.annotations else None
    return None if run is None else PodBehavior(0, flops=run.flops)


def give_behavior(new: Resource) -> None:
    """Gives a pod its behavior before it is created: its commands may be thousands, which takes long."""
    if isinstance(new, Pod):
        set_behavior(new)


def set_behavior(new: Pod) -> None:
    """Gives a pod that a client has created its behavior, by its annotations and commands.

    Subscribe it before the kubelets, which read the behavior.
    """
    if new.behavior is None:
        try:
            new.behavior = _epochs(new) or behavior_of_owned(new.manifest)
            if TERMINATION not in new.annotations:
                new.behavior.termination = stopping_time(new)
        except InputError:
            new.behavior = None  # the annotation is invalid: the pod runs until it is stopped
