"""How claims and slices of devices are written: without the fields of features that are off by default.

A field of such a feature stays where the object had it already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import forbidden
from wavetank.apiserver.strategies.pods import count_generation
from wavetank.apiserver.strategies.strategy import Document, WriteContext
from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.store.store import Store

# The fields of slices, of their devices and of the capacities of those.
_COUNTERS = ("sharedCounters", "perDeviceNodeSelection")
_TAINTS = ("taints",)
_PARTITIONS = ("consumesCounters", "nodeName", "nodeSelector", "allNodes")
_BINDING = ("bindingConditions", "bindingFailureConditions", "bindsToNode")
_SHARED = ("allowMultipleAllocations",)
_POLICY = ("requestPolicy",)
_ADMIN_LABEL = "resource.kubernetes.io/admin-access"
# The fields of what a claim is given.
_SHARE = ("shareID", "consumedCapacity")
_CONDITIONS = ("bindingConditions", "bindingFailureConditions")


def prepare_class(new: Document, context: WriteContext) -> None:
    """Drops the extended resource by which pods could ask for the class."""
    new.get("spec", {}).pop("extendedResourceName", None)


def prepare_class_update(new: Document, old: Document, context: WriteContext) -> None:
    """Drops the extended resource by which pods could ask for the class, unless it had one."""
    if "extendedResourceName" not in (old.get("spec") or {}):
        prepare_class(new, context)


def check_admin_access(store: Store, new: Document, old: Document | None, *, dry_run: bool) -> None:
    """Refuses (422) a new claim, or template of claims, with access for administrators outside of their namespaces."""
    spec = new.get("spec") or {}
    requests = ((spec.get("spec") or spec).get("devices") or {}).get("requests") or ()
    asking = (i for i, each in enumerate(requests) if (each.get("exactly") or {}).get("adminAccess"))
    index = next(asking, None) if old is None else None
    if index is None:
        return
    namespace = store.find(NAMESPACE, "", new["metadata"].get("namespace", ""))
    if namespace is None or namespace.labels.get(_ADMIN_LABEL) != "true":
        problem = f"admin access to devices requires the `{_ADMIN_LABEL}: true` label on the containing namespace"
        mistake = forbidden(f"spec.devices.requests[{index}].adminAccess", problem)
        raise errors.invalid(f"{new['kind']}.resource.k8s.io", new["metadata"].get("name", ""), [mistake])


def prepare_claim(new: Document, context: WriteContext) -> None:
    """Drops the status of a new claim, and fields of features that are off by default."""
    new.pop("status", None)
    _drop_of_claim(new.get("spec"), None)


def prepare_claim_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps what is off by default out of a changed claim."""
    _drop_of_claim(new.get("spec"), old.get("spec"))


def prepare_claim_template(new: Document, context: WriteContext) -> None:
    """Keeps what is off by default out of a new template of claims."""
    _drop_of_claim((new.get("spec") or {}).get("spec"), None)


def prepare_claim_template_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps what is off by default out of a changed template of claims."""
    _drop_of_claim((new.get("spec") or {}).get("spec"), (old.get("spec") or {}).get("spec"))


def prepare_claim_status(new: Document, old: Document, context: WriteContext) -> None:
    """Forgets the state of devices that the claim no longer has."""
    status, before = new.get("status") or {}, old.get("status") or {}
    if not _uses_capacity(old):
        _drop_of_all((*_results(status), *(status.get("devices") or ())), _SHARE)
    if not _any_has(_results(before), _CONDITIONS):
        _drop_of_all(_results(status), _CONDITIONS)
    gone = {identity(one) for one in _results(before)} - {identity(one) for one in _results(status)}
    devices = [one for one in status.get("devices") or () if identity(one) not in gone]
    if devices:
        status["devices"] = devices
    else:
        status.pop("devices", None)


def prepare_slice(new: Document, context: WriteContext) -> None:
    """Keeps what is off by default out of a new slice of devices."""
    _drop_of_slice(new.get("spec") or {}, {})


def prepare_slice_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps what is off by default out of a changed slice of devices; it counts as a change nevertheless."""
    count_generation(new, old, ("spec",))
    _drop_of_slice(new.get("spec") or {}, old.get("spec") or {})


def identity(device: Document) -> tuple[str, str, str, str]:
    """Returns the identity of a device, or of a share of it."""
    share = device.get("shareID") or ""
    return device.get("driver") or "", device.get("pool") or "", device.get("device") or "", share


def _drop(owner: Document, fields: tuple[str, ...]) -> None:
    for field in fields:
        owner.pop(field, None)


def _drop_of_claim(spec: Document | None, old: Document | None) -> None:
    if not _any_has(_requests(old), ("tolerations",)):
        _drop_of_all(_requests(spec), ("tolerations",))
    if not _spec_uses_capacity(old):
        _drop_of_all(_requests(spec), ("capacity",))
        _drop_of_all(_constraints(spec), ("distinctAttribute",))


def _constraints(spec: Document | None) -> list[Document]:
    return ((spec or {}).get("devices") or {}).get("constraints") or []


def _requests(spec: Document | None) -> Iterator[Document]:
    """Yields all that is asked for, also what would do instead."""
    for request in ((spec or {}).get("devices") or {}).get("requests") or ():
        if request.get("exactly") is not None:
            yield request["exactly"]
        yield from request.get("firstAvailable") or ()


def _spec_uses_capacity(spec: Document | None) -> bool:
    return _any_has(_constraints(spec), ("distinctAttribute",)) or _any_has(_requests(spec), ("capacity",))


def _uses_capacity(claim: Document) -> bool:
    status = claim.get("status") or {}
    given = (*_results(status), *(status.get("devices") or ()))
    return _spec_uses_capacity(claim.get("spec")) or _any_has(given, _SHARE)


def _results(status: Document) -> list[Document]:
    return list(((status.get("allocation") or {}).get("devices") or {}).get("results") or ())


def _drop_of_slice(spec: Document, old: Document) -> None:
    devices, known = spec.get("devices") or [], old.get("devices") or []
    for fields in (_TAINTS, _BINDING):
        if not _any_has(known, fields):
            _drop_of_all(devices, fields)
    if not old.keys() & set(_COUNTERS) and not _any_has(known, _PARTITIONS):
        _drop(spec, _COUNTERS)
        _drop_of_all(devices, _PARTITIONS)
    if not _any_has(known, _SHARED) and not _any_has(_capacities(known), _POLICY):
        _drop_of_all(devices, _SHARED)
        _drop_of_all(_capacities(devices), _POLICY)


def _capacities(devices: list[Document]) -> list[Document]:
    return [amount for device in devices for amount in (device.get("capacity") or {}).values()]


def _any_has(owners: Iterable[Document], fields: tuple[str, ...]) -> bool:
    return any(one.keys() & set(fields) for one in owners)


def _drop_of_all(owners: Iterable[Document], fields: tuple[str, ...]) -> None:
    for owner in owners:
        _drop(owner, fields)
