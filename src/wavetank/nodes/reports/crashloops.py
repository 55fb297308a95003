from __future__ import annotations

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.reports.kubeletreports import KubeletReports

_MOMENT: Nanoseconds = SECOND // 1000  # an immediate restart is not reported


class CrashLoopReporter:
    """Reports when containers have ended that will be restarted: CrashLoopBackOff.

    The simulated kubelets write nothing until the restart. In a served cluster this writes a new version of the pod,
    without any other change, when its containers end.
    """

    def __init__(self, context: ActorContext, reports: KubeletReports) -> None:
        self._store = context.store
        self._histories = reports
        self._store.subscribe(POD, modified=self._modified)

    def _modified(self, old: Pod, new: Pod) -> None:
        """Plans a report for the end of a pod's containers when they start."""
        is_new_run = old.phase != RUNNING or new.restarts != old.restarts
        if new.phase == RUNNING and is_new_run:
            self.resume(new, self._store.clock.now)

    def resume(self, pod: Pod, started: Nanoseconds) -> None:
        """Plans a report for the end of a running pod's containers, which have started at a time."""
        if pod.behavior is not None and _is_restarted(pod):
            assert pod.behavior.duration is not None
            due = max(self._store.clock.now, started + pod.behavior.duration + _MOMENT)
            self._store.clock.at(due, lambda: self._tell(pod), background=True)

    def _tell(self, started: Pod) -> None:
        pod = self._store.find(POD, started.namespace, started.name)
        if not isinstance(pod, Pod) or pod.uid != started.uid or pod.deleted is not None:
            return
        if pod.phase == RUNNING and pod.restarts == started.restarts:
            self._histories.exited(pod, self._store.version + 1)
            self._store.update(pod.copy())


def _is_restarted(pod: Pod) -> bool:
    """Tells whether a pod's containers end by themselves, at a known time, and are then restarted."""
    run = pod.behavior
    if run is None or run.duration is None or run.flops or run.job is not None:
        return False
    policy = pod.spec.restart_policy
    return policy == "Always" or (policy == "OnFailure" and run.exit_code != 0)
