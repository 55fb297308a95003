from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.plugin import PreEnqueuePlugin


class SchedulingGates(PreEnqueuePlugin):
    """Keeps a pod out of the active queue as long as it has scheduling gates."""

    name = "SchedulingGates"

    def pre_enqueue(self, pod: Pod) -> bool:
        """Returns whether the pod has no gates."""
        return not pod.gates
