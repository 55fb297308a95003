"""Random conversations about one object each: it is created, applied to, updated, scaled, by several managers.

scripts/record_applies.py has them with a real kube-apiserver and keeps what it said; the tests have them with ours.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
Draw = random.Random
Make = Callable[[Draw], Any]

NAMESPACE = "talk"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
JSON = "application/json"
STEPS = 12


def some(draw: Draw, fields: dict[str, Make | Any], share: float = 0.3) -> Document:
    """Returns some of the fields; values may be made."""
    chosen = {name: value for name, value in fields.items() if draw.random() < share}
    return {name: value(draw) if callable(value) else value for name, value in chosen.items()}


def one_of(*values: Any) -> Make:
    return lambda draw: draw.choice(values)


def items(key: str, make: Make, most: int = 3) -> Make:
    """Makes lists of which no two items have the same key."""

    def made(draw: Draw) -> list[Any]:
        found = [make(draw) for _ in range(draw.randrange(most) + 1)]
        return list({str(each.get(key)): each for each in found}.values())

    return made


def env(draw: Draw) -> Document:
    sources = ({"value": draw.choice("12")}, {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, {})
    return {"name": draw.choice("XYZ"), **draw.choice(sources)}


def port(draw: Draw) -> Document:
    named = some(draw, {"protocol": one_of("TCP", "UDP"), "name": f"p{draw.randrange(99)}"})
    return {"containerPort": draw.choice((80, 81, 443)), **named}


def resources(draw: Draw) -> Document:
    requests = some(draw, {"cpu": one_of("100m", "0.1", "1", 1), "memory": one_of("1Gi", "1024Mi")}, 0.6)
    return {"requests": requests, **some(draw, {"limits": {"cpu": "2"}})}


def container(draw: Draw) -> Document:
    return {
        "name": draw.choice("abc"),
        "image": draw.choice(("i:1", "i:2")),
        **some(
            draw,
            {
                "env": items("name", env),
                "ports": items("containerPort", port),
                "args": one_of([], ["x"], ["x", "y"]),
                "resources": resources,
                "volumeMounts": items("mountPath", lambda d: {"name": "v", "mountPath": d.choice(("/a", "/b"))}),
                "livenessProbe": lambda d: {"httpGet": {"path": "/", "port": d.choice((80, "http"))}},
                "securityContext": lambda d: {"runAsUser": d.choice((1, 2)), "capabilities": {"add": [d.choice("AB")]}},
            },
            0.2,
        ),
    }


def pod_spec(draw: Draw) -> Document:
    sources = ({"emptyDir": {}}, {"emptyDir": {"medium": "Memory"}}, {"configMap": {"name": "c"}})
    fields = {
        "volumes": items("name", lambda d: {"name": d.choice("vw"), **d.choice(sources)}),
        "nodeSelector": lambda d: {d.choice("ab"): d.choice("12")},
        "tolerations": lambda d: [{"key": d.choice("kl"), "operator": "Exists"}],
        "hostAliases": items("ip", lambda d: {"ip": d.choice(("1.1.1.1", "2.2.2.2")), "hostnames": [d.choice("xy")]}),
        "imagePullSecrets": items("name", lambda d: {"name": d.choice("st")}),
        "terminationGracePeriodSeconds": one_of(10, 30, 0),
        "securityContext": one_of({}, {"fsGroup": 1}),
        "hostname": one_of("h", "i"),
    }
    return {"containers": items("name", container)(draw), **some(draw, fields, 0.2)}


def template(draw: Draw) -> Document:
    labels = {"app": "x", **some(draw, {"t": one_of("1", "2")})}
    return {"metadata": {"labels": labels}, "spec": pod_spec(draw)}


def deployment(draw: Draw) -> Document:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": draw.choice((1, "10%"))}}
    fields = {"replicas": one_of(0, 1, 2), "strategy": one_of({"type": "Recreate"}, rolling, {}), "paused": True}
    return {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": template(draw), **some(draw, fields)}}


def service(draw: Draw) -> Document:
    def made(d: Draw) -> Document:
        extra = some(d, {"protocol": one_of("TCP", "UDP"), "targetPort": one_of(80, "web")})
        return {"port": d.choice((80, 81)), "name": f"p{d.randrange(999)}", **extra}

    fields = {"selector": lambda d: {d.choice("ab"): d.choice("12")}, "sessionAffinity": one_of("None", "ClientIP")}
    return {"spec": {"ports": items("port", made)(draw), **some(draw, fields)}}


def config_map(draw: Draw) -> Document:
    def texts(d: Draw) -> Document:
        return {d.choice("xyz"): d.choice("12") for _ in range(d.randrange(4))}

    return some(draw, {"data": texts, "binaryData": lambda d: {d.choice("pq"): d.choice(("YQ==", "Yg=="))}}, 0.7)


def autoscaler(draw: Draw) -> Document:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": draw.choice("xy")}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    fields = {"minReplicas": one_of(1, 2), "metrics": one_of([metric])}
    return {"spec": {"scaleTargetRef": target, "maxReplicas": draw.choice((5, 6)), **some(draw, fields)}}


def ingress(draw: Draw) -> Document:
    backend = {"service": {"name": draw.choice("st"), "port": {"number": 80}}}
    return {"spec": {"defaultBackend": backend, **some(draw, {"ingressClassName": one_of("x", "y")})}}


def conditions(draw: Draw) -> list[Document]:
    found: list[Document] = items("type", lambda d: {"type": d.choice("AB"), "status": d.choice(("True", "False"))})(
        draw
    )
    return found


def workload_status(draw: Draw) -> Document:
    return {"replicas": draw.choice((1, 2)), **some(draw, {"readyReplicas": 1, "conditions": conditions})}


def pod_status(draw: Draw) -> Document:
    return {"conditions": conditions(draw), **some(draw, {"phase": one_of("Pending", "Running"), "message": "m"})}


# Where a kind is, what its documents and their status are.
KINDS: dict[str, tuple[str, str, str, Make, Make | None]] = {
    "configmaps": ("/api/v1", "v1", "ConfigMap", config_map, None),
    "pods": ("/api/v1", "v1", "Pod", lambda draw: {"spec": pod_spec(draw)}, pod_status),
    "services": ("/api/v1", "v1", "Service", service, None),
    "deployments": ("/apis/apps/v1", "apps/v1", "Deployment", deployment, workload_status),
    "ingresses": ("/apis/networking.k8s.io/v1", "networking.k8s.io/v1", "Ingress", ingress, None),
    "horizontalpodautoscalers": (
        "/apis/autoscaling/v2",
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        autoscaler,
        lambda draw: {"currentReplicas": draw.choice((1, 2)), "desiredReplicas": 1, "conditions": conditions(draw)},
    ),
}


def metadata(draw: Draw) -> Document:
    def owner(d: Draw) -> Document:
        return {"apiVersion": "v1", "kind": "ConfigMap", "name": d.choice("op"), "uid": d.choice(("u1", "u2"))}

    fields = {
        "labels": lambda d: {d.choice("abc"): d.choice("12") for _ in range(d.randrange(3))},
        "annotations": lambda d: {d.choice("xy"): d.choice("12") for _ in range(d.randrange(3))},
        "finalizers": lambda d: [name for name in ("e.x/a", "e.x/b") if d.random() < 0.5],
        "ownerReferences": items("uid", owner),
    }
    return some(draw, fields, 0.25)


def conversation(seed: int) -> list[list[Any]]:
    """Returns requests: method, path with query, body, content type."""
    draw = random.Random(seed)
    plural = draw.choice(list(KINDS))
    root, version, kind, make, status = KINDS[plural]
    name = f"o{seed}"
    talk = _Talk(
        draw, f"{root}/namespaces/{NAMESPACE}/{plural}", name, {"apiVersion": version, "kind": kind}, make, status
    )
    return [talk.request() for _ in range(STEPS)]


class _Talk:
    """Makes one request after another, whatever was answered."""

    def __init__(self, draw: Draw, base: str, name: str, head: Document, make: Make, status: Make | None) -> None:
        self._draw, self._base, self._path, self._head = draw, base, f"{base}/{name}", head
        self._name, self._make, self._status = name, make, status

    def request(self) -> list[Any]:
        ways = {self._apply: 8, self._post: 1, self._put: 2, self._patch: 4, self._reset: 0.3, self._many: 0.3}
        if self._status is not None:
            ways[self._of_status] = 4
        if self._head["kind"] == "Deployment":
            ways[self._scale] = 3
        return self._draw.choices(list(ways), list(ways.values()))[0]()

    def _document(self) -> Document:
        return {**self._head, "metadata": {"name": self._name, **metadata(self._draw)}, **self._make(self._draw)}

    def _manager(self, *names: str) -> str:
        return f"?fieldManager={self._draw.choice(names)}"

    def _forced(self) -> str:
        return "&force=true" if self._draw.random() < 0.4 else ""

    def _apply(self) -> list[Any]:
        document = self._document()
        for field in list(document.get("spec") or ()):
            if self._draw.random() < 0.2:
                del document["spec"][field]
        return ["PATCH", self._path + self._manager("m1", "m2", "kubectl") + self._forced(), document, APPLY]

    def _post(self) -> list[Any]:
        return ["POST", self._base + self._manager("u1", "u2"), self._document(), JSON]

    def _put(self) -> list[Any]:
        return ["PUT", self._path + self._manager("u1", "u2"), self._document(), JSON]

    def _patch(self) -> list[Any]:
        type_ = self._draw.choice((MERGE, STRATEGIC, JSON_PATCH))
        body: Any = {name: each for name, each in self._document().items() if name not in self._head}
        if type_ == JSON_PATCH:
            body = [{"op": "add", "path": "/metadata/labels", "value": {"j": self._draw.choice("12")}}]
        return ["PATCH", self._path + self._manager("u1", "u2", "m1"), body, type_]

    def _reset(self) -> list[Any]:
        return ["PATCH", self._path, {"metadata": {"managedFields": self._draw.choice(([], [{}]))}}, MERGE]

    def _many(self) -> list[Any]:
        """One of many managers, more than an object remembers."""
        number = self._draw.randrange(20)
        body = {"metadata": {"annotations": {f"n{number}": self._draw.choice("12")}}}
        return ["PATCH", f"{self._path}?fieldManager=many{number}", body, MERGE]

    def _of_status(self) -> list[Any]:
        assert self._status is not None
        body = {"metadata": {"name": self._name}, "status": self._status(self._draw)}
        if self._draw.random() < 0.6:
            query = self._manager("m1", "s1", "s2") + self._forced()
            return ["PATCH", f"{self._path}/status{query}", {**self._head, **body}, APPLY]
        return ["PATCH", f"{self._path}/status{self._manager('u1', 's1')}", body, MERGE]

    def _scale(self) -> list[Any]:
        spec = {"replicas": self._draw.choice((0, 1, 2, 3))}
        if self._draw.random() < 0.5:
            body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": self._name}, "spec": spec}
            return ["PATCH", f"{self._path}/scale{self._manager('m1', 'sc')}{self._forced()}", body, APPLY]
        return ["PATCH", f"{self._path}/scale{self._manager('u1', 'sc')}", {"spec": spec}, MERGE]


_OWN = frozenset({"uid", "resourceVersion", "creationTimestamp", "time", "clusterIP", "clusterIPs", "nodePort"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def comparable(answer: Any) -> Any:
    """Returns an answer without what is another one on each server: uids, versions, times, addresses.

    Times decide which entries come first, and the order of causes is that of a Go map: both are sorted.
    """
    if isinstance(answer, dict):
        found = {name: comparable(each) for name, each in answer.items() if name not in _OWN}
        for name in ("managedFields", "causes"):
            if isinstance(found.get(name), list):
                found[name] = sorted(found[name], key=repr)
        if answer.get("code") == 422:  # what is invalid is tested elsewhere
            return {"code": 422}
        return found
    if isinstance(answer, list):
        return [comparable(each) for each in answer]
    return _TIME.sub("<time>", answer) if isinstance(answer, str) else answer
