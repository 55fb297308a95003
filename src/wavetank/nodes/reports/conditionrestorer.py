from __future__ import annotations

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.reports.kubeletreports import KubeletReports

_SYNC: Nanoseconds = SECOND


class ConditionRestorer:
    """Writes the status of a pod again after a client has overwritten conditions of its kubelet, as kubelets do.

    Until then, a second at most, clients see what was written.
    """

    def __init__(self, context: ActorContext, reports: KubeletReports) -> None:
        self._store = context.store
        self._reports = reports
        self._store.subscribe(POD, modified=self._modified)

    def _modified(self, old: Pod, new: Pod) -> None:
        if new.manifest is not old.manifest and not new.finished and self._reports.restores(old, new):
            self._store.clock.at(self._store.clock.now + _SYNC, lambda: self._restore(new), background=True)

    def _restore(self, written: Pod) -> None:
        pod = self._store.find(POD, written.namespace, written.name)
        if isinstance(pod, Pod) and pod.uid == written.uid and pod.resource_version == written.resource_version:
            self._store.update(pod.copy())
