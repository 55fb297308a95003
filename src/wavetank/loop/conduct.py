from __future__ import annotations

import re

import msgspec

from wavetank.apiserver.request import Request, Response
from wavetank.apiserver.stream import Stream
from wavetank.cluster.pod import Pod
from wavetank.cluster.store import Store

_POD = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/(binding|status)")
BINDING, STATUS = "binding", "status"


class Conduct:
    """What a program has done with pods so far, as its requests tell; `fault` is what no scheduler should do."""

    def __init__(self, store: Store) -> None:
        self.attempts = 0
        self.watches_pods = False
        self._store = store
        self._tried: set[str] = set()
        self._bound: dict[str, str] = {}

    def attempted(self, request: Request) -> str | None:
        """Says which end of a scheduling attempt a request is: a binding, a status, or None for anything else."""
        if request.method not in ("POST", "PATCH"):
            return None
        match = _POD.fullmatch(request.path)
        return match[3] if match else None

    def fault(self, request: Request) -> str | None:
        """Looks at a request before it is served; returns what is wrong with it, or None."""
        match = _POD.fullmatch(request.path) if request.method in ("POST", "PATCH") else None
        if match is None:
            return None
        pod = self._store.find("Pod", match[1], match[2])
        if not isinstance(pod, Pod):
            return None
        self.attempts += 1
        self._tried.add(pod.uid)
        return self._wrong_binding(pod, request) if match[3] == BINDING else None

    def _wrong_binding(self, pod: Pod, request: Request) -> str | None:
        node = _target(request.body)
        name = f"pod {pod.namespace}/{pod.name}"
        if node and self._store.find("Node", "", node) is None:
            return f"has bound {name} to node {node!r}, which does not exist"
        if pod.uid in self._bound:
            return f"has bound {name} twice: to node {self._bound[pod.uid]!r}, then to {node!r}"
        return None

    def note(self, request: Request, answer: Response | Stream) -> None:
        """Looks at a request that was served."""
        if request.method == "GET" and request.path.endswith("/pods"):
            self.watches_pods = True
        match = _POD.fullmatch(request.path)
        if match and match[3] == BINDING and isinstance(answer, Response) and answer.status == 201:
            pod = self._store.find("Pod", match[1], match[2])
            if pod is not None:
                self._bound[pod.uid] = _target(request.body)

    def has_tried(self, pod: Pod) -> bool:
        """Tells whether it has bound a pod, or said why it could not."""
        return pod.uid in self._tried


class _Name(msgspec.Struct):
    name: str = ""


class _Binding(msgspec.Struct):
    target: _Name = msgspec.field(default_factory=_Name)


_bindings = msgspec.json.Decoder(_Binding)


def _target(body: bytes) -> str:
    try:
        return _bindings.decode(body).target.name
    except msgspec.MsgspecError:
        return ""  # the API will say what is wrong with it
