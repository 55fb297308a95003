from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.batchoperator.applications.simulated.flavor import Flavor, Picture
from wavetank.batchoperator.applications.simulated.flink import SimulatedFlinkCluster, SimulatedFlinkDeployment
from wavetank.batchoperator.applications.simulated.spark import SimulatedSpark
from wavetank.batchoperator.applications.work import DEFAULT_WORK, WORK, Work, parse_work
from wavetank.batchoperator.client.client import Change, Client
from wavetank.batchoperator.client.objects import KubeObject, timestamp
from wavetank.batchoperator.resources import labels
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import FAILED, PENDING, RUNNING
from wavetank.cluster.objects.resource import parse_time
from wavetank.cluster.store.errors import AlreadyExistsError
from wavetank.controllers.framework.queue import WorkQueue
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import Nanoseconds

Key = tuple[str, str]

FLAVORS: tuple[Flavor, ...] = (SimulatedSpark(), SimulatedFlinkCluster(), SimulatedFlinkDeployment())


@dataclass
class _Run:
    """The work of one application: what is left of it, and since when all its workers have been running."""

    uid: str
    left: Nanoseconds
    started: str = ""
    since: Nanoseconds | None = None
    timer: Timer | None = None
    ended: bool = False
    made: int = 0  # workers, those that were lost included
    pods: dict[str, KubeObject] = field(default_factory=dict)


class SimulatedOperator:
    """An operator of one kind of applications: its leader first, then its workers, which work together.

    The work goes on while all workers run, and takes the time that the application's annotation wavetank.dev/work
    says, or `work`. A worker that is lost is replaced. At the end all pods are deleted.
    """

    def __init__(self, client: Client, clock: Clock, flavor: Flavor, work: Work = DEFAULT_WORK) -> None:
        self._client = client
        self._clock = clock
        self._flavor = flavor
        self._work = work
        self._runs: dict[Key, _Run] = {}
        self._pods: dict[Key, dict[str, KubeObject]] = {}  # by application, then by name
        self._queue = WorkQueue(clock, self._reconcile)
        client.subscribe(flavor.kind, self._changed)
        client.subscribe(POD, self._pod_changed, labels.SIMULATED, flavor.kind.partition(".")[0])

    def _changed(self, change: Change) -> None:
        if change.action != "MODIFIED":  # our own statuses
            self._queue.add(change.object.key)

    def _pod_changed(self, change: Change) -> None:
        pod = change.object
        name = _application_name(pod)
        pods = self._pods.setdefault((pod.namespace, name), {})
        old = pods.get(pod.name)
        if change.action == "DELETED":
            pods.pop(pod.name, None)
        else:
            pods[pod.name] = pod
            if (pod.phase, pod.deleting) == ((old.phase, old.deleting) if old else (PENDING, False)):
                return  # that it waits, or is on its node, changes nothing
        self._queue.add((pod.namespace, name))

    def _reconcile(self, key: Key) -> None:
        application = self._client.get(self._flavor.kind, *key)
        run = self._runs.get(key)
        if application is None or application.deleting or (run is not None and run.uid != application.uid):
            self._remove(key)
        if application is None or application.deleting:
            return
        if run is None or run.uid != application.uid:
            run = self._begin(application)
        if not run.ended:
            self._grow(application, run, self._pods.get(key, {}))
            self._time(key, application, run, self._pods.get(key, {}))
        else:
            self._delete_pods(key)
        pods = self._pods.get(key, {})
        self._report(application, run, pods)
        if not pods:
            self._pods.pop(key, None)

    def _begin(self, application: KubeObject) -> _Run:
        """Begins with an application, or goes on with one that runs already."""
        status = application.status
        started = str(status.get("lastSubmissionAttemptTime") or status.get("startTime") or "")
        left = self._work_of(application).duration(self._flavor.workers(application))
        if started:
            left = max(left - self._clock.now + (parse_time(started, "status") or 0), 0)
        run = self._runs[application.key] = _Run(application.uid, left, started)
        done = status.get("state") == "Stopped" or (status.get("jobStatus") or {}).get("state") == "FINISHED"
        run.ended = done or (status.get("applicationState") or {}).get("state") == "COMPLETED"
        return run

    def _work_of(self, application: KubeObject) -> Work:
        stated = application.annotations.get(WORK)
        try:
            return self._work if stated is None else parse_work(stated)
        except InputError:
            return self._work

    def _remove(self, key: Key) -> None:
        run = self._runs.pop(key, None)
        if run is not None and run.timer is not None:
            run.timer.cancel()
        self._delete_pods(key)

    def _delete_pods(self, key: Key) -> None:
        for pod in list(self._pods.get(key, {}).values()):
            if not pod.deleting:
                self._client.delete(pod)

    def _grow(self, application: KubeObject, run: _Run, pods: dict[str, KubeObject]) -> None:
        """Creates the pods that are missing: the leader, and once it runs the workers."""
        leader = _leader(pods)
        if leader is None:
            self._create(self._flavor.leader_pod(application))
        elif leader.phase == RUNNING:
            present = sum([not _is_leader(pod) and pod.phase != FAILED for pod in pods.values()])
            for _ in range(present, self._flavor.workers(application)):
                run.made += 1
                self._create(self._flavor.worker_pod(application, run.made))

    def _create(self, document: dict[str, object]) -> None:
        try:
            self._client.create(document)
        except AlreadyExistsError:
            return  # of the application before, or not seen yet

    def _time(self, key: Key, application: KubeObject, run: _Run, pods: dict[str, KubeObject]) -> None:
        """Lets the work go on while all workers run."""
        running = sum([pod.phase == RUNNING and not pod.deleting for pod in pods.values()])
        working = running > self._flavor.workers(application)  # and the leader
        now = self._clock.now
        if working and run.since is None:
            run.since, run.started = now, run.started or timestamp(now)
            run.timer = self._clock.after(run.left, lambda: self._end(key, run))
        elif not working and run.since is not None:
            run.left -= now - run.since
            run.since = None
            if run.timer is not None:
                run.timer.cancel()

    def _end(self, key: Key, run: _Run) -> None:
        run.ended, run.timer = True, None
        self._queue.add(key)

    def _report(self, application: KubeObject, run: _Run, pods: dict[str, KubeObject]) -> None:
        leader = _leader(pods)
        workers = {
            pod.name: pod.phase or "Pending" for pod in pods.values() if pod is not leader and not _is_leader(pod)
        }
        phase = "" if leader is None else leader.phase
        status = self._flavor.status(application, Picture(phase, workers, run.started, run.ended and not pods))
        if status != application.status:
            self._client.update_status(application, status)


def _application_name(pod: KubeObject) -> str:
    found = pod.labels.get(labels.SPARK_APP) or pod.labels.get(labels.FLINK_CLUSTER)
    return found or pod.labels.get(labels.FLINK_APP, "")


def _leader(pods: Mapping[str, KubeObject]) -> KubeObject | None:
    for pod in pods.values():
        if _is_leader(pod):
            return pod
    return None


def _is_leader(pod: KubeObject) -> bool:
    return pod.labels.get("spark-role") == "driver" or pod.labels.get("component") == "jobmanager"
