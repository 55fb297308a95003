from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.clustersnapshot import Misfit
from wavetank.controllers.framework.pods import are_equivalent, controller_of, is_daemon_set_pod

_MOST_GROUPS = 10  # of one controller; further pods are groups of one


@dataclass(slots=True, eq=False)
class PodGroup:
    """Pods of one controller with equal labels and specs; the first one stands for all.

    `misfits` tells by node group why they do not fit it; they are `schedulable` if they fit any.
    """

    pods: list[Pod]
    misfits: dict[str, Misfit] = field(default_factory=dict)
    schedulable: bool = False

    @property
    def example(self) -> Pod:
        """Returns the pod that stands for all."""
        return self.pods[0]


def group_pods(pods: Iterable[Pod]) -> list[PodGroup]:
    """Groups equivalent pods, in the order of their first pods; bare pods and DaemonSet pods are groups of one."""
    groups: list[PodGroup] = []
    by_controller: dict[str, list[PodGroup]] = {}
    for pod in pods:
        controller = controller_of(pod)
        if controller is None or is_daemon_set_pod(pod):
            groups.append(PodGroup([pod]))
            continue
        known = by_controller.setdefault(str(controller["uid"]), [])
        found = next((group for group in known if are_equivalent(group.example, pod)), None)
        if found is not None:
            found.pods.append(pod)
            continue
        groups.append(PodGroup([pod]))
        if len(known) < _MOST_GROUPS:
            known.append(groups[-1])
    return groups
