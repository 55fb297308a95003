"""Claims of volumes."""

from __future__ import annotations

from fractions import Fraction

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import difference
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import NOT_POSITIVE, Document, Errors, check_immutable, each_invalid
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_selector
from wavetank.apiserver.validation.quantities import is_native
from wavetank.quantity import value_of, whole

MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_ALONE = "ReadWriteOncePod"
_RESIZING = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
_CLASS = "volume.beta.kubernetes.io/storage-class"


def check_claim(claim: Document) -> Errors:
    """Checks a new claim."""
    yield from check_metadata(claim["metadata"], True, names.subdomain_problems)
    yield from check_claim_spec(claim["spec"], "spec")


def check_claim_update(new: Document, old: Document) -> Errors:
    """Checks a changed claim: once it is bound, its size and its attributes may change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_claim(new)
    spec, before = dict(new["spec"]), dict(old["spec"])
    if not before.get("volumeName"):
        _take_back(before, spec, "volumeName")
    yield from _check_class(new, old, spec)
    if (new.get("status") or {}).get("phase") == "Bound":
        _forgive_size(spec, before)
        _take_back(spec, before, "volumeAttributesClassName")
    if spec != before:
        allowed = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound"
        changes = difference("core.PersistentVolumeClaimSpec", before, spec)
        yield forbidden("spec", f"{allowed} claims\n{changes}")
    size, known = _size(new["spec"]), _size(old["spec"])
    if size < known and size <= value_of(((old.get("status") or {}).get("capacity") or {}).get("storage")):
        yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
    yield from check_immutable("volumeMode", new["spec"].get("volumeMode"), old["spec"].get("volumeMode"))


def check_claim_status_update(new: Document, old: Document) -> Errors:
    """Checks a claim's status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if not new["spec"].get("accessModes"):
        yield required("Spec.accessModes")
    for name, amount in ((new.get("status") or {}).get("capacity") or {}).items():
        yield from check_basic_amount(amount, f"status.capacity[{name}]")
    yield from _check_resizing(new.get("status") or {})


def check_claim_spec(spec: Document, path: str) -> Errors:
    """Checks what is claimed."""
    if not spec.get("accessModes"):
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    yield from check_selector(spec.get("selector"), f"{path}.selector")
    yield from check_modes(spec, path)
    yield from _check_size(spec, f"{path}.resources[storage]")
    if spec.get("storageClassName"):
        problems = names.subdomain_problems(spec["storageClassName"])
        yield from each_invalid(f"{path}.storageClassName", spec["storageClassName"], problems)
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        yield unsupported(f"{path}.volumeMode", mode, VOLUME_MODES)
    for name in ("dataSource", "dataSourceRef"):
        if spec.get(name) is not None:
            yield from _check_source(spec[name], f"{path}.{name}")
    yield from _check_sources_agree(spec, path)
    if spec.get("volumeAttributesClassName"):
        given = spec["volumeAttributesClassName"]
        yield from each_invalid(f"{path}.volumeAttributesClassName", given, names.subdomain_problems(given))


def check_modes(spec: Document, path: str) -> Errors:
    """Checks how a volume may be accessed."""
    modes = spec.get("accessModes") or []
    for mode in modes:
        if mode not in MODES:
            yield unsupported(f"{path}.accessModes", mode, MODES)
    if _ALONE in modes and any(mode in MODES and mode != _ALONE for mode in modes):
        yield forbidden(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes")


def check_basic_amount(amount: str, path: str) -> Errors:
    """Checks that an amount is not negative, which is then shown as a number."""
    if value_of(amount) < 0:
        yield invalid(path, whole(amount), "must be a valid resource quantity")


def _check_resizing(status: Document) -> Errors:
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        yield from _check_resource(name, path)
        if state not in _RESIZING:
            yield unsupported(path, name, _RESIZING)
    for name, amount in (status.get("allocatedResources") or {}).items():
        problems = list(_check_resource(name, "status.allocatedResources"))
        yield from problems
        if not problems:
            yield from check_basic_amount(amount, f"status.allocatedResources[{name}]")


def _check_resource(name: str, path: str) -> Errors:
    problems = names.label_key_problems(name)
    yield from each_invalid(path, name, problems)
    if not problems and is_native(name) and name != "storage":
        yield unsupported(path, name, ("storage",))


def _size(spec: Document) -> Fraction:
    return value_of(((spec.get("resources") or {}).get("requests") or {}).get("storage"))


def _check_size(spec: Document, path: str) -> Errors:
    amount = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if amount is None:
        yield required(path)
    elif value_of(amount) <= 0:
        yield invalid(path, amount, NOT_POSITIVE)


def _check_source(source: Document, path: str) -> Errors:
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not source.get("name"):
        yield required(f"{path}.name")
    if not kind:
        yield required(f"{path}.kind")
    if not group and kind != "PersistentVolumeClaim":
        yield invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
    if group:
        yield from each_invalid(f"{path}.apiGroup", group, names.subdomain_problems(group))
    if source.get("namespace"):
        yield from each_invalid(f"{path}.namespace", source["namespace"], names.label_problems(source["namespace"]))


def _check_sources_agree(spec: Document, path: str) -> Errors:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is None or reference is None:
        return
    # Go shows the path to the field as an empty object.
    if reference.get("namespace"):
        yield invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        yield invalid(path, {}, "must match dataSourceRef")


def _check_class(new: Document, old: Document, spec: Document) -> Errors:
    """Forgives a storage class that was not there before; the annotation that once named it may not change."""
    annotated, before = (one["metadata"].get("annotations") or {} for one in (new, old))
    given, known = new["spec"].get("storageClassName"), old["spec"].get("storageClassName")
    if _CLASS in before and known is None and given == before[_CLASS] and annotated.get(_CLASS, given) == given:
        spec.pop("storageClassName")
        return
    if annotated.get(_CLASS, "") != before.get(_CLASS, ""):
        yield invalid(f"metadata.annotations.{_CLASS}", annotated.get(_CLASS, ""), "field is immutable")
    if given is not None and known is None and before.get(_CLASS, given) == given:
        spec.pop("storageClassName")


def _forgive_size(spec: Document, before: Document) -> None:
    resources = dict(spec.get("resources") or {})
    if resources.get("requests"):
        known = ((before.get("resources") or {}).get("requests") or {}).get("storage", "0")
        resources["requests"] = {**resources["requests"], "storage": known}
        spec["resources"] = resources


def _take_back(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)
