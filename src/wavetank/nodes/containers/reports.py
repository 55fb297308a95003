"""The statuses of containers, as their kubelet reports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.commands import CommandRun
from wavetank.nodes.containers.container import BACK_OFF, Container
from wavetank.nodes.containers.memory import ContainerMemory, PodContainersMemory
from wavetank.nodes.containers.plans import ContainerPlan, Terminated
from wavetank.nodes.containers.podcontainers import PodContainers

Json = dict[str, Any]

_RUNTIME = "wavetank"


@dataclass(frozen=True, slots=True)
class ContainerReport:
    """One container: its plan, its newest command, what it has done, and its status."""

    plan: ContainerPlan
    run: CommandRun
    past: ContainerMemory
    status: Json


@dataclass(frozen=True, slots=True)
class PodReport:
    """What a kubelet reports of a pod's containers, from one version of the pod on.

    `initialized` and `ready` are the times since when the pod is, or None; `changed` is when `ready` became what it is.
    """

    init: tuple[ContainerReport, ...]
    main: tuple[ContainerReport, ...]
    ephemeral: tuple[ContainerReport, ...]
    initialized: Nanoseconds | None
    ready: Nanoseconds | None
    changed: Nanoseconds
    incomplete: tuple[str, ...]
    unready: tuple[str, ...]
    running: bool

    def named(self, container: str) -> ContainerReport | None:
        """Returns a container by its name."""
        every = (*self.init, *self.main, *self.ephemeral)
        return next((each for each in every if each.plan.name == container), None)

    def memory(self) -> PodContainersMemory:
        """Returns what is kept of the containers over a restart of the simulation."""
        init, main, ephemeral = (
            tuple(each.past for each in containers) for containers in (self.init, self.main, self.ephemeral)
        )
        return PodContainersMemory(init, main, ephemeral, self.initialized, self.ready is not None, self.changed)


def report_of(pod: Pod, containers: PodContainers) -> PodReport:
    """Returns what the kubelet of a pod reports about its containers now."""
    return PodReport(
        tuple(_report(pod, each) for each in containers.init),
        tuple(_report(pod, each) for each in containers.main),
        tuple(_report(pod, each) for each in containers.ephemeral),
        containers.initialized,
        containers.ready_changed if containers.ready else None,
        containers.ready_changed,
        tuple(containers.incomplete),
        tuple(containers.unready),
        containers.is_running,
    )


def _report(pod: Pod, container: Container) -> ContainerReport:
    given, last = container.plan.given, container.last
    begun = container.since is not None or container.ended is not None or last is not None
    status = container_status(
        pod,
        given,
        _last_run(container),
        begun,
        _state(pod, container),
        {} if last is None else {"terminated": terminated(pod, given, last)},
        ready=container.ready,
        started=container.started,
    )
    status["restartCount"] = container.restarts
    return ContainerReport(container.plan, container.run.command, container.memory(), status)


def _last_run(container: Container) -> int:
    """Returns the number of the newest run; a container that waits for its restart still has the old one's identity."""
    return container.last.run if container.waiting and container.last is not None else container.restarts


def _state(pod: Pod, container: Container) -> Json:
    if container.since is not None:
        return {"running": {"startedAt": render_time(container.since)}}
    if container.ended is not None:
        return {"terminated": terminated(pod, container.plan.given, container.ended)}
    if container.waiting == BACK_OFF:
        return {"waiting": {"reason": BACK_OFF, "message": back_off_message(pod, container.name)}}
    said = {"message": container.why} if container.why else {}
    return {"waiting": {"reason": container.waiting, **said}}


def back_off_message(pod: Pod, container: str) -> str:
    """Returns the message of a container that waits to be restarted."""
    return f"back-off restarting failed container={container} pod={pod.name}_{pod.namespace}({pod.uid})"


def terminated(pod: Pod, given: Mapping[str, Any], end: Terminated) -> Json:
    """Returns the end of a run as a status states it."""
    said = {"message": end.message} if end.message else {}
    return {
        "exitCode": end.exit_code,
        "reason": end.reason,
        **said,
        "startedAt": render_time(end.started),
        "finishedAt": render_time(end.finished),
        "containerID": container_id(pod, given, end.run),
    }


def container_status(
    pod: Pod, given: Mapping[str, Any], run: int, begun: bool, state: Json, last: Json, *, ready: bool, started: bool
) -> Json:
    """Returns the status of a container; `begun` tells whether it has ever run."""
    image = str(given.get("image") or "")
    status = {"name": given.get("name"), "state": state, "lastState": last, "ready": ready, "restartCount": run}
    status |= {"image": image, "imageID": f"{_RUNTIME}://{image}" if begun else ""}
    if begun:
        status["containerID"] = container_id(pod, given, run)
    return {**status, "started": started, **_resources(given)}


def _resources(given: Mapping[str, Any]) -> Json:
    """Returns the resources that the kubelet has allocated, and that the container has."""
    resources = given.get("resources") or {}
    requests = resources.get("requests")
    allocated = {"allocatedResources": dict(requests)} if requests else {}
    return {**allocated, "resources": dict(resources)}


def container_id(pod: Pod, given: Mapping[str, Any], run: int) -> str:
    """Returns the identity of a container's run."""
    return f"{_RUNTIME}://{pod.uid}/{given.get('name')}/{run}"
