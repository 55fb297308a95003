"""The statuses of containers, as their kubelet reports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.commands import CommandRun
from wavetank.nodes.containers.container import BACK_OFF, Container
from wavetank.nodes.containers.memory import ContainerMemory, PodContainersMemory
from wavetank.nodes.containers.plans import Terminated, is_sidecar

if TYPE_CHECKING:
    from wavetank.nodes.containers.toldcontainers import ToldContainers

Json = dict[str, Any]

_RUNTIME = "wavetank"


class PodIdentity(Protocol):
    """What the statuses of containers say about their pod."""

    @property
    def namespace(self) -> str:
        """Returns the pod's namespace."""
        ...

    @property
    def name(self) -> str:
        """Returns the pod's name."""
        ...

    @property
    def uid(self) -> str:
        """Returns the pod's unique ID."""
        ...


class Identity(NamedTuple):
    """A pod's identity without the pod, which would be kept with it."""

    namespace: str
    name: str
    uid: str


class ContainerReport:
    """One container: its spec, its newest command, what it has done; its status is rendered on first use.

    It has no plan, which would keep the pod.
    """

    __slots__ = ("_pod", "_status", "given", "past", "run")

    def __init__(self, pod: PodIdentity, given: Mapping[str, Any], run: CommandRun, past: ContainerMemory) -> None:
        self.given = given
        self.run = run
        self.past = past
        self._pod = pod
        self._status: Json | None = None

    @property
    def name(self) -> str:
        """Returns the container's name."""
        return str(self.given.get("name"))

    @property
    def status(self) -> Json:
        """Returns the container's status."""
        if self._status is None:
            self._status = _status(self._pod, self.given, self.past)
        return self._status


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

    @property
    def size(self) -> int:
        """Returns how many containers there are."""
        return len(self.init) + len(self.main) + len(self.ephemeral)

    def named(self, container: str) -> ContainerReport | None:
        """Returns a container by its name."""
        every = (*self.init, *self.main, *self.ephemeral)
        return next((each for each in every if each.name == container), None)

    @property
    def incomplete(self) -> list[str]:
        """Returns the init containers that are not done."""
        return [each.name for each in self.init if not self._is_done(each)]

    def _is_done(self, container: ContainerReport) -> bool:
        if is_sidecar(container.given):
            return container.past.started or self.initialized is not None
        return container.past.ended is not None and container.past.ended.exit_code == 0

    @property
    def unready(self) -> list[str]:
        """Returns the containers that are not ready."""
        sidecars = (each for each in self.init if is_sidecar(each.given))
        return [each.name for each in chain(sidecars, self.main) if not each.past.ready]

    def memory(self) -> PodContainersMemory:
        """Returns what is kept of the containers over a restart of the simulation."""
        init, main, ephemeral = (
            tuple(each.past for each in containers) for containers in (self.init, self.main, self.ephemeral)
        )
        return PodContainersMemory(init, main, ephemeral, self.initialized, self.ready is not None, self.changed)


def report_of(containers: ToldContainers) -> PodReport:
    """Returns what the kubelet of a pod reports about its containers now."""
    init, main, ephemeral = (
        tuple([each.report or describe(containers.pod, each) for each in part])
        for part in (containers.init, containers.main, containers.ephemeral)
    )
    ready = containers.ready_changed if containers.ready else None
    return PodReport(init, main, ephemeral, containers.initialized, ready, containers.ready_changed)


def describe(pod: Identity, container: Container) -> ContainerReport:
    """Makes the report of a container that has changed."""
    made = container.report = ContainerReport(pod, container.plan.given, container.run.command, container.memory())
    return made


def _status(pod: PodIdentity, given: Mapping[str, Any], past: ContainerMemory) -> Json:
    last = past.last
    begun = past.since is not None or past.ended is not None or last is not None
    status = container_status(
        pod,
        given,
        _last_run(past),
        begun,
        _state(pod, given, past),
        {} if last is None else {"terminated": terminated(pod, given, last)},
        ready=past.ready,
        started=past.started,
    )
    status["restartCount"] = past.restarts
    return status


def _last_run(past: ContainerMemory) -> int:
    """Returns the number of the newest run; a container that waits for its restart still has the old one's identity."""
    return past.last.run if past.waiting and past.last is not None else past.restarts


def _state(pod: PodIdentity, given: Mapping[str, Any], past: ContainerMemory) -> Json:
    if past.since is not None:
        return {"running": {"startedAt": render_time(past.since)}}
    if past.ended is not None:
        return {"terminated": terminated(pod, given, past.ended)}
    if past.waiting == BACK_OFF:
        return {"waiting": {"reason": BACK_OFF, "message": back_off_message(pod, past.name)}}
    said = {"message": past.why} if past.why else {}
    return {"waiting": {"reason": past.waiting, **said}}


def back_off_message(pod: PodIdentity, container: str) -> str:
    """Returns the message of a container that waits to be restarted."""
    return f"back-off restarting failed container={container} pod={pod.name}_{pod.namespace}({pod.uid})"


def terminated(pod: PodIdentity, given: Mapping[str, Any], end: Terminated) -> Json:
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
    pod: PodIdentity,
    given: Mapping[str, Any],
    run: int,
    begun: bool,
    state: Json,
    last: Json,
    *,
    ready: bool,
    started: bool,
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


def container_id(pod: PodIdentity, given: Mapping[str, Any], run: int) -> str:
    """Returns the identity of a container's run."""
    return f"{_RUNTIME}://{pod.uid}/{given.get('name')}/{run}"
