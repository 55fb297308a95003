"""The group resource.k8s.io: claims of devices, and the devices that nodes have.

Expressions that select devices are refused where the simulator does not understand them, in its words.
"""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, too_many, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.devices.deviceparts import (
    Requests,
    check_device_states,
    check_fully_qualified_name,
    check_label,
    check_pool_name,
    check_properties,
    check_reference,
    check_references,
    check_source,
)
from wavetank.apiserver.validation.errors import IMMUTABLE, NOT_POSITIVE, Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.expressions import check_expression
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_template_metadata
from wavetank.apiserver.validation.pods.placement import check_node_selector
from wavetank.apiserver.validation.pods.volumes import check_driver_name

_MOST = 32  # requests, constraints, configurations, selectors
_MOST_DEVICES = 128
_MODES = ("All", "ExactCount")
_ONE_PLACE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_ONE_KIND = "exactly one of `exactly` or `firstAvailable` is required"


def check_claim(claim: Document) -> Errors:
    """Checks a new claim of devices."""
    yield from check_metadata(claim["metadata"], True, names.subdomain_problems)
    yield from _check_claim_spec(claim.get("spec") or {}, "spec")


def check_claim_update(new: Document, old: Document) -> Errors:
    """Checks a changed claim of devices: what is claimed may not change."""
    yield from check_metadata(new["metadata"], True, names.subdomain_problems)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if new.get("spec") != old.get("spec"):
        yield invalid("spec", internal("resource.ResourceClaimSpec", new.get("spec") or {}), IMMUTABLE)


def check_claim_status_update(new: Document, old: Document) -> Errors:
    """Checks the allocation of a claim and the pods that it is reserved for."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    status, before = new.get("status") or {}, old.get("status") or {}
    yield from _check_users(status)
    yield from check_device_states(status)
    allocation, known = status.get("allocation"), before.get("allocation")
    if status.get("reservedFor") and allocation is None:
        yield forbidden("status.reservedFor", "may not be specified when `allocated` is not set")
    if allocation is not None and known is not None and allocation != known:
        yield invalid("status.allocation", allocation, IMMUTABLE)
    elif allocation is not None and known is None:
        yield from _check_allocation(allocation, _requests((new.get("spec") or {}).get("devices") or {}))


def check_claim_template(template: Document) -> Errors:
    """Checks a template of claims."""
    yield from check_metadata(template["metadata"], True, names.subdomain_problems)
    spec = template.get("spec") or {}
    yield from check_template_metadata(spec.get("metadata") or {}, "spec.metadata")
    yield from _check_claim_spec(spec.get("spec") or {}, "spec.spec")


def check_claim_template_update(new: Document, old: Document) -> Errors:
    """Checks a changed template of claims: it may not change."""
    yield from check_claim_template(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if new.get("spec") != old.get("spec"):
        yield invalid("spec", internal("resource.ResourceClaimTemplateSpec", new.get("spec") or {}), IMMUTABLE)


def check_device_class(device_class: Document) -> Errors:
    """Checks a class of devices."""
    yield from check_metadata(device_class["metadata"], False, names.subdomain_problems)
    spec = device_class.get("spec") or {}
    yield from _check_selectors(spec, "spec")
    yield from _check_configurations(spec, "spec")


def check_device_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed class of devices."""
    yield from check_device_class(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])


def check_slice(devices: Document) -> Errors:
    """Checks a slice of the devices of a driver."""
    yield from check_metadata(devices["metadata"], False, names.subdomain_problems)
    yield from _check_slice_spec(devices.get("spec") or {})


def check_slice_update(new: Document, old: Document) -> Errors:
    """Checks a changed slice of devices: where it belongs may not change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    yield from _check_slice_spec(spec)
    name, known = ((one.get("pool") or {}).get("name") for one in (spec, before))
    if name != known:
        yield invalid("spec.pool.name", name or "", IMMUTABLE)
    for field in ("driver", "nodeName"):
        if spec.get(field) != before.get(field):
            yield invalid(f"spec.{field}", spec.get(field), IMMUTABLE)


def _check_claim_spec(spec: Document, path: str) -> Errors:
    devices, where = spec.get("devices") or {}, f"{path}.devices"
    yield from _check_size(devices, "requests", where)
    seen: set[str] = set()
    for place, request in structs(devices, where, "requests"):
        yield from _check_request(request, place)
        if request.get("name") in seen:
            yield duplicate(place, request.get("name"))
        seen.add(request.get("name") or "")
    known = _requests(devices)
    for place, constraint in structs(devices, where, "constraints"):
        yield from check_references(constraint, known, place)
        if constraint.get("matchAttribute") is not None:
            yield from check_fully_qualified_name(constraint["matchAttribute"], f"{place}.matchAttribute")
        elif constraint.get("distinctAttribute") is not None:
            yield from check_fully_qualified_name(constraint["distinctAttribute"], f"{place}.distinctAttribute")
        else:
            yield required(f"{place}.matchAttribute")
    for place, configuration in structs(devices, where, "config"):
        yield from check_references(configuration, known, place)
    yield from _check_configurations(devices, where)


def _check_size(owner: Document, field: str, path: str, most: int = _MOST) -> Errors:
    size = len(owner.get(field) or ())
    if size > most:
        yield too_many(f"{path}.{field}", size, most)


def _requests(devices: Document) -> dict[str, set[str]]:
    return {
        request.get("name") or "": {one.get("name") or "" for one in request.get("firstAvailable") or ()}
        for request in devices.get("requests") or ()
    }


def _check_request(request: Document, path: str) -> Errors:
    yield from check_label(request.get("name") or "", f"{path}.name")
    exactly, first = request.get("exactly"), request.get("firstAvailable") or []
    if exactly is None and not first:
        yield required(path, _ONE_KIND)
    elif exactly is not None and first:
        yield invalid(path, None, f"{_ONE_KIND}, but multiple fields are set")
        return
    elif exactly is not None:
        yield from _check_choice_of_device(exactly, f"{path}.exactly")
    seen: set[str] = set()
    for where, choice in structs(request, path, "firstAvailable"):
        yield from check_label(choice.get("name") or "", f"{where}.name")
        yield from _check_choice_of_device(choice, where)
        if choice.get("name") in seen:
            yield duplicate(where, choice.get("name"))
        seen.add(choice.get("name") or "")


def _check_choice_of_device(choice: Document, path: str) -> Errors:
    name = choice.get("deviceClassName") or ""
    if not name:
        yield required(f"{path}.deviceClassName")
    else:
        yield from each_invalid(f"{path}.deviceClassName", name, names.subdomain_problems(name))
    yield from _check_selectors(choice, path)
    mode, count = choice.get("allocationMode") or "", choice.get("count") or 0
    if mode == "All":
        if count:
            yield invalid(f"{path}.count", count, "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount":
        if count <= 0:
            yield invalid(f"{path}.count", count, NOT_POSITIVE)
    else:
        yield unsupported(f"{path}.allocationMode", mode, _MODES)


def _check_selectors(owner: Document, path: str) -> Errors:
    yield from _check_size(owner, "selectors", path)
    for where, selector in structs(owner, path, "selectors"):
        if selector.get("cel") is None:
            yield required(f"{where}.cel")
            continue
        yield from check_expression(selector["cel"].get("expression") or "", f"{where}.cel.expression")


def _check_configurations(owner: Document, path: str, most: int = _MOST) -> Errors:
    yield from _check_size(owner, "config", path, most)
    for where, configuration in structs(owner, path, "config"):
        opaque = configuration.get("opaque")
        if opaque is None:
            yield required(f"{where}.opaque")
            continue
        yield from check_driver_name(opaque.get("driver") or "", f"{where}.opaque.driver")
        if opaque.get("parameters") is None:
            yield required(f"{where}.opaque.parameters")


def _check_users(status: Document) -> Errors:
    seen: set[str] = set()
    for where, user in structs(status, "status", "reservedFor"):
        for name in ("resource", "name", "uid"):
            if not user.get(name):
                yield required(f"{where}.{name}")
        uid = user.get("uid") or ""
        if uid in seen:
            yield duplicate(where, uid)
        seen.add(uid)


def _check_allocation(allocation: Document, known: Requests) -> Errors:
    path = "status.allocation.devices"
    for where, result in structs(allocation.get("devices") or {}, path, "results"):
        yield from check_reference(result.get("request") or "", known, f"{where}.request")
        yield from check_driver_name(result.get("driver") or "", f"{where}.driver")
        yield from check_pool_name(result.get("pool") or "", f"{where}.pool")
        yield from check_label(result.get("device") or "", f"{where}.device")
    for where, configuration in structs(allocation.get("devices") or {}, path, "config"):
        yield from check_source(configuration, where)
        yield from check_references(configuration, known, where)
    yield from _check_configurations(allocation.get("devices") or {}, path, 2 * _MOST)
    if allocation.get("nodeSelector") is not None:
        yield from check_node_selector(allocation["nodeSelector"], "status.allocation.nodeSelector")


def _check_slice_spec(spec: Document) -> Errors:
    yield from check_driver_name(spec.get("driver") or "", "spec.driver")
    pool = spec.get("pool") or {}
    yield from check_pool_name(pool.get("name") or "", "spec.pool.name")
    if (pool.get("resourceSliceCount") or 0) <= 0:
        yield invalid("spec.pool.resourceSliceCount", pool.get("resourceSliceCount") or 0, NOT_POSITIVE)
    if (pool.get("generation") or 0) < 0:
        yield invalid("spec.pool.generation", pool["generation"], "must be greater than or equal to zero")
    yield from _check_places(spec)
    devices = spec.get("devices") or []
    if len(devices) > _MOST_DEVICES:
        yield too_many("spec.devices", len(devices), _MOST_DEVICES)
    seen: set[str] = set()
    for where, device in structs(spec, "spec", "devices"):
        yield from check_label(device.get("name") or "", f"{where}.name")
        yield from check_properties(device, where)
        if device.get("name") in seen:
            yield duplicate(where, device.get("name"))
        seen.add(device.get("name") or "")


def _check_places(spec: Document) -> Errors:
    node = spec.get("nodeName")
    if node is not None and not node:
        yield invalid("spec.nodeName", node, "must be either unset or set to a non-empty string")
    elif node:
        yield from each_invalid("spec.nodeName", node, names.subdomain_problems(node))
    if spec.get("nodeSelector") is not None:
        yield from check_node_selector(spec["nodeSelector"], "spec.nodeSelector")
        terms = spec["nodeSelector"].get("nodeSelectorTerms") or []
        if len(terms) != 1:
            value = [internal("core.NodeSelectorTerm", term) for term in terms] or None
            yield invalid("spec.nodeSelector.nodeSelectorTerms", value, "must have exactly one node selector term")
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name) is False:
            yield invalid(f"spec.{name}", False, "must be either unset or set to true")
    given = [name for name in ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection") if spec.get(name)]
    if not given:
        yield required("spec", _ONE_PLACE)
    elif len(given) > 1:
        shown = ", ".join(f"`{name}`" for name in given)
        yield invalid("spec", f"{{{shown}}}", f"{_ONE_PLACE}, but multiple fields are set")
