"""The objects that every Kubernetes API server creates when it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.validation.server.flowobjects import flow_schema_specs, priority_level_specs
from wavetank.apiserver.verbs.bootstrapping import SERVER, bootstrap
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.rules.admission import SYSTEM_PRIORITIES

_NAMESPACES = ("kube-system", "kube-public", "default", "kube-node-lease")
_DESCRIPTIONS = {
    "system-cluster-critical": "Used for system critical pods that must run in the cluster, but can be moved to "
    "another node if necessary.",
    "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
}
_SERVICE_NETWORK, _SERVICE_ADDRESS = "10.0.0.0/16", "10.0.0.1"
_ADDRESS, _PORT = "192.0.2.2", 36443  # the server's own address; one that is reserved for documentation
_FLOW = "flowcontrol.apiserver.k8s.io/v1"
FLOW_PRODUCER = "api-priority-and-fairness-config-producer-v1"
FLOW_CONSUMER = "api-priority-and-fairness-config-consumer-v1"
_AUTOUPDATED = {"apf.kubernetes.io/autoupdate-spec": "true"}

# Who manages the fields of a kind, and of its status if it is another one; else the server itself.
_MANAGERS: dict[str, tuple[str, str]] = {
    "FlowSchema.flowcontrol.apiserver.k8s.io": (FLOW_PRODUCER, FLOW_CONSUMER),
    "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": (FLOW_PRODUCER, ""),
    "ServiceCIDR.networking.k8s.io": (SERVER, "kubernetes-service-cidr-controller"),
}

# The group priority of each group.
_GROUPS = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "apiextensions.k8s.io": 16700,
    "admissionregistration.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
    "resource.k8s.io": 16200,
}
_VERSIONS = {"/v1": 1, "autoscaling/v2": 30, _FLOW: 21, "resource.k8s.io/v1": 21}


def create_initial_objects(writer: Writer, more: Iterable[Document] = ()) -> None:
    """Creates the objects that do not exist yet, and those in `more`."""
    kinds, now = writer.objects.kinds, writer.now
    for document in (*_documents(kinds, now), *more):
        kind = kinds.named(document["apiVersion"], document["kind"])
        assert kind is not None
        namespace = document["metadata"].get("namespace", "")
        if writer.objects.find(kind, namespace, document["metadata"]["name"]) is None:
            manager, of_status = _MANAGERS.get(kind.group_kind, (SERVER, ""))
            bootstrap(writer, kind, document, manager, of_status)


def _documents(kinds: KindTable, now: str) -> Iterator[Document]:
    for name in _NAMESPACES:
        yield _document("v1", "Namespace", name)
    for name, value in SYSTEM_PRIORITIES.items():
        more = {"value": value, "description": _DESCRIPTIONS[name]}
        yield _document("scheduling.k8s.io/v1", "PriorityClass", name) | more
    yield _document("v1", "ConfigMap", "extension-apiserver-authentication", namespace="kube-system")
    yield from _flows(now)
    yield from _services(now)
    for group, versions in kinds.groups().items():
        if group in _GROUPS:
            yield from (_api_service(group, version, now) for version in versions)
    yield from _components()


def _components() -> Iterator[Document]:
    """Yields the state of the other components: nothing listens where a real server would look for them."""
    for name, port in (("scheduler", 10259), ("controller-manager", 10257)):
        place = f"127.0.0.1:{port}"
        problem = f'Get "https://{place}/healthz": dial tcp {place}: connect: connection refused'
        yield _document("v1", "ComponentStatus", name) | {"conditions": [_health("False", problem)]}
    yield _document("v1", "ComponentStatus", "etcd-0") | {"conditions": [_health("True", "ok")]}


def _health(status: str, message: str) -> Document:
    return {"type": "Healthy", "status": status, "message": message}


def _services(now: str) -> Iterator[Document]:
    network = _document("networking.k8s.io/v1", "ServiceCIDR", "kubernetes") | {"spec": {"cidrs": [_SERVICE_NETWORK]}}
    yield network | _condition("Ready", "True", "", "Kubernetes default Service CIDR is ready", now)
    address_labels = {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    }
    owner = {"resource": "services", "namespace": "default", "name": "kubernetes"}
    address = _document("networking.k8s.io/v1", "IPAddress", _SERVICE_ADDRESS, labels=address_labels)
    yield address | {"spec": {"parentRef": owner}}
    port = {"name": "https", "protocol": "TCP", "port": 443, "targetPort": _PORT}
    spec = {"ports": [port], "clusterIP": _SERVICE_ADDRESS, "clusterIPs": [_SERVICE_ADDRESS], "type": "ClusterIP"}
    spec |= {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
    labels = {"component": "apiserver", "provider": "kubernetes"}
    yield _document("v1", "Service", "kubernetes", namespace="default", labels=labels) | {"spec": spec}
    end = {"name": "https", "port": _PORT, "protocol": "TCP"}
    labels = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    subsets = [{"addresses": [{"ip": _ADDRESS}], "ports": [end]}]
    yield _document("v1", "Endpoints", "kubernetes", namespace="default", labels=labels) | {"subsets": subsets}
    labels = {"kubernetes.io/service-name": "kubernetes"}
    ends = {"endpoints": [{"addresses": [_ADDRESS], "conditions": {"ready": True}}], "ports": [end]}
    piece = _document("discovery.k8s.io/v1", "EndpointSlice", "kubernetes", namespace="default", labels=labels)
    yield piece | {"addressType": "IPv4"} | ends


def _flows(now: str) -> Iterator[Document]:
    for name, spec in flow_schema_specs().items():
        level = spec["priorityLevelConfiguration"]["name"]
        why = f'This FlowSchema references the PriorityLevelConfiguration object named "{level}" and it exists'
        schema = _document(_FLOW, "FlowSchema", name, annotations=_AUTOUPDATED) | {"spec": spec}
        yield schema | _condition("Dangling", "False", "Found", why, now)
    for name, spec in priority_level_specs().items():
        yield _document(_FLOW, "PriorityLevelConfiguration", name, annotations=_AUTOUPDATED) | {"spec": spec}


def _api_service(group: str, version: str, now: str) -> Document:
    labels = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}
    spec: Document = {"version": version, "groupPriorityMinimum": _GROUPS[group]}
    spec |= {"group": group} if group else {}
    spec["versionPriority"] = _VERSIONS.get(f"{group}/{version}", 15)
    service = _document("apiregistration.k8s.io/v1", "APIService", f"{version}.{group}", labels=labels)
    status = _condition("Available", "True", "Local", "Local APIServices are always available", now)
    return service | {"spec": spec} | status


def _document(api_version: str, kind: str, name: str, **metadata: object) -> Document:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}}


def _condition(what: str, status: str, reason: str, message: str, now: str) -> Document:
    condition = {"type": what, "status": status, "lastTransitionTime": now}
    return {"status": {"conditions": [condition | ({"reason": reason} if reason else {}) | {"message": message}]}}
