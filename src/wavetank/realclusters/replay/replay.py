from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import SERVED
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.realclusters.client.client import ApiClient
from wavetank.realclusters.client.informer import Document, Informer
from wavetank.realclusters.client.outbox import Outbox, Request
from wavetank.realclusters.mirror.realtime import RealTime
from wavetank.realclusters.replay.journal import Change, Header, Journal
from wavetank.realclusters.replay.manifests import REPLAY, Style
from wavetank.realclusters.replay.observation import Observation
from wavetank.realclusters.replay.plan import Creation, Plan
from wavetank.results.recording.recorder import Recorder

SCHEDULER = "real"  # what the cluster's scheduler is called in the results

_CHECK_S = 0.2


class _AnyPod:
    """The scheduler of the real cluster, which is responsible for all pods."""

    def takes(self, pod: Pod) -> bool:
        """Returns True."""
        return True


@dataclass
class Progress:
    """How far a replay is, in objects and pods."""

    total: int
    created: int = 0
    pods: int = 0
    finished: int = 0


class Replay:
    """Submits a plan to a cluster at its times, and records what becomes of its pods.

    `recorder` has the rows at the end. Names are the same in each attempt, so that a creation that is repeated after
    an error, or by a replay that goes on, makes nothing twice.
    """

    def __init__(self, client: ApiClient, plan: Plan, style: Style, horizon: Nanoseconds | None = None) -> None:
        self.recorder = Recorder()
        self.refused: list[str] = []
        self.missed = 0  # changes of pods that had happened before a replay went on
        self.progress = Progress(len(plan.creations))
        self._client = client
        self._plan = plan
        self._style = style
        self._horizon = horizon
        self._outbox = Outbox(client, self._refuse, workers=1)  # one by one: the order is part of the workload
        self._jobs_done = not any(each.document["kind"] == "Job" for each in plan.creations)

    @property
    def notes(self) -> list[str]:
        """Returns what was refused, and whether times are later than they were."""
        late = f"resumed: {self.missed} changes of pods before that have the time at which it went on"
        return [*([late] if self.missed else []), *self.refused]

    def header(self, server: str, seed: int) -> Header:
        """Returns what the journal begins with."""
        digest = sha256(msgspec.json.encode([(each.time, each.document) for each in self._plan.creations])).hexdigest()
        style = self._style
        return Header(style.name, digest, server, style.namespace, style.speed, seed, time.time_ns())

    def begin(self, journal: Journal, header: Header, resumed: bool) -> None:
        """Starts the clock: at 0, or where it is by now if the replay goes on."""
        changes: list[Change] = []
        if resumed:
            header, changes = journal.resume(header)
        else:
            journal.begin(header)
        self._time = RealTime(0, self._style.speed)
        store = Store(self._time.clock)
        self.recorder.join(ActorContext(store, Streams(0), SERVED.version))
        self.recorder.attached([(SCHEDULER, _AnyPod())])
        behaviors = {each.document["metadata"]["name"]: each.behavior for each in self._plan.creations if each.behavior}
        self._observed = Observation(store, behaviors, journal.note)
        for change in changes:
            self._time.clock.run(max(change.time, self._time.clock.now))
            self._observed.repeat(change)
        self._is_resuming = resumed
        if resumed:
            self._time.set_back(time.time_ns() - header.began_ns)

    async def run(self, stopped: asyncio.Event, tell: Callable[[Progress], None] = lambda _: None) -> bool:
        """Runs until everything has ended, the horizon, or `stopped`; returns whether it came to its end."""
        selected = f"?labelSelector={REPLAY}%3D{self._style.name}"
        pods = f"/api/v1/namespaces/{self._style.namespace}/pods{selected}"
        tasks = [asyncio.ensure_future(self._outbox.run())]
        try:
            for kind, path in ((NODE, "/api/v1/nodes"), (POD, pods)):
                informer = Informer(self._client, path, partial(self._replace, kind), partial(self._change, kind))
                tasks.append(asyncio.ensure_future(informer.run()))
                await informer.synced.wait()
            self._submit_all()
            while not stopped.is_set():
                if await self._is_done():
                    return True
                tell(self._progress())
                await asyncio.sleep(_CHECK_S)
            return False
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._time.stop()
            self.recorder.ended(max(self._time.now, self._time.clock.now))

    # submitting

    def _submit_all(self) -> None:
        """Plans all creations; those that are due, and were not seen, are made at once."""
        clock = self._time.clock
        self._time.advance()
        for creation in self._plan.creations:
            if creation.document["kind"] == "Pod" and creation.document["metadata"]["name"] in self._observed.created:
                self.progress.created += 1
            else:
                clock.at(max(creation.time, clock.now), partial(self._submit, creation))
        self._time.advance()
        self._time.plan()

    def _submit(self, creation: Creation) -> None:
        self.progress.created += 1
        request = Request("POST", _collection(creation.document), creation.document)
        self._outbox.put(creation.key, lambda: [request])

    def _refuse(self, key: Hashable, request: Request, error: ApiError) -> None:
        if not isinstance(error, AlreadyExistsError):
            self.refused.append(f"{key} was refused: {error}")

    # observing

    def _replace(self, kind: str, documents: list[Document]) -> None:
        self._time.advance()
        before = self._observed.changes
        self._observed.replace(kind, documents)
        if kind == POD and self._is_resuming:
            self._is_resuming = False
            self.missed = self._observed.changes - before
        self._time.plan()

    def _change(self, kind: str, action: str, document: Document) -> None:
        self._time.advance()
        self._observed.change(kind, action, document)
        self._time.plan()

    def _progress(self) -> Progress:
        self.progress.pods = len(self.recorder.rows)
        self.progress.finished = self.recorder.finished_pods
        return self.progress

    async def _is_done(self) -> bool:
        if self._horizon is not None and self._time.now >= self._horizon:
            return True
        if self.progress.created < len(self._plan.creations) or not self._outbox.idle or self._observed.unfinished:
            return False
        missing = {each.document["metadata"]["name"] for each in self._plan.creations if each.behavior is not None}
        if len(missing - self._observed.created) > len(self.refused):
            return False  # created, and not seen yet
        return self._jobs_done or await self._have_jobs_ended()

    async def _have_jobs_ended(self) -> bool:
        """Asks for the Jobs, whose controller may still make pods."""
        path = f"/apis/batch/v1/namespaces/{self._style.namespace}/jobs?labelSelector={REPLAY}%3D{self._style.name}"
        try:
            jobs = (await self._client.read("GET", path)).get("items") or []
        except ApiError:
            return False  # the server is away
        self._jobs_done = all(_has_ended(job) for job in jobs)
        return self._jobs_done


def check_unfinished(journal: Journal, resumed: bool, out: Path) -> None:
    """Raises InputError if there is a journal of a replay that has not ended, and it is not to go on."""
    if journal.path.exists() and not resumed:
        hint = f"give --resume, or delete {journal.path}"
        raise InputError(f"a replay into this folder has not ended: {hint}", source=str(out))


def _has_ended(job: dict[str, Any]) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


_PLURALS = {
    "CronJob": "cronjobs",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "Job": "jobs",
    "Pod": "pods",
    "ReplicaSet": "replicasets",
    "ReplicationController": "replicationcontrollers",
    "StatefulSet": "statefulsets",
}


def _collection(document: dict[str, Any]) -> str:
    version = document["apiVersion"]
    root = "/api/" if "/" not in version else "/apis/"
    return f"{root}{version}/namespaces/{document['metadata']['namespace']}/{_PLURALS[document['kind']]}"
