from __future__ import annotations

from collections.abc import Callable, Iterator

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import FAILED, RUNNING, Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.simulation.served.correlation import Part
from wavetank.simulation.served.eventlog import EventLog

_PREEMPTED = "Preempted"
_MOMENT: Nanoseconds = SECOND // 1000


def _never(_: Pod) -> bool:
    return False


class PodEvents:
    """Writes the Events that a built-in scheduler and simulated kubelets would, for `kubectl describe`.

    `scheduler` and `kubelets` tell whose Events are written: programs outside write their own. Of a pod that is `told`
    about container by container the Events of its containers' starts are not written here.
    """

    def __init__(
        self, store: Store, log: EventLog, scheduler: bool, kubelets: bool, told: Callable[[Pod], bool] = _never
    ) -> None:
        self._write = log.write
        self._write_all = log.write_all
        self._scheduler = scheduler
        self._kubelets = kubelets
        self._told = told
        self._clock = store.clock
        self._nominated: dict[str, str] = {}  # by node: the uid of the pod that was nominated to it last
        store.subscribe(POD, modified=self._modified)

    def _modified(self, old: Pod, new: Pod) -> None:
        if self._scheduler:
            self._write_scheduling(old, new)
        if self._kubelets and new.node_name:
            self._write_running(old, new)

    def _write_scheduling(self, old: Pod, new: Pod) -> None:
        source = {"component": new.scheduler_name}
        if new.node_name and not old.node_name:
            message = f"Successfully assigned {new.namespace}/{new.name} to {new.node_name}"
            self._write(new, "Normal", "Scheduled", message, source)
        elif new.unschedulable and new.unschedulable != old.unschedulable:
            self._write(new, "Warning", "FailedScheduling", new.unschedulable, source)
        if new.nominated_node and new.nominated_node != old.nominated_node:
            self._nominated[new.nominated_node] = new.uid
        if new.deleted is not None and old.deleted is None and new.reason == _PREEMPTED:
            # the preemptor is nominated at the same time, before or after
            self._clock.at(self._clock.now + _MOMENT, lambda: self._tell_preemption(new), background=True)

    def _tell_preemption(self, victim: Pod) -> None:
        preemptor = self._nominated.get(victim.node_name, "")
        message = f"Preempted by pod {preemptor} on node {victim.node_name}"
        self._write(victim, "Normal", _PREEMPTED, message, {"component": victim.scheduler_name})

    def _write_running(self, old: Pod, new: Pod) -> None:
        source = {"component": "kubelet", "host": new.node_name}
        if new.phase == RUNNING and not self._told(new) and (old.phase != RUNNING or new.restarts != old.restarts):
            self._write_all(new, "Normal", _starts(new), source)
        elif new.phase == FAILED and old.phase != FAILED and new.reason and new.started is None:
            self._write(new, "Warning", new.reason, new.message, source)
        elif new.deleted is not None and old.deleted is None:
            self._write_all(new, "Normal", _ends(new), source)


def _starts(pod: Pod) -> Iterator[Part]:
    for container in pod.spec.manifest.get("containers") or ():
        field = f"spec.containers{{{container.get('name')}}}"
        yield "Pulled", f'Successfully pulled image "{container.get("image")}"', field
        yield "Created", "Container created", field
        yield "Started", "Container started", field


def _ends(pod: Pod) -> Iterator[Part]:
    for container in pod.spec.manifest.get("containers") or ():
        name = container.get("name")
        yield "Killing", f"Stopping container {name}", f"spec.containers{{{name}}}"
