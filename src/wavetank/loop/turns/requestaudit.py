from __future__ import annotations

import re
from collections import Counter, deque

import msgspec

from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

_BINDINGS = re.compile(r"/api/v1/namespaces/([^/]+)/bindings")
_POD = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/(binding|status)")
_COLLECTION = re.compile(
    r"/(?:api|apis/([^/]+))/[^/]+/(?:namespaces/[^/]+/)?[^/]+"
)  # its resource, not an object of it
BINDING, STATUS = "binding", "status"
_KEPT = 5  # requests that an error shows
PERSISTENT = 5  # times that a program asks in vain before it is taken to need what it asks for


class RequestAudit:
    """What a program has done with pods so far, by its requests; `fault` detects what no scheduler should do.

    A program that `tells` reports every attempt, successful or not, as kube-scheduler does.
    """

    def __init__(self, store: Store, tells: bool = True) -> None:
        self._tells = tells
        self.attempts = 0
        self._lists_pods = False
        self._watches_pods = False
        self._store = store
        self._tried: set[str] = set()
        self._bound: dict[str, str] = {}
        self._last: deque[tuple[Request, Response | Stream]] = deque(maxlen=_KEPT)
        self._missing: Counter[str] = Counter()

    @property
    def ready(self) -> bool:
        """Tells whether it has begun its work: a scheduler watches pods, or asks for them again and again."""
        return self._lists_pods or self._watches_pods

    @property
    def polls(self) -> bool:
        """Tells whether it asks for pods without watching them: only its own timers tell it of new ones."""
        return self._lists_pods and not self._watches_pods

    @property
    def unready_problem(self) -> str:
        """Returns what is wrong with a program that never becomes ready."""
        return "does not watch pods: it never got in sync"

    @property
    def last_requests(self) -> list[str]:
        """Returns the last requests that were served, with their statuses."""
        return [_described(request, answer) for request, answer in self._last]

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
        self._last.append((request, answer))
        if isinstance(answer, Response) and answer.status == 404 and _asks_for_all(request):
            self._missing[request.path] += 1
        if request.method == "GET" and request.path.endswith("/pods"):
            self._lists_pods = True
            self._watches_pods = self._watches_pods or not isinstance(answer, Response)
        subject = _subject(request)
        if subject and subject[2] == BINDING and isinstance(answer, Response) and answer.status == 201:
            pod = self._store.find(POD, *subject[:2])
            if pod is not None:
                self._bound[pod.uid] = _target(request.body)

    @property
    def missing(self) -> str | None:
        """Returns a resource that it asks for again and again although it is not served."""
        return next((path for path, times in self._missing.items() if times >= PERSISTENT), None)

    def has_tried(self, pod: Pod) -> bool:
        """Tells whether it has bound a pod or reported why it could not; True if it does not report attempts."""
        return pod.uid in self._tried or not self._tells

    @property
    def bindings(self) -> int:
        """Returns how many pods it has bound."""
        return len(self._bound)


def _described(request: Request, answer: Response | Stream) -> str:
    query = "?watch" if ("watch", "true") in request.query or ("watch", "1") in request.query else ""
    status = answer.status if isinstance(answer, Response) else 200
    return f"{request.method} {request.path}{query} ({status})"


def _asks_for_all(request: Request) -> bool:
    """Tells whether a request lists or watches a resource; those of metrics come and go."""
    match = _COLLECTION.fullmatch(request.path) if request.method == "GET" else None
    return match is not None and not (match[1] or "").endswith("metrics.k8s.io")


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
