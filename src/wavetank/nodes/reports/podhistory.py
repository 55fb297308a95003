from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.commands import command_of
from wavetank.nodes.containers.reports import ContainerReport, PodReport


class PodHistory:
    """What has happened to a pod on its node, and when; `starts` are those of its containers, the first one first.

    A history only grows, and each version of the pod determines how much of it applies, so that older versions can be
    rendered as they were. `version` is the resource version up to which it goes.
    """

    __slots__ = ("bound", "exits", "finished", "ip", "reports", "starts", "stated", "version")

    def __init__(self, bound: Nanoseconds, ip: str) -> None:
        self.bound = bound
        self.ip = ip
        self.starts: list[Nanoseconds] = []
        self.exits: dict[int, int] = {}  # by run: the version from which on its containers wait for the next one
        self.finished: Nanoseconds | None = None
        self.reports: list[tuple[int, PodReport]] = []  # of containers that run one by one, with the first version
        self.stated: list[int] = []  # versions that show conditions as a client has written them
        self.version = 0

    def note(self, pod: Pod, now: Nanoseconds) -> None:
        """Records what has happened according to a new version of the pod."""
        if pod.phase == RUNNING and len(self.starts) <= pod.restarts:
            self.starts.append(now)
        elif pod.finished and self.finished is None:
            self.finished = now
        self.version = pod.resource_version  # last: another thread may render this version from now on

    @property
    def size(self) -> int:
        """Returns how many containers there are in its reports."""
        return sum(report.size for _, report in self.reports)

    def report(self, pod: Pod) -> PodReport | None:
        """Returns what is reported about the containers of this version of the pod, if they run one by one."""
        return next((report for version, report in reversed(self.reports) if version <= pod.resource_version), None)

    def started(self, pod: Pod) -> Nanoseconds | None:
        """Returns when the containers of this version of the pod started; None if they have not."""
        if len(self.starts) <= pod.restarts or not (pod.phase == RUNNING or pod.finished):
            return None
        return self.starts[pod.restarts]

    def waits(self, pod: Pod) -> bool:
        """Tells whether the containers of this version of the pod have ended and will be restarted."""
        return pod.resource_version >= self.exits.get(pod.restarts, pod.resource_version + 1)

    def ended(self, pod: Pod, run: int) -> Nanoseconds:
        """Returns when the containers of a completed run ended.

        An end that is followed by a restart is not an event in the store, so it is computed from the duration of a run.
        """
        if run == pod.restarts and self.finished is not None:
            return self.finished
        takes = pod.behavior.duration if pod.behavior else None
        if run + 1 == len(self.starts):
            return self.starts[run] + (takes or 0)
        again = self.starts[run + 1]
        return again if takes is None else min(again, self.starts[run] + takes)


def container_log(
    history: PodHistory, pod: Pod, container: Mapping[str, Any], now: Nanoseconds, previous: bool = False
) -> list[tuple[Nanoseconds, str]]:
    """Returns the log of a simulated container, of the previous run if `previous`: times and lines.

    It has what the command prints; if that cannot be read, what happened to the container.
    """
    report = history.report(pod)
    if report is not None:
        return _log_of(report.named(str(container.get("name"))), now, previous)
    run = pod.restarts - previous
    started = history.started(pod)
    if started is None or run < 0:
        return []
    begun = history.starts[run]
    ended = history.ended(pod, run) if previous or pod.finished or history.waits(pod) else None
    if output := command_of(container).output:
        until = now if ended is None else ended
        return [(begun + offset, text) for offset, text in output if begun + offset <= until]
    lines = [(history.bound, f"pod {pod.namespace}/{pod.name} was bound to node {pod.node_name}")] if not run else []
    lines.append((begun, f"pulled image {container.get('image')}"))
    lines.append((begun, f"started container {container.get('name')}{f' again, restart {run}' if run else ''}"))
    lines.append((begun, _plan(pod)))
    if ended is not None:
        lines.append((ended, f"finished with exit code {exit_code(pod)} after {_seconds(ended - begun)}"))
    return lines


def _log_of(container: ContainerReport | None, now: Nanoseconds, previous: bool) -> list[tuple[Nanoseconds, str]]:
    """Returns the log of a container that has a report of its own."""
    if container is None:
        return []
    past = container.past
    ended = past.last if previous or (past.since is None and past.ended is None) else past.ended
    begun = past.since if ended is None else ended.started
    if begun is None:
        return []
    until = now if ended is None else ended.finished
    if output := container.run.output:
        return [(begun + offset, text) for offset, text in output if begun + offset <= until]
    lines = [
        (begun, f"pulled image {container.given.get('image')}"),
        (begun, f"started container {container.name}"),
    ]
    if ended is not None:
        lines.append((until, f"finished with exit code {ended.exit_code} after {_seconds(until - begun)}"))
    return lines


def exit_code(pod: Pod) -> int:
    """Returns the exit code of a pod's container."""
    stated = pod.behavior.exit_code if pod.behavior else 0
    return stated or (1 if pod.phase == "Failed" else 0)


def _plan(pod: Pod) -> str:
    run = pod.behavior
    if run is None or run.duration is None:
        return "running until it is stopped"
    work = f" and {run.flops:g} floating point operations" if run.flops else ""
    return f"running for {_seconds(run.duration)}{work}"


def _seconds(duration: Nanoseconds) -> str:
    return f"{round(duration / SECOND, 3):g} s"
