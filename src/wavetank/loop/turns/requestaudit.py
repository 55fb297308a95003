from __future__ import annotations

import re

import msgspec

from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

_BINDINGS = re.compile(r"/api/v1/namespaces/([^/]+)/bindings")
_POD = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/(binding|status)")
BINDING, STATUS = "binding", "status"


class RequestAudit:
    """What a program has done with pods so far, by its requests; `fault` detects what no scheduler should do.

    A program that `tells` reports every attempt, successful or not, as kube-scheduler does.
    """

    def __init__(self, store: Store, tells: bool = True) -> None:
        self._tells = tells
        self.attempts = 0
        self.watches_pods = False
        self._store = store
        self._tried: set[str] = set()
        self._bound: dict[str, str] = {}

    def attempted(self, request: Request) -> str | None:
        """Returns how a request ends a scheduling attempt: with a binding or a status; None if it does not."""
        subject = _subject(request)
        return subject[2] if subject else None

    def fault(self, request: Request) -> str | None:
        """Checks a request before it is served; returns what is wrong with it, or None."""
        subject = _subject(request)
        if subject is None:
            return None
        namespace, name, end = subject
        pod = self._store.find(POD, namespace, name)
        if not isinstance(pod, Pod):
            return None
        self.attempts += 1
        self._tried.add(pod.uid)
        return self._wrong_binding(pod, request) if end == BINDING else None

    def _wrong_binding(self, pod: Pod, request: Request) -> str | None:
        node = _target(request.body)
        name = f"pod {pod.namespace}/{pod.name}"
        if node and self._store.find(NODE, "", node) is None:
            return f"has bound {name} to node {node!r}, which does not exist"
        if pod.uid in self._bound:
            return f"has bound {name} twice: to node {self._bound[pod.uid]!r}, then to {node!r}"
        return None

    def note(self, request: Request, answer: Response | Stream) -> None:
        """Records a request that was served."""
        if request.method == "GET" and request.path.endswith("/pods"):
            self.watches_pods = True
        subject = _subject(request)
        if subject and subject[2] == BINDING and isinstance(answer, Response) and answer.status == 201:
            pod = self._store.find(POD, *subject[:2])
            if pod is not None:
                self._bound[pod.uid] = _target(request.body)

    def has_tried(self, pod: Pod) -> bool:
        """Tells whether it has bound a pod or reported why it could not; True if it does not report attempts."""
        return pod.uid in self._tried or not self._tells

    @property
    def bindings(self) -> int:
        """Returns how many pods it has bound."""
        return len(self._bound)


class _Name(msgspec.Struct):
    name: str = ""


class _Binding(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)
    target: _Name = msgspec.field(default_factory=_Name)


_bindings = msgspec.json.Decoder(_Binding)


def _subject(request: Request) -> tuple[str, str, str] | None:
    """Returns the namespace and name of the pod whose attempt a request ends, and how; None if it ends none."""
    if request.method not in ("POST", "PATCH"):
        return None
    match = _POD.fullmatch(request.path)
    if match:
        return match[1], match[2], match[3]
    match = _BINDINGS.fullmatch(request.path)
    return (match[1], _binding(request.body).metadata.name, BINDING) if match else None


def _target(body: bytes) -> str:
    return _binding(body).target.name


def _binding(body: bytes) -> _Binding:
    try:
        return _bindings.decode(body)
    except msgspec.MsgspecError:
        return _Binding()  # the API will refuse it
