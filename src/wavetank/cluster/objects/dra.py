"""The objects of dynamic resource allocation (resource.k8s.io): devices of nodes, and claims on devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wavetank.cel.syntax import ExpressionError
from wavetank.cel.values import EvaluationError
from wavetank.cluster.fields.selectors import NodeSelector
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.errors import InputError

if TYPE_CHECKING:
    from wavetank.cluster.fields.deviceselectors import DeviceSelector

EXACT_COUNT, ALL = "ExactCount", "All"
_MODES = (EXACT_COUNT, ALL)


class DeviceId(NamedTuple):
    """What names a device in the whole cluster."""

    driver: str
    pool: str
    device: str


class Device:
    """One device of a slice; `attributes` as (type, value) by name as given."""

    __slots__ = ("_matches", "_variables", "attributes", "id")

    def __init__(self, driver: str, pool: str, raw: Mapping[str, Any]) -> None:
        from wavetank.cluster.fields.deviceselectors import device_variables  # loads CEL, which few runs need

        self.id = DeviceId(driver, pool, str(raw.get("name") or ""))
        self.attributes = {str(name): _attribute(value) for name, value in (raw.get("attributes") or {}).items()}
        capacity = {str(name): item["value"] for name, item in (raw.get("capacity") or {}).items()}
        try:
            self._variables = device_variables(driver, self.attributes, capacity)
        except EvaluationError as error:
            raise InputError(f"expected a semantic version such as 1.2.3: {error}", path="spec.devices") from None
        self._matches: dict[DeviceSelector, bool] = {}

    def matches(self, selector: DeviceSelector) -> bool:
        """Returns whether a selector selects the device, which is evaluated once; an EvaluationError if that fails."""
        known = self._matches.get(selector)
        if known is None:
            known = self._matches[selector] = selector.matches(self._variables)
        return known

    def attribute(self, name: str) -> tuple[str, Any] | None:
        """Returns (type, value) of an attribute by its full name; the driver's own may be listed without domain."""
        domain, _, own = name.partition("/")
        return self.attributes.get(name) or (self.attributes.get(own) if domain == self.id.driver else None)


class ResourceSlice(Resource):
    """Devices of one driver in one pool, on one node, on some, or on all."""

    __slots__ = ("all_nodes", "devices", "driver", "generation", "node_name", "node_selector", "pool", "slices")
    kind = "ResourceSlice"
    api_version = "resource.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = manifest.get("spec") or {}
        pool = spec.get("pool") or {}
        self.driver = str(spec.get("driver") or "")
        self.pool = str(pool.get("name") or "")
        self.generation = int(pool.get("generation") or 0)
        self.slices = int(pool.get("resourceSliceCount") or 0)
        self.node_name = str(spec.get("nodeName") or "")
        self.all_nodes = bool(spec.get("allNodes"))
        selector = spec.get("nodeSelector")
        self.node_selector = None if selector is None else NodeSelector.parse(selector, path="spec.nodeSelector")
        self.devices = tuple(Device(self.driver, self.pool, raw) for raw in spec.get("devices") or ())

    def is_on(self, node: Node) -> bool:
        """Returns whether the devices can be used on a node."""
        if self.node_name:
            return self.node_name == node.name
        return self.all_nodes or (self.node_selector is not None and self.node_selector.matches(node.labels, node.name))


class DeviceClass(Resource):
    """A kind of device, described by selectors that must all match."""

    __slots__ = ("selectors",)
    kind = "DeviceClass"
    api_version = "resource.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.selectors = _selectors(manifest.get("spec") or {}, "spec")


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """One request of a claim: a number of devices of a class, or all of them."""

    name: str
    class_name: str
    mode: str
    count: int
    admin_access: bool
    selectors: tuple[DeviceSelector, ...]


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """One request of a claim: the first of its alternatives that can be had; `is_exact` if there is but one."""

    name: str
    alternatives: tuple[DeviceRequest, ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class MatchAttribute:
    """Devices of these requests (of all, if none is named) must have the same value of an attribute."""

    attribute: str
    requests: frozenset[str]


class Allocation:
    """What a claim got: `results` as (request, device), and where the devices can be used; None means anywhere."""

    __slots__ = ("admin", "manifest", "node_selector", "results")

    def __init__(self, manifest: Manifest) -> None:
        raw = (manifest.get("devices") or {}).get("results") or ()
        self.manifest = manifest
        self.results = tuple(
            (str(item["request"]), DeviceId(item["driver"], item["pool"], item["device"])) for item in raw
        )
        self.admin = frozenset(i for i, item in enumerate(raw) if item.get("adminAccess"))
        selector = manifest.get("nodeSelector")
        self.node_selector = None if selector is None else NodeSelector.parse(selector, path="status.allocation")

    def held(self) -> Iterator[DeviceId]:
        """Yields the devices that no other claim can have; a device under admin access is free for others."""
        return (device for i, (_, device) in enumerate(self.results) if i not in self.admin)


class ResourceClaim(Resource):
    """A claim on devices; `allocation` once it is allocated, `reserved_for` the uids of the pods that may use it."""

    __slots__ = ("allocation", "constraints", "owner", "requests", "reserved_for")
    kind = "ResourceClaim"
    api_version = "resource.k8s.io/v1"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        devices = (manifest.get("spec") or {}).get("devices") or {}
        status = manifest.get("status") or {}
        self.requests = tuple(
            _claim_request(raw, f"spec.devices.requests[{i}]") for i, raw in enumerate(devices.get("requests") or ())
        )
        self.constraints = tuple(
            _constraint(raw, f"spec.devices.constraints[{i}]") for i, raw in enumerate(devices.get("constraints") or ())
        )
        self.allocation = Allocation(status["allocation"]) if status.get("allocation") else None
        self.reserved_for = tuple(str(item.get("uid") or "") for item in status.get("reservedFor") or ())
        owners = (manifest.get("metadata") or {}).get("ownerReferences") or ()
        self.owner = next((str(owner.get("uid") or "") for owner in owners if owner.get("controller")), "")


DRA_KINDS: tuple[type[Resource], ...] = (ResourceSlice, DeviceClass, ResourceClaim)


def _claim_request(raw: Mapping[str, Any], path: str) -> ClaimRequest:
    name = str(raw.get("name") or "")
    if raw.get("firstAvailable"):
        alternatives = tuple(
            _device_request(item, f"{name}/{item.get('name')}", f"{path}.firstAvailable[{i}]")
            for i, item in enumerate(raw["firstAvailable"])
        )
        return ClaimRequest(name, alternatives, is_exact=False)
    if not raw.get("exactly"):
        raise InputError("expected exactly or firstAvailable", path=path)
    return ClaimRequest(name, (_device_request(raw["exactly"], name, f"{path}.exactly"),), is_exact=True)


def _device_request(raw: Mapping[str, Any], name: str, path: str) -> DeviceRequest:
    mode = str(raw.get("allocationMode") or EXACT_COUNT)
    if mode not in _MODES:
        raise InputError(f"{mode!r} is not known, expected {' or '.join(_MODES)}", path=f"{path}.allocationMode")
    return DeviceRequest(
        name=name,
        class_name=str(raw.get("deviceClassName") or ""),
        mode=mode,
        count=int(raw.get("count") or 1),
        admin_access=bool(raw.get("adminAccess")),
        selectors=_selectors(raw, path),
    )


def _constraint(raw: Mapping[str, Any], path: str) -> MatchAttribute:
    if not raw.get("matchAttribute"):
        raise InputError("only matchAttribute is supported", path=path)
    return MatchAttribute(str(raw["matchAttribute"]), frozenset(raw.get("requests") or ()))


def _selectors(raw: Mapping[str, Any], path: str) -> tuple[DeviceSelector, ...]:
    from wavetank.cluster.fields.deviceselectors import device_selector

    compiled = []
    for i, selector in enumerate(raw.get("selectors") or ()):
        try:
            compiled.append(device_selector(str((selector.get("cel") or {}).get("expression") or "")))
        except ExpressionError as error:
            where = f"{path}.selectors[{i}].cel.expression"
            raise InputError(str(error).partition("\n")[0], path=where) from None
    return tuple(compiled)


def _attribute(raw: Mapping[str, Any]) -> tuple[str, Any]:
    for kind in ("int", "bool", "string", "version"):
        if raw.get(kind) is not None:
            return kind, raw[kind]
    raise InputError(f"expected int, bool, string or version, got {raw!r:.60}", path="spec.devices")
