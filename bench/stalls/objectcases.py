"""Heavy requests: bodies of almost 3 MB in many shapes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from wavetank.apiserver.codec.protobufencoding import encoder_of
from wavetank.apiserver.codec.protobufencoding import field as protobuf_field
from wavetank.apiserver.kinds import KindTable

LARGEST = 3 * 1024 * 1024 - 4096  # bytes of a body, a little below the limit
JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
DEFAULT = "/api/v1/namespaces/default"
MAPS, PODS, SERVICES = f"{DEFAULT}/configmaps", f"{DEFAULT}/pods", f"{DEFAULT}/services"

Document = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One request; the body is bytes. `whole` is false of a stream, of which only the beginning is read."""

    method: str
    path: str
    body: bytes = b""
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    whole: bool = True


def _nothing() -> Iterator[Step]:
    return iter(())


@dataclass(frozen=True)
class Case:
    """A heavy request, made when it is needed, what must be there before, and what is removed afterwards.

    `then` are requests that are measured with it, each a second after the one before.
    """

    name: str
    request: Callable[[], Step]
    before: Callable[[], Iterator[Step]] = _nothing
    after: Callable[[], Iterator[Step]] = _nothing
    then: Callable[[], Iterator[Step]] = _nothing


CASES: list[Case] = []
# Bytes of about the largest bodies whose objects etcd has space for, if it is less than 3 MB.
FITTING = {
    "config map: many keys": 1_800_000,
    "metadata: many labels": 1_800_000,
    "pod: many containers": 740_000,
    "pod: many init containers": 710_000,
    "pod: many env": 2_850_000,
    "pod: many ports": 2_200_000,
    "pod: many requests": 740_000,
    "pod: many tolerations": 1_560_000,
    "pod: many tolerations of one key": 1_520_000,
    "pod: many values of a node term": 1_700_000,
    "pod: many node selector": 1_520_000,
    "pod: many host aliases": 2_150_000,
    "pod: many pull secrets": 2_800_000,
    "pod: many scheduling gates": 2_550_000,
    "deployment: many containers": 700_000,
    "service: many ports": 1_550_000,
    "service: many external addresses": 1_650_000,
    "endpoints: many addresses": 1_880_000,
    "node: many taints": 2_500_000,
    "node: many resources": 670_000,
}


def dump(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


class Limit:
    """How many bytes a body may have."""

    bytes = LARGEST


def limited(limit: int, body: Callable[[], bytes]) -> bytes:
    """Returns a body that is no longer than a limit."""
    Limit.bytes = limit
    try:
        return body()
    finally:
        Limit.bytes = LARGEST


def filling(make: Callable[[int], Any], wrap: Callable[[list[Any]], Any], limit: int = 0) -> bytes:
    """Returns a document with as many items as there is space for."""
    limit = limit or Limit.bytes
    items: list[Any] = []
    size = 200
    for i in count():
        items.append(make(i))
        size += len(dump(items[-1])) + 1
        if size > limit - 4000:
            return dump(wrap(items))
    raise AssertionError


def post(name: str, path: str, body: Callable[[], bytes], media: str = JSON, **more: Any) -> None:
    """Adds a case that creates something; a dry run, unless it is to be stored: then also one that fits into etcd."""
    stored = more.pop("stored", False)
    query = "" if stored else "?dryRun=All"
    CASES.append(Case(name, lambda: Step("POST", path + query, body(), media), **more))
    if stored and name in FITTING:
        fits = FITTING[name]
        CASES.append(Case(f"{name}, stored", lambda: Step("POST", path, limited(fits, body), media), **more))


def removing(*paths: str) -> Callable[[], Iterator[Step]]:
    return lambda: (Step("DELETE", path) for path in paths)


# metadata and plain objects


def meta(name: str = "heavy", **more: Any) -> Document:
    return {"metadata": {"name": name, **more}}


def config_map(**content: Any) -> Document:
    return {**meta(), **content}


def pairs(make: Callable[[int], tuple[str, Any]], wrap: Callable[[Document], Any], limit: int = 0) -> bytes:
    return filling(lambda i: list(make(i)), lambda items: wrap(dict(items)), limit)


post("config map: one long text", MAPS, lambda: dump(config_map(data={"a": "x" * (LARGEST - 200)})), stored=True,
     after=removing(f"{MAPS}/heavy"))  # fmt: skip
post("config map: many keys", MAPS, lambda: pairs(lambda i: (f"k{i}", "v"), lambda data: config_map(data=data)),
     stored=True, after=removing(f"{MAPS}/heavy"))  # fmt: skip
post("config map: many bad keys", MAPS, lambda: pairs(lambda i: (f"!{i}", "v"), lambda data: config_map(data=data)))
post("config map: escapes", MAPS, lambda: dump(config_map(data={"a": "\u1234\n" * (LARGEST // 9)})))
post("config map: surrogates", MAPS, lambda: pairs(lambda i: (f"k{i}", "\ud800"), lambda data: config_map(data=data)))
post("metadata: many labels", MAPS, lambda: pairs(lambda i: (f"k{i}", "v"), lambda data: meta(labels=data)),
     stored=True, after=removing(f"{MAPS}/heavy"))  # fmt: skip
post("metadata: many bad labels", MAPS, lambda: pairs(lambda i: (f"!{i}", "!"), lambda data: meta(labels=data)))
post("metadata: many annotations", MAPS, lambda: pairs(lambda i: (f"k{i}", "v"), lambda data: meta(annotations=data)))
post("metadata: many finalizers", MAPS, lambda: filling(lambda i: f"a.io/f{i}", lambda items: meta(finalizers=items)))
post("metadata: many bad finalizers", MAPS, lambda: filling(lambda i: f"{i}", lambda items: meta(finalizers=items)))


def owner(i: int) -> Document:
    return {"apiVersion": "v1", "kind": "Pod", "name": f"p{i}", "uid": f"u{i}"}


post("metadata: many owners", MAPS, lambda: filling(owner, lambda items: meta(ownerReferences=items)))
post("metadata: one owner many times", MAPS,
     lambda: filling(lambda i: owner(0), lambda items: meta(ownerReferences=items)))  # fmt: skip


def manager(i: int) -> Document:
    fields = {"f:data": {".": {}, f"f:k{i}": {}}}
    known = {"manager": f"m{i}", "operation": "Update", "apiVersion": "v1", "time": "2024-01-01T00:00:00Z"}
    return {**known, "fieldsType": "FieldsV1", "fieldsV1": fields}


post("metadata: many managers", MAPS, lambda: filling(manager, lambda items: meta(managedFields=items)))
post("metadata: one manager of many fields", MAPS, lambda: pairs(
    lambda i: (f"f:k{i}", {}),
    lambda fields: {**meta(managedFields=[{**manager(0), "fieldsV1": {"f:data": fields}}]), "data": {"k1": ""}},
))  # fmt: skip
post("unknown fields", MAPS, lambda: pairs(lambda i: (f"k{i}", 1), lambda data: {**data, **meta()}))
post("unknown fields in a list", PODS, lambda: filling(lambda i: {"x": 1}, lambda items: pod(containers=items)))
post("duplicate keys", MAPS, lambda: b'{"metadata":{"name":"a"},"data":{%s"z":""}}' % (b'"a":"",' * (LARGEST // 7 - 9)))
post("duplicate keys, each twice", MAPS, lambda: b'{"metadata":{"name":"a"},"data":{%s"z":""}}' % b"".join(
    b'"k%d":"","k%d":"",' % (i, i) for i in range(LARGEST // 26)
))  # fmt: skip
post("a syntax error at the end", MAPS, lambda: dump({"data": {"a": ["x"] * (LARGEST // 4 - 99)}})[:-1])
post("bad UTF-8", MAPS, lambda: b'{"data":{"a":"' + b"\xff" * (LARGEST - 99) + b'"}}')
post("a long number", MAPS, lambda: b'{"data":{"a":' + b"1" * (LARGEST - 99) + b"}}")
post("a long fraction", MAPS, lambda: b'{"data":{"a":1.' + b"1" * (LARGEST - 99) + b"}}")
post("many numbers", MAPS, lambda: b'{"data":{"a":[' + b"1," * (LARGEST // 2 - 99) + b"1]}}")
post("many empty lists", MAPS, lambda: b'{"data":{"a":[' + b"[]," * (LARGEST // 3 - 99) + b"1]}}")
post("a value of the wrong type at the end", MAPS,
     lambda: pairs(lambda i: (f"k{i}", "v"), lambda data: config_map(data={**data, "z": 1})))  # fmt: skip
post("deep JSON", MAPS, lambda: b'{"data":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}")


# pods


def pod(**spec: Any) -> Document:
    return {**meta(), "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def container(i: int) -> Document:
    return {"name": f"c{i}", "image": "i"}


def in_container(name: str, items: list[Any]) -> Document:
    return pod(containers=[{"name": "c", "image": "i", name: items}])


def in_affinity(items: list[Any]) -> Document:
    terms = {"nodeSelectorTerms": items}
    return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})


def pod_term(i: int) -> Document:
    return {"labelSelector": {"matchLabels": {"a": f"v{i}"}}, "topologyKey": "kubernetes.io/hostname"}


def spread(i: int) -> Document:
    return {**pod_term(i), "maxSkew": 1, "topologyKey": f"k{i}", "whenUnsatisfiable": "DoNotSchedule"}


POD_PARTS: dict[str, Callable[[], bytes]] = {
    "containers": lambda: filling(container, lambda items: pod(containers=items)),
    "containers of one name": lambda: filling(lambda i: container(0), lambda items: pod(containers=items)),
    "empty containers": lambda: filling(lambda i: {}, lambda items: pod(containers=items)),
    "null containers": lambda: filling(lambda i: None, lambda items: pod(containers=items)),
    "init containers": lambda: filling(container, lambda items: pod(initContainers=items)),
    "env": lambda: filling(
        lambda i: {"name": f"E{i}", "value": f"$(E{i - 1})"}, partial(in_container, "env")
    ),
    "bad env": lambda: filling(lambda i: {"name": "="}, partial(in_container, "env")),
    "ports": lambda: filling(lambda i: {"containerPort": i % 65535 + 1}, partial(in_container, "ports")),
    "host ports": lambda: filling(
        lambda i: {"containerPort": 1, "hostPort": i % 65535 + 1}, partial(in_container, "ports")
    ),
    "volume mounts": lambda: filling(
        lambda i: {"name": f"v{i}", "mountPath": f"/{i}"}, partial(in_container, "volumeMounts")
    ),
    "volumes": lambda: filling(lambda i: {"name": f"v{i}", "emptyDir": {}}, lambda items: pod(volumes=items)),
    "requests": lambda: pairs(lambda i: (f"a.io/r{i}", "1"), lambda data: in_container("resources", {"limits": data})),  # type: ignore[arg-type]
    "tolerations": lambda: filling(lambda i: {"key": f"k{i}"}, lambda items: pod(tolerations=items)),
    "tolerations of one key": lambda: filling(lambda i: {"key": "k"}, lambda items: pod(tolerations=items)),
    "node terms": lambda: filling(
        lambda i: {"matchExpressions": [{"key": "a", "operator": "Exists"}]}, in_affinity
    ),
    "values of a node term": lambda: filling(
        lambda i: f"v{i}",
        lambda items: in_affinity([{"matchExpressions": [{"key": "a", "operator": "In", "values": items}]}]),
    ),
    "pod terms": lambda: filling(
        pod_term,
        lambda items: pod(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": items}}),
    ),
    "spread constraints": lambda: filling(spread, lambda items: pod(topologySpreadConstraints=items)),
    "node selector": lambda: pairs(lambda i: (f"k{i}", "v"), lambda data: pod(nodeSelector=data)),
    "host aliases": lambda: filling(lambda i: {"ip": "1.1.1.1"}, lambda items: pod(hostAliases=items)),
    "pull secrets": lambda: filling(lambda i: {"name": f"s{i}"}, lambda items: pod(imagePullSecrets=items)),
    "claims": lambda: filling(
        lambda i: {"name": f"s{i}", "resourceClaimName": "a"}, lambda items: pod(resourceClaims=items)
    ),
    "scheduling gates": lambda: filling(lambda i: {"name": f"s{i}"}, lambda items: pod(schedulingGates=items)),
}  # fmt: skip
for part, made in POD_PARTS.items():
    post(f"pod: many {part}", PODS, made, stored=True, after=removing(f"{PODS}/heavy?gracePeriodSeconds=0"))
post("deployment: many containers", "/apis/apps/v1/namespaces/default/deployments", lambda: filling(
    container,
    lambda items: {
        **meta(),
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": items}},
        },
    },
), stored=True, after=removing("/apis/apps/v1/namespaces/default/deployments/heavy"))  # fmt: skip
post("pod: many containers, in protobuf", PODS, lambda: as_protobuf("pods", POD_PARTS["containers"]()), PROTOBUF)
post("config map: many keys, in protobuf", MAPS,
     lambda: as_protobuf("configmaps", pairs(lambda i: (f"k{i}", "v"), lambda data: config_map(data=data))),
     PROTOBUF)  # fmt: skip
post("config map: bytes that are no message", MAPS, lambda: b"k8s\0" + b"\x0a\x01" * (LARGEST // 2 - 99), PROTOBUF)


def as_protobuf(plural: str, body: bytes) -> bytes:
    kind = KindTable.builtin(frozenset()).find("", "v1", plural)
    assert kind is not None
    message = encoder_of(kind.schema.structure)(json.loads(body))
    head = protobuf_field(1, b"v1") + protobuf_field(2, kind.kind.encode())
    return b"k8s\0" + protobuf_field(1, head) + protobuf_field(2, message)


# other kinds


post("service: many ports", SERVICES, lambda: filling(
    lambda i: {"name": f"p{i}", "port": i % 65535 + 1}, lambda items: {**meta(), "spec": {"ports": items}}
), stored=True, after=removing(f"{SERVICES}/heavy"))  # fmt: skip
post("service: many external addresses", SERVICES, lambda: filling(
    lambda i: f"1.{i >> 16}.{i >> 8 & 255}.{i & 255}",
    lambda items: {**meta(), "spec": {"ports": [{"port": 1}], "externalIPs": items}},
), stored=True, after=removing(f"{SERVICES}/heavy"))  # fmt: skip
post("endpoints: many addresses", f"{DEFAULT}/endpoints", lambda: filling(
    lambda i: {"ip": f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"},
    lambda items: {**meta(), "subsets": [{"addresses": items, "ports": [{"port": 1}]}]},
), stored=True, after=removing(f"{DEFAULT}/endpoints/heavy"))  # fmt: skip
post("node: many taints", "/api/v1/nodes", lambda: filling(
    lambda i: {"key": f"k{i}", "effect": "NoSchedule"}, lambda items: {**meta(), "spec": {"taints": items}}
), stored=True, after=removing("/api/v1/nodes/heavy"))  # fmt: skip
post("node: many resources", "/api/v1/nodes", lambda: pairs(
    lambda i: (f"a.io/r{i}", "1"), lambda data: {**meta(), "status": {"capacity": data}}
), stored=True, after=removing("/api/v1/nodes/heavy"))  # fmt: skip
post("role: many rules", "/apis/rbac.authorization.k8s.io/v1/clusterroles", lambda: filling(
    lambda i: {"apiGroups": [""], "resources": [f"r{i}"], "verbs": ["get"]}, lambda items: {**meta(), "rules": items}
), stored=True, after=removing("/apis/rbac.authorization.k8s.io/v1/clusterroles/heavy"))  # fmt: skip
post("secret: many keys", f"{DEFAULT}/secrets", lambda: pairs(
    lambda i: (f"k{i}", "dg=="), lambda data: config_map(data=data)))  # fmt: skip
post("ingress: many rules", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", lambda: filling(
    lambda i: {"host": f"h{i}.io"}, lambda items: {**meta(), "spec": {"rules": items}}))  # fmt: skip
post("review: a long token", "/apis/authentication.k8s.io/v1/tokenreviews",
     lambda: dump({"spec": {"token": "a." * (LARGEST // 2 - 99)}}))  # fmt: skip
post("event: a long message", f"{DEFAULT}/events", lambda: dump(
    {**meta(), "involvedObject": {"namespace": "default"}, "message": "x" * (LARGEST - 200)}))  # fmt: skip
CASES.append(Case("delete options: many unknown fields", lambda: Step(
    "DELETE", f"{MAPS}/none", pairs(lambda i: (f"k{i}", 1), lambda data: data))))  # fmt: skip
CASES.append(Case("eviction: many unknown fields", lambda: Step(
    "POST", f"{PODS}/none/eviction",
    pairs(lambda i: (f"k{i}", 1), lambda data: {**meta("none"), **data}))))  # fmt: skip
