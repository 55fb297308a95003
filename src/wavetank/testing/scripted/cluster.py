from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wavetank.apiserver.api import Api
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.manifests import load_documents, manifests_in
from wavetank.cluster.objects.resource import parse_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.simulation.served.attached import AttachedManager
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.simulation.served.faults import Fault
from wavetank.testing.scripted.audit import Audit, AuditedRequest
from wavetank.testing.scripted.builtin import AuditedClient, AuditedMetrics
from wavetank.testing.scripted.paths import find_kind, path_of
from wavetank.testing.scripted.pods import PodClient, PodTimes, ScriptedPods
from wavetank.testing.scripted.setting import ClusterLike, Description, SchedulerLike

Document = dict[str, Any]
Time = str | float

_JSON, _MERGE = "application/json", "application/merge-patch+json"
_FOREVER: Nanoseconds = 2**62


@dataclass(frozen=True)
class RecordedEvent:
    """An Event about an object; `time` is when it was last counted, in seconds since the start."""

    time: int
    kind: str
    name: str
    type: str
    reason: str
    message: str
    count: int


class ScriptedCluster:
    """A cluster in virtual time for tests of controllers: built-in ones, or a real kube-controller-manager.

    A script creates, changes and deletes objects at given times, sets what pods use and other metrics, and refuses
    requests; then it reads objects, Events, and the requests that the controllers made. Times are seconds, or texts
    such as 1m30s, since the start of the cluster at 0. Use it in a `with` block, which ends the program.

    `cluster` is `{"nodes": [...]}` as in `wavetank.run`, or a list of manifests; `schedulers` are built-in ones, as
    there; `controllers` names the built-in controllers (`*`, `none`, or a list). `process` is a real
    kube-controller-manager, as `controllers.process` of an Experiment: its controllers replace built-in ones. `flags`
    are flags of kube-controller-manager, by name without dashes, for both.

    `kubelets`: True for simulated ones, whose pods are ready as soon as they run; PodTimes, or a function that returns
    the PodTimes of a pod, for pods that start and end by the script; False if the script writes their statuses.
    `metrics` is a metrics document, in which values may also be a `Signal` or a function of the time in seconds.
    """

    _audit: Audit

    def __init__(
        self,
        *,
        cluster: ClusterLike | None = None,
        schedulers: Iterable[SchedulerLike] = ("default",),
        controllers: str | Sequence[str] = "*",
        process: Mapping[str, Any] | None = None,
        flags: Mapping[str, str] | None = None,
        kubelets: bool | PodTimes | Callable[[Document], PodTimes] = True,
        metrics: Mapping[str, Any] | None = None,
        feature_gates: str = "",
        folder: str | Path = ".",
        seed: int = 1,
    ) -> None:
        description = Description(
            cluster,
            schedulers,
            controllers,
            process,
            flags or {},
            kubelets,
            metrics,
            feature_gates,
            Path(folder),
            seed,
        )
        manager, times = description.manager(), description.pod_times()
        self._served = ServedCluster(description.setting(manager), lambda token: None, self._prepare)
        self._clock, self._api = self._served.clock, self._served.api
        self._pods = ScriptedPods(self._served.store, PodClient(self.request), times) if times is not None else None
        self._manager = None
        if manager is not None:
            self._manager = AttachedManager(self._served, manager, self._answer, seed)

    def _prepare(self, api: Api, context: ControllerContext) -> None:
        audit = self._audit = Audit(context.clock)
        context.client = AuditedClient(context.client, api.kinds, audit)
        context.metrics = AuditedMetrics(context.metrics, context.store.resource_name, audit)

    def _answer(self, request: Request) -> Any:
        return self._audit.handle(request, self._api.handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the program, if there is one."""
        if self._manager is not None:
            self._manager.close()

    # time

    @property
    def now(self) -> float:
        """Returns the time, in seconds since the start."""
        return self._clock.now / SECOND

    def run(self, until: Time) -> None:
        """Lets time pass until then."""
        self._clock.run(parse_duration(until, path="until"))

    def run_for(self, duration: Time) -> None:
        """Lets so much time pass."""
        self._clock.run(self._clock.now + parse_duration(duration, path="duration"))

    def at(self, time: Time, act: Callable[[], object]) -> None:
        """Calls a function at a time, before the controllers act at the same instant."""
        due = parse_duration(time, path="at")
        if due < self._clock.now:
            raise InputError(f"{time!r} is over: it is {self.now} s", path="at")

        def call() -> None:
            act()

        self._clock.at(due, call)

    def _do(self, at: Time | None, act: Callable[[], object]) -> None:
        if at is None:
            act()
        else:
            self.at(at, act)

    # objects

    def create(self, manifests: str | Mapping[str, Any], at: Time | None = None, namespace: str = "default") -> None:
        """Creates objects, now or at a time: one manifest, or YAML text with any number of them."""
        given = load_documents(manifests, "manifests") if isinstance(manifests, str) else [manifests]
        for _, manifest in manifests_in(given, "manifests"):
            self._do(at, lambda manifest=manifest: self._create(manifest, namespace))  # type: ignore[misc]

    def _create(self, manifest: Document, namespace: str) -> None:
        kind = self._api.kinds.named(str(manifest.get("apiVersion")), str(manifest.get("kind")))
        if kind is None:
            raise InputError(f"the cluster serves no {manifest.get('kind')} of {manifest.get('apiVersion')}")
        stated = (manifest.get("metadata") or {}).get("namespace") or namespace
        self.request("POST", path_of(kind, stated), manifest)

    def patch(
        self,
        kind: str,
        name: str,
        patch: Mapping[str, Any],
        at: Time | None = None,
        *,
        namespace: str = "default",
        subresource: str = "",
    ) -> None:
        """Applies a merge patch to an object or its subresource (status, scale), now or at a time."""
        self._do(at, lambda: self.request("PATCH", self._path(kind, namespace, name, subresource), patch))

    def delete(self, kind: str, name: str, at: Time | None = None, *, namespace: str = "default") -> None:
        """Deletes an object, now or at a time."""
        self._do(at, lambda: self.request("DELETE", self._path(kind, namespace, name)))

    def get(self, kind: str, name: str, *, namespace: str = "default", subresource: str = "") -> Document:
        """Returns an object, or a subresource; `kind` may be a name that kubectl accepts: hpa, deployments.apps."""
        return self.request("GET", self._path(kind, namespace, name, subresource))

    def list(self, kind: str, *, namespace: str = "") -> list[Document]:
        """Returns all objects of a kind, in one namespace or in all."""
        found: list[Document] = self.request("GET", self._path(kind, namespace))["items"]
        return found

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Document:
        """Makes any request, as a client outside; returns the document that is answered.

        A patch is a merge patch. A refused request raises a WavetankError whose `status` is the Status.
        """
        path, _, query = path.partition("?")
        pairs = tuple((key, value) for key, _, value in (part.partition("=") for part in query.split("&") if part))
        headers = {"content-type": _MERGE if method == "PATCH" else _JSON}
        sent = b"" if body is None else json.dumps(body).encode()
        answer = self._api.handle(Request(method, path, pairs, headers, sent))
        if not isinstance(answer, Response):
            raise InputError("a scripted cluster reads no streams", path=path)
        document: Document = json.loads(answer.body)
        if answer.status >= 400:
            reason, message = document.get("reason") or "", document.get("message") or ""
            raise StatusError(answer.status, reason, message, document.get("details"))
        return document

    def _path(self, kind: str, namespace: str, name: str = "", subresource: str = "") -> str:
        return path_of(find_kind(self._api.kinds, kind), namespace, name, subresource)

    # faults

    def refuse(
        self,
        path: str,
        *,
        method: str = "GET",
        start: Time = 0,
        end: Time | None = None,
        code: int = 503,
        message: str = "the server is currently unable to handle the request",
        times: int | None = None,
    ) -> None:
        """Refuses requests of the controllers from `start` to `end`, at most `times` of them.

        `path` is a regular expression that is searched in the path, without the query. Requests of the script itself
        are never refused.
        """
        until = _FOREVER if end is None else parse_duration(end, path="end")
        begins = parse_duration(start, path="start")
        self._audit.faults.add(Fault(path, code, begins, until, method, message, None, times))

    def set_ready(self, pod: str, ready: bool, at: Time | None = None, *, namespace: str = "default") -> None:
        """Makes a running pod ready or not, now or at a time; only with PodTimes."""
        pods = self._pods
        if pods is None:
            raise InputError("only scripted pods can be made ready: pass kubelets=PodTimes(...)")
        self._do(at, lambda: pods.set_ready(namespace, pod, ready))

    # what has happened

    def requests(self, method: str = "", path: str = "") -> Sequence[AuditedRequest]:
        """Returns the requests of the controllers, by method and by a regular expression that is searched in paths.

        Of built-in controllers those are the requests that they would make if they ran outside: they read objects
        directly, so only their writes, and their questions about scales and metrics, are listed.
        """
        return self._audit.select(method, path)

    def events(self, name: str = "") -> Sequence[RecordedEvent]:
        """Returns the Events about objects of a name, or about all, in the order of their times."""
        found = [_event(each) for each in self.list("events")]
        return sorted((each for each in found if name in ("", each.name)), key=lambda each: each.time)

    @property
    def log(self) -> str:
        """Returns what the program has logged, "" if there is none."""
        return "" if self._manager is None else self._manager.log


def _event(document: Document) -> RecordedEvent:
    about = document.get("involvedObject") or {}
    last = document.get("lastTimestamp") or document["metadata"]["creationTimestamp"]
    time = parse_time(last, "lastTimestamp") or 0
    return RecordedEvent(
        time // SECOND,
        str(about.get("kind")),
        str(about.get("name")),
        str(document.get("type")),
        str(document.get("reason")),
        str(document.get("message")),
        document.get("count") or 1,
    )
