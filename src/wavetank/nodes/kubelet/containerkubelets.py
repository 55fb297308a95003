from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import FAILED, RUNNING, Pod
from wavetank.kernel.discards import discard_large
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.containers.container import KILLED, Container
from wavetank.nodes.containers.plans import PodPlan
from wavetank.nodes.containers.podcontainers import PodContainers
from wavetank.nodes.containers.reports import Identity, PodReport, report_of
from wavetank.nodes.containers.toldcontainers import ToldContainers
from wavetank.nodes.kubelet import deadlines
from wavetank.nodes.kubelet.admission import PORT_TAKEN, WRONG_OS, is_of_other_os, ports_conflict
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.kubelet.podworker import PodWorker, Step
from wavetank.nodes.podmemory import PodMemory

# About a pod and a container: the type, reason and message of an Event.
Recorder = Callable[[Pod, Container, str, str, str], None]


class Planner(Protocol):
    """Says what the containers of a pod do one by one."""

    def plan(self, pod: Pod, always: bool = False) -> PodPlan | None:
        """Returns what the containers of a pod do; None if the pod's behavior says it, unless `always`."""


class Reports(Protocol):
    """Renders what the kubelets report."""

    def report(self, pod: Pod, version: int, report: PodReport) -> None:
        """Takes the state of a pod's containers, from a resource version on."""


class ContainerKubelets(Kubelets):
    """Kubelets that run the containers of a pod one by one, where they differ: init containers, probes, hooks.

    All other pods are run as a whole. Slower than `Kubelets`, for served clusters; finished pods stay.
    """

    def __init__(
        self,
        context: ActorContext,
        planner: Planner,
        reports: Reports,
        record: Recorder,
        latency: NodeLatency | None = None,
    ) -> None:
        self._plan_pod = planner.plan
        self._reports = reports
        self._record = record
        self._containers: dict[str, PodContainers] = {}
        super().__init__(context, latency, keep_finished=True)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Follows a pod; ephemeral containers that were added are started."""
        super().pod_modified(old, new)
        if new.uid not in self._workers or new.deleted is not None:
            return
        if new.spec is not old.spec and _ephemeral(new) != _ephemeral(old):
            self._debug(new)
        elif (new.spec is not old.spec and _images(new) != _images(old)) or (
            new.uid in self._containers and new.annotations != old.annotations
        ):
            self._replan(old, new)

    def _replan(self, old: Pod, new: Pod) -> None:
        """Follows a pod whose images or annotations have changed."""
        containers, plan = self._one_by_one(old), self._plan_pod(new, always=True)
        if containers is not None and plan is not None:
            containers.replan(plan)

    def _debug(self, pod: Pod) -> None:
        """Starts the new ephemeral containers of a running pod."""
        containers, plan = self._one_by_one(pod), self._plan_pod(pod)
        if containers is not None and plan is not None:
            containers.debug(plan.ephemeral)

    def _one_by_one(self, pod: Pod) -> PodContainers | None:
        """Returns the containers of a pod, from now on run one by one; None if they have not started."""
        containers, worker = self._containers.get(pod.uid), self._workers[pod.uid]
        if containers is None and worker.started is not None:
            plan = self._plan_pod(pod, always=True)
            if plan is not None:
                worker.stop()
                containers = self._make(pod, plan)
                containers.adopt(worker.started, pod.restarts)
        return containers

    def _make(self, pod: Pod, plan: PodPlan) -> PodContainers:
        spec, identity = pod.spec, Identity(pod.namespace, pod.name, pod.uid)
        made = PodContainers(identity, plan, spec.restart_policy, spec.grace_s * SECOND, self._clock, self)
        self._containers[pod.uid] = made
        return made

    # steps of a pod

    def _admit(self, worker: PodWorker, pod: Pod) -> None:
        if is_of_other_os(pod, worker.machine.node):
            self._end(pod, FAILED, *WRONG_OS)
        elif pod.spec.ports and worker.reserved is None and self._takes_a_port(worker, pod):
            self._end(pod, FAILED, *PORT_TAKEN)
        else:
            super()._admit(worker, pod)

    def _takes_a_port(self, worker: PodWorker, pod: Pod) -> bool:
        """Tells whether a pod wants a host port that another one on its machine has."""
        admitted = (each for each in self._workers_on(worker.machine) if each.reserved is not None)
        others = (self._pod_of(each) for each in admitted)
        return any(ports_conflict(pod.spec.ports, other.spec.ports) for other in others if other is not None)

    def _start(self, worker: PodWorker, pod: Pod) -> None:
        plan = self._plan_pod(pod) if pod.uid not in self._containers else None
        if plan is None:
            super()._start(worker, pod)
        else:
            worker.started = self._clock.now
            containers = self._make(pod, plan)
            containers.start()
            if plan.ephemeral:
                containers.debug(plan.ephemeral)

    def _terminate(self, worker: PodWorker, pod: Pod) -> None:
        containers = self._containers.get(pod.uid)
        if containers is None or worker.machine.down:
            super()._terminate(worker, pod)
            return
        assert pod.deleted is not None
        grace = max(0, pod.deleted - self._clock.now)
        self._at(worker, self._clock.now + containers.stop(grace), self._stopped(containers, grace))

    def _stopped(self, containers: PodContainers, grace: Nanoseconds) -> Step:
        """Returns the step that removes a pod whose containers were asked to stop."""

        def stopped(worker: PodWorker, _: Pod) -> None:
            containers.stopped(grace, lambda: remove(worker))

        def remove(worker: PodWorker) -> None:
            present = self._pod_of(worker)  # a new version of the pod
            if present is not None:
                self._remove(worker, present)

        return stopped

    def _overdue(self, worker: PodWorker, pod: Pod) -> None:
        containers = self._containers.get(pod.uid)
        if containers is None:
            self._end(pod, FAILED, deadlines.REASON, deadlines.MESSAGE)
        else:
            containers.kill(KILLED, "Error", lambda: self._end_killed(worker, containers))

    def _end_killed(self, worker: PodWorker, containers: PodContainers) -> None:
        """Ends a pod whose containers were killed at its deadline."""
        pod = self._pod_of(worker)
        if pod is not None:
            self._report(pod, containers)
            self._end(pod, FAILED, deadlines.REASON, deadlines.MESSAGE)

    def _leave(self, pod: Pod) -> None:
        super()._leave(pod)
        containers = self._containers.pop(pod.uid, None)
        if containers is not None:
            containers.lose()
            if containers.has_many:
                discard_large(containers)

    def _resume(self, worker: PodWorker, pod: Pod) -> None:
        containers = self._containers.get(pod.uid)
        if containers is None or pod.deleted is not None or self._deadlines.is_over(pod):
            super()._resume(worker, pod)
        else:
            containers.recover()

    # going on after a restart of the simulation

    def resume(self, pod: Pod, past: PodMemory | None) -> None:
        """Goes on with a pod of an earlier simulation, container by container if they ran one by one."""
        plan = self._plan_pod(pod, always=True) if past is not None and past.containers is not None else None
        if past is not None and past.containers is not None and plan is not None:
            containers = self._make(pod, plan)
            containers.remember(past.containers, plan.ephemeral)
            self._reports.report(pod, pod.resource_version, report_of(containers))
        super().resume(pod, past)
        if pod.uid not in self._workers:  # it has finished, or its node is gone
            self._containers.pop(pod.uid, None)

    def _resume_stop(self, worker: PodWorker, pod: Pod, since: Nanoseconds) -> None:
        containers = self._containers.get(pod.uid)
        if containers is None or pod.deleted is None:
            super()._resume_stop(worker, pod, since)
            return
        grace = pod.deleted - since
        self._plan(worker, since + containers.stop(grace), self._stopped(containers, grace))

    def _resume_run(self, worker: PodWorker, pod: Pod, past: PodMemory) -> None:
        containers = self._containers.get(pod.uid)
        if containers is None or past.containers is None:
            super()._resume_run(worker, pod, past)
            return
        containers.resume(past.containers)
        if len(_ephemeral(pod)) > len(past.containers.ephemeral):
            self._debug(pod)

    # failing machines

    def crash(self, node_name: str) -> None:
        """Stops a machine: nothing happens on it until it is repaired."""
        super().crash(node_name)
        for uid, containers in self._containers.items():
            if self._workers[uid].machine.node.name == node_name:
                containers.lose()

    # what the containers tell

    def changed(self, containers: ToldContainers) -> None:
        """Writes a new version of the pod, with the new state of its containers."""
        worker = self._workers.get(containers.pod.uid)
        pod = self._pod_of(worker) if worker is not None else None
        if pod is None or pod.finished:
            return
        new = pod.copy()
        new.restarts = containers.restarts
        if containers.is_running:
            new.phase = RUNNING
            if new.started is None:
                new.started = self._clock.now
        self._report(new, containers)
        self._store.update(new)

    def ended(self, containers: ToldContainers, phase: str, exit_code: int) -> None:
        """Ends the pod."""
        worker = self._workers.get(containers.pod.uid)
        pod = self._pod_of(worker) if worker is not None else None
        if pod is None:
            return
        self._report(pod, containers)
        self._end(pod, phase, "", "")

    def record(self, containers: ToldContainers, container: Container, type_: str, reason: str, message: str) -> None:
        """Records an Event about a container."""
        worker = self._workers.get(containers.pod.uid)
        pod = self._pod_of(worker) if worker is not None else None
        if pod is not None:
            self._record(pod, container, type_, reason, message)

    def _report(self, pod: Pod, containers: ToldContainers) -> None:
        self._reports.report(pod, self._store.version + 1, report_of(containers))


def _images(pod: Pod) -> list[object]:
    lists = (pod.spec.manifest.get("initContainers") or (), pod.spec.manifest.get("containers") or ())
    return [each.get("image") for containers in lists for each in containers]


def _ephemeral(pod: Pod) -> list[object]:
    return [each.get("name") for each in pod.spec.manifest.get("ephemeralContainers") or ()]
