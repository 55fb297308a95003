"""The group storage.k8s.io."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import (
    IMMUTABLE,
    Document,
    Errors,
    check_immutable,
    check_not_negative,
    each_invalid,
    structs,
)
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_selector, show_selector
from wavetank.apiserver.validation.pods.volumes import check_driver_name
from wavetank.apiserver.validation.quantities import check_not_negative_amount

_MOST_PARAMETERS = 512
_PARAMETERS_LIMIT = 256 * 1024  # bytes
_NODE_ID_LIMIT = 256
_LARGEST_METADATA, _LONGEST_ERROR = 256 * 1024, 1024  # bytes
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")


def check_storage_class(storage_class: Document) -> Errors:
    """Checks a new storage class."""
    yield from check_metadata(storage_class["metadata"], False, names.subdomain_problems)
    yield from _check_provisioner(storage_class.get("provisioner") or "", "provisioner")
    yield from _check_parameters(storage_class.get("parameters") or {})
    for name, choices in (
        ("reclaimPolicy", ("Delete", "Retain")),
        ("volumeBindingMode", ("Immediate", "WaitForFirstConsumer")),
    ):
        value = storage_class.get(name)
        if value and value not in choices:
            yield unsupported(name, value, choices)
    yield from _check_topologies(storage_class)


def check_storage_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed storage class: hardly anything may change."""
    yield from check_storage_class(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for name in ("parameters", "provisioner", "reclaimPolicy"):
        if (new.get(name) or None) != (old.get(name) or None):
            yield forbidden(name, f"updates to {name} are forbidden.")
    yield from check_immutable("volumeBindingMode", new.get("volumeBindingMode"), old.get("volumeBindingMode"))


def check_attributes_class(attributes_class: Document) -> Errors:
    """Checks a new class of volume attributes."""
    yield from check_metadata(attributes_class["metadata"], False, names.subdomain_problems)
    yield from _check_provisioner(attributes_class.get("driverName") or "", "driverName")
    yield from _check_parameters(attributes_class.get("parameters") or {})
    if not attributes_class.get("parameters"):
        yield required("parameters", "must contain at least one key/value pair")


def check_attributes_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed class of volume attributes."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for name in ("driverName", "parameters"):
        if new.get(name) != old.get(name):
            yield forbidden(name, f"updates to {name} are forbidden.")
    yield from check_attributes_class(new)


def check_csi_node(node: Document) -> Errors:
    """Checks what drivers a node has."""
    yield from check_metadata(node["metadata"], False, names.subdomain_problems)
    seen: set[str] = set()
    for where, driver in structs(node.get("spec") or {}, "spec", "drivers"):
        name = driver.get("name") or ""
        yield from check_driver_name(name, f"{where}.name")
        yield from _check_node_id(driver.get("nodeID") or "", f"{where}.nodeID")
        yield from check_not_negative(f"{where}.allocatable.count", (driver.get("allocatable") or {}).get("count"))
        if name in seen:
            yield duplicate(f"{where}.name", name)
        seen.add(name)
        yield from _check_topology_keys(driver.get("topologyKeys") or [], where)


def check_csi_node_update(new: Document, old: Document) -> Errors:
    """Checks changed drivers of a node: what a driver is may not change, only what it can hold."""
    yield from check_csi_node(new)
    yield from check_csi_node(new)
    before = {driver.get("name"): driver for driver in (old.get("spec") or {}).get("drivers") or ()}
    for driver in (new.get("spec") or {}).get("drivers") or ():
        known = before.get(driver.get("name"))
        if known is not None and _without_allocatable(driver) != _without_allocatable(known):
            shown = internal("storage.CSINodeDriver", _without_allocatable(driver))
            yield invalid("spec.drivers", shown, IMMUTABLE)


def check_csi_driver(driver: Document) -> Errors:
    """Checks what is known of a driver."""
    yield from check_metadata(driver["metadata"], False, names.subdomain_problems)
    yield from _check_driver_spec(driver.get("spec") or {})


def check_csi_driver_update(new: Document, old: Document) -> Errors:
    """Checks changes in what is known of a driver."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    yield from _check_driver_spec(spec)
    for name, shown in (("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")):
        if spec.get(name) != before.get(name):
            yield invalid(f"spec.{shown}", spec.get(name), IMMUTABLE)


def check_attachment(attachment: Document) -> Errors:
    """Checks a new attachment of a volume."""
    yield from check_metadata(attachment["metadata"], False, names.subdomain_problems)
    spec = attachment.get("spec") or {}
    yield from _check_attachment_spec(spec)
    yield from check_driver_name(spec.get("attacher") or "", "spec.attacher")
    volume = (spec.get("source") or {}).get("persistentVolumeName")
    if volume is not None:
        yield from each_invalid("spec.source.persistentVolumeName", volume, names.subdomain_problems(volume))


def check_attachment_update(new: Document, old: Document) -> Errors:
    """Checks a changed attachment: what is attached may not change."""
    yield from check_metadata(new["metadata"], False, names.subdomain_problems)
    yield from _check_attachment_spec(new.get("spec") or {})
    yield from _check_attachment_status(new.get("status") or {})
    if new.get("spec") != old.get("spec"):
        yield invalid("spec", internal("storage.VolumeAttachmentSpec", new.get("spec") or {}), IMMUTABLE)


def _check_attachment_status(status: Document) -> Errors:
    known = status.get("attachmentMetadata") or {}
    if sum(len(key.encode()) + len(value.encode()) for key, value in known.items()) > _LARGEST_METADATA:
        yield too_long("status.attachmentMetadata", _LARGEST_METADATA)
    for name in ("attachError", "detachError"):
        error = status.get(name) or {}
        if len((error.get("message") or "").encode()) > _LONGEST_ERROR:
            yield too_long(f"status.{name}.message", _LARGEST_METADATA)  # as the real one says
        if (error.get("errorCode") or 0) < 0:
            problem = f"must be between 0 and {2**31 - 1}, inclusive"
            yield invalid(f"status.{name}.errorCode", error["errorCode"], problem)


def check_capacity(capacity: Document) -> Errors:
    """Checks a report of storage capacity."""
    yield from check_metadata(capacity["metadata"], True, names.subdomain_problems)
    yield from check_selector(capacity.get("nodeTopology"), "nodeTopology")
    name = capacity.get("storageClassName") or ""
    yield from each_invalid("storageClassName", name, names.subdomain_problems(name))
    if capacity.get("capacity") is not None:
        yield from check_not_negative_amount(capacity["capacity"], "capacity")


def check_capacity_update(new: Document, old: Document) -> Errors:
    """Checks a changed report of storage capacity."""
    yield from check_capacity(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if new.get("nodeTopology") != old.get("nodeTopology"):
        yield invalid("nodeTopology", show_selector(new.get("nodeTopology")), IMMUTABLE)
    yield from check_immutable("storageClassName", new.get("storageClassName") or "", old.get("storageClassName") or "")


def _check_provisioner(name: str, path: str) -> Errors:
    if not name:
        yield required(path)
    else:
        yield from each_invalid(path, name.lower(), names.label_key_problems(name.lower()))


def _check_parameters(parameters: Document) -> Errors:
    if len(parameters) > _MOST_PARAMETERS:
        yield too_long("parameters", _MOST_PARAMETERS)
        return
    if "" in parameters:
        yield invalid("parameters", "", "field can not be empty.")
    if sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items()) > _PARAMETERS_LIMIT:
        yield too_long("parameters", _PARAMETERS_LIMIT)


def _check_topologies(storage_class: Document) -> Errors:
    # The real server begins with as many empty terms as there are terms, so that an empty one is always a duplicate.
    terms: list[dict[str, set[str]]] = [{} for _ in storage_class.get("allowedTopologies") or ()]
    for index, term in enumerate(storage_class.get("allowedTopologies") or ()):
        yield from _check_topology(term, f"allowedTopologies[{index}]")
        listed = term.get("matchLabelExpressions") or ()
        meant = {one.get("key") or "": {*(one.get("values") or ())} for one in listed}
        for _ in range(terms.count(meant)):
            yield duplicate(f"allowedTopologies[{index}].matchLabelExpressions", "")
        terms.append(meant)


def _check_topology(term: Document, path: str) -> Errors:
    keys: set[str] = set()
    for where, requirement in structs(term, path, "matchLabelExpressions"):
        values, key = requirement.get("values") or [], requirement.get("key") or ""
        if not values:
            yield required(f"{where}.values")
        for place, value in enumerate(values):
            if value in values[:place]:
                yield duplicate(f"{where}.values[{place}]", value)
        yield from each_invalid(f"{where}.key", key, names.label_key_problems(key))
        if key in keys:
            yield duplicate(f"{where}.key", key)
        keys.add(key)


def _check_node_id(identity: str, path: str) -> Errors:
    if not identity:
        yield required(path)
    if len(identity) > _NODE_ID_LIMIT:
        yield invalid(path, identity, f"must be {_NODE_ID_LIMIT} characters or less")


def _check_topology_keys(keys: list[str], path: str) -> Errors:
    for index, key in enumerate(keys):
        if not key:
            yield required(path)
        if key in keys[:index]:
            yield duplicate(path, key)
        yield from each_invalid(path, key, names.label_key_problems(key))


def _without_allocatable(driver: Document) -> Document:
    return {name: value for name, value in driver.items() if name != "allocatable"}


def _check_driver_spec(spec: Document) -> Errors:
    policy = spec.get("fsGroupPolicy")
    if policy is not None and policy not in _POLICIES:
        yield unsupported("spec.fsGroupPolicy", policy, _POLICIES)
    seen: set[str] = set()
    for where, request in structs(spec, "spec", "tokenRequests"):
        seconds, audience = request.get("expirationSeconds"), request.get("audience") or ""
        if audience in seen:
            yield duplicate(f"{where}.audience", audience)
            continue
        seen.add(audience)
        if seconds is not None and seconds < 600:
            yield invalid(f"{where}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        if seconds is not None and seconds > 2**32:
            problem = "may not specify a duration larger than 2^32 seconds"
            yield invalid(f"{where}.expirationSeconds", seconds, problem)
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in ("Persistent", "Ephemeral"):
            yield unsupported("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))
    if spec.get("serviceAccountTokenInSecrets") is not None and not spec.get("tokenRequests"):
        problem = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid("spec.serviceAccountTokenInSecrets", spec["serviceAccountTokenInSecrets"], problem)
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < 10:
        problem = "must be greater than or equal to 10 seconds"
        yield invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, problem)


def _check_attachment_spec(spec: Document) -> Errors:
    if not spec.get("attacher"):
        yield required("spec.attacher")
    source = spec.get("source") or {}
    inline, volume = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and volume is None:
        yield required("spec.source", _ONE_SOURCE)
    elif inline is not None and volume is not None:
        yield forbidden("spec.source", _ONE_SOURCE)
    elif volume is not None and not volume:
        yield required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")
    node = spec.get("nodeName") or ""
    yield from each_invalid("spec.nodeName", node, names.subdomain_problems(node))
