"""The controller that says of each APIService whether what serves it is available."""

from __future__ import annotations

from collections.abc import Callable

from wavetank.apiserver.custom.definition.conditions import condition, condition_of, with_conditions
from wavetank.apiserver.definitions.statuses import update_status
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.groupkinds import ENDPOINT_SLICE, SERVICE
from wavetank.cluster.objects.resource import Resource

# Says whether the server itself serves a group and version that an APIService leaves to a Service.
Serves = Callable[[str, str], bool]

_OWNER = "kubernetes.io/service-name"
_COMPARED = ("status", "reason", "message")


class AvailabilityController:
    """Keeps the condition Available of all APIServices up to date, at once after each write.

    The server calls no aggregated API servers: one behind a Service with endpoints counts as failing. Groups that the
    server serves itself are available, even if the Service does not exist.
    """

    def __init__(self, writer: Writer, serves: Serves) -> None:
        self._writer = writer
        self._serves = serves
        self._store = writer.objects.store
        kind = writer.objects.kinds.named("apiregistration.k8s.io/v1", "APIService")
        assert kind is not None
        self._kind = kind
        self._remote: dict[str, tuple[str, str]] = {}  # the namespaces and names of their Services
        self._store.subscribe(kind.group_kind, self)
        follow = self._follow
        self._store.subscribe(SERVICE, added=follow, modified=lambda _, new: follow(new), deleted=follow)
        self._store.subscribe(ENDPOINT_SLICE, added=follow, modified=lambda _, new: follow(new), deleted=follow)
        for each in list(self._store.list(kind.group_kind)):
            self._sync(each.name)

    def added(self, new: Resource) -> None:
        """Syncs a new APIService."""
        self._sync(new.name)

    def modified(self, old: Resource, new: Resource) -> None:
        """Syncs a changed APIService."""
        self._sync(new.name)

    def deleted(self, old: Resource) -> None:
        """Forgets an APIService."""
        self._remote.pop(old.name, None)

    def _follow(self, changed: Resource) -> None:
        """Syncs the APIServices behind a Service that has changed, or whose endpoints have."""
        if self._remote:
            place = changed.namespace, changed.labels.get(_OWNER, changed.name)
            for name in [name for name, behind in self._remote.items() if behind == place]:
                self._sync(name)

    def _sync(self, name: str) -> None:
        present = self._store.find(self._kind.group_kind, "", name)
        if present is None:
            return
        spec = present.manifest["spec"]
        service = spec.get("service")
        if service is None:
            wanted = condition("Available", "True", "Local", "Local APIServices are always available")
        else:
            self._remote[name] = service["namespace"], service["name"]
            wanted = self._check(spec, service)
        document = present.render()
        found = condition_of(document, "Available") or {}
        if any(found.get(key) != wanted[key] for key in _COMPARED):
            update_status(self._writer, self._kind, with_conditions(document, self._writer.now, wanted), present)

    def _check(self, spec: Document, reference: Document) -> Document:
        if self._serves(spec.get("group", ""), spec["version"]):
            return condition("Available", "True", "Passed", "all checks passed")
        name, namespace = reference["name"], reference["namespace"]
        where, port = f'service/{name} in "{namespace}"', reference.get("port", 443)
        service = self._store.find(SERVICE, namespace, name)
        if service is None:
            return _unavailable("ServiceNotFound", f"{where} is not present")
        found: Document = service.manifest["spec"]
        if found.get("type") == "ClusterIP":
            unready = self._check_endpoints(namespace, name, found, port)
            if unready is not None:
                return unready
        url = f"https://{found.get('clusterIP', '')}:{port}/apis/{spec['group']}/{spec['version']}"
        problem = f"failing or missing response from {url}: simulated pods serve nothing"
        return _unavailable("FailedDiscoveryCheck", problem)

    def _check_endpoints(self, namespace: str, name: str, spec: Document, port: int) -> Document | None:
        where = f'service/{name} in "{namespace}"'
        entry = next((each for each in spec.get("ports") or () if each["port"] == port), None)
        if entry is None:
            return _unavailable("ServicePortError", f"{where} is not listening on port {port}")
        slices = [
            each.manifest
            for each in self._store.list(ENDPOINT_SLICE)
            if each.namespace == namespace and each.labels.get(_OWNER) == name
        ]
        if not slices:
            return _unavailable("EndpointsNotFound", f"cannot find endpointslices for {where}")
        port_name = entry.get("name") or ""
        if not any(_is_ready(each) and _has_port(each, port_name) for each in slices):
            problem = f'endpointslices for {where} have no addresses with port name "{port_name}"'
            return _unavailable("MissingEndpoints", problem)
        return None


def _unavailable(reason: str, message: str) -> Document:
    return condition("Available", "False", reason, message)


def _is_ready(piece: Document) -> bool:
    ready = ((each.get("conditions") or {}).get("ready") for each in piece.get("endpoints") or ())
    return any(each is not False for each in ready)


def _has_port(piece: Document, name: str) -> bool:
    return any((each.get("name") or "") == name and "port" in each for each in piece.get("ports") or ())
