"""What may change in a pod."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.fielderrors import INTERNAL, FieldError, duplicate, forbidden, invalid, required
from wavetank.apiserver.gotypes.internal import difference, internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import IMMUTABLE, Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata_update
from wavetank.apiserver.validation.pods.placement import check_tolerations
from wavetank.apiserver.validation.pods.pods import MIRROR, check_pod_annotations, check_pod_content
from wavetank.cel.gotext import quote
from wavetank.cluster.quota.qos import quality_of_service

_MAX_INT32 = 2**31 - 1
_UPDATABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only"
    " additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was"
    " previously negative)"
)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_NOWHERE = "[]"  # how Go writes the path without a name


def check_pod_update(new: Document, old: Document) -> Errors:
    """Checks a changed pod: only few fields may change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_pod_content(new)
    yield from _check_annotations_update(new, old)
    spec, before = new["spec"], old["spec"]
    for kind in ("containers", "initContainers"):
        if len(spec.get(kind) or ()) != len(before.get(kind) or ()):
            yield forbidden(f"spec.{kind}", "pod updates may not add or remove containers")
            return
        yield from _check_images(spec, kind)
    problems = list(_check_deadline(spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")))
    yield from problems
    if problems and spec.get("activeDeadlineSeconds") is not None:
        return
    yield from _check_tolerations_added(spec.get("tolerations") or [], before.get("tolerations") or [])
    yield from _check_gates_deleted(spec.get("schedulingGates") or [], before.get("schedulingGates") or [])
    if spec != before:
        yield from _check_others_unchanged(spec, before)


def check_pod_status_update(new: Document, old: Document) -> Errors:
    """Checks a pod's status, as kubelets and schedulers write it."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_annotations_update(new, old)
    status, before = new["status"], old["status"]
    for where, condition in structs(status, "status", "conditions"):
        kind = condition.get("type", "")
        if condition.get("observedGeneration", 0) < 0:
            given = condition["observedGeneration"]
            yield invalid(f"{where}.observedGeneration", given, "must be a non-negative integer")
        if kind not in _SYSTEM_CONDITIONS:
            yield from each_invalid(f"{where}.Type", kind, names.label_key_problems(kind))
    yield from _check_nomination(status, before, bool(old["spec"].get("nodeName")))
    if status.get("observedGeneration", 0) < 0:
        yield invalid("status.observedGeneration", status["observedGeneration"], "must be a non-negative integer")
    if status.get("qosClass", "") != before.get("qosClass", ""):
        yield invalid("status.qosClass", status.get("qosClass", ""), IMMUTABLE)
    for kind, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        yield from _check_transitions(status, before, kind, old["spec"], containers)
    yield from _check_claims(status, new["spec"])
    yield from _check_addresses(status)


def check_ephemeral_containers_update(new: Document, old: Document) -> Errors:
    """Checks that ephemeral containers are only added."""
    if MIRROR in (old["metadata"].get("annotations") or {}):
        yield forbidden(_NOWHERE, "static pods do not support ephemeral containers")
        return
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_pod_content(new)
    yield from _check_annotations_update(new, old)
    present = {one.get("name"): one for one in new["spec"].get("ephemeralContainers") or ()}
    for container in old["spec"].get("ephemeralContainers") or ():
        shown, where = quote(container.get("name", "")), "spec.ephemeralContainers"
        if container.get("name") not in present:
            yield forbidden(where, f"existing ephemeral containers {shown} may not be removed\n")
        elif present[container["name"]] != container:
            changes = difference("core.EphemeralContainer", container, present[container["name"]])
            yield forbidden(where, f"existing ephemeral containers {shown} may not be changed\n{changes}")


def check_resize(new: Document, old: Document) -> Errors:
    """Checks that only the CPU and memory of containers change, and not the pod's quality of service."""
    if MIRROR in (old["metadata"].get("annotations") or {}):
        yield forbidden(_NOWHERE, "static pods cannot be resized")
        return
    if (old["spec"].get("os") or {}).get("name") == "windows":
        yield forbidden(_NOWHERE, "windows pods cannot be resized")
        return
    found = [*check_metadata_update(new["metadata"], old["metadata"]), *check_pod_content(new)]
    yield from found
    spec, before = new["spec"], old["spec"]
    if old["status"].get("qosClass") != quality_of_service(spec):
        shown = new["status"].get("qosClass", "")
        yield invalid("spec", shown, "Pod QOS Class may not change as a result of resizing")
    if any((part.get("resources") or {}).keys() & {"requests", "limits"} for part in (spec, before)):
        problem = "resize of pods with pod-level resources is forbidden when"
        gate = "InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
        yield forbidden(_NOWHERE, f"{problem} {gate}")
        return
    order = list(_check_order(spec, before))
    yield from order
    if not order:
        yield from _check_resized(spec, before)


def _check_images(spec: Document, kind: str) -> Errors:
    for where, container in structs(spec, "spec", kind):
        image = container.get("image", "")
        if not image:
            yield required(f"{where}.image")
        if image != image.strip():
            yield invalid(f"{where}.image", image, "must not have leading or trailing whitespace")


def _check_annotations_update(new: Document, old: Document) -> Errors:
    path = "metadata.annotations"
    annotations, before = (one["metadata"].get("annotations") or {} for one in (new, old))
    if MIRROR in before and annotations.get(MIRROR) != before[MIRROR]:
        yield forbidden(f"{path}[{MIRROR}]", "may not remove or update mirror pod annotation")
    if MIRROR in annotations and MIRROR not in before:
        yield forbidden(f"{path}[{MIRROR}]", "may not add mirror pod annotation")
    yield from check_pod_annotations(annotations, new["spec"], path)


def _check_deadline(new: int | None, old: int | None) -> Errors:
    path = "spec.activeDeadlineSeconds"
    if new is not None:
        if not 0 <= new <= _MAX_INT32:
            yield from each_invalid(path, new, names.range_problems(new, 0, _MAX_INT32))
        elif old is not None and old < new:
            yield invalid(path, new, "must be less than or equal to previous value")
    elif old is not None:
        yield invalid(path, None, "must not update from a positive integer to nil value")


def _check_tolerations_added(new: list[Document], old: list[Document]) -> Errors:
    present = {frozenset(_without(toleration, "tolerationSeconds").items()) for toleration in new}
    if any(frozenset(_without(toleration, "tolerationSeconds").items()) not in present for toleration in old):
        yield forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")
        return
    yield from check_tolerations(new, "spec.tolerations")


def _check_gates_deleted(new: list[Document], old: list[Document]) -> Errors:
    known = {gate.get("name", "") for gate in old}
    last = {gate.get("name", ""): index for index, gate in enumerate(new)}
    for name, index in last.items():
        if name not in known:
            problem = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield forbidden(f"spec.schedulingGates[{index}].name", problem)


def _check_others_unchanged(spec: Document, before: Document) -> Errors:
    munged = dict(spec)
    for kind in ("containers", "initContainers"):
        if kind in spec:
            pairs = zip(spec[kind] or (), before.get(kind) or (), strict=True)
            munged[kind] = [{**new, "image": old.get("image", "")} for new, old in pairs]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        _take_back(munged, before, name)
    period = before.get("terminationGracePeriodSeconds")
    if period is not None and period < 0 and munged.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = period
    if before.get("schedulingGates"):
        yield from _check_gated(munged, before)
    if munged != before:
        changes = difference("core.PodSpec", before, munged)
        yield forbidden("spec", f"pod updates may not change fields other than {_UPDATABLE}\n{changes}")


def _check_gated(munged: Document, before: Document) -> Errors:
    """Checks that the choice of nodes for a gated pod is only narrowed; then takes the change back."""
    selector = munged.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in (before.get("nodeSelector") or {}).items()):
        problem = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield invalid("spec.nodeSelector", selector or None, problem)
    _take_back(munged, before, "nodeSelector")
    affinity, known = (dict(one.get("affinity") or {}) for one in (munged, before))
    if affinity.get("nodeAffinity") == known.get("nodeAffinity"):
        return
    yield from _check_affinity_narrowed(affinity.get("nodeAffinity") or {}, known.get("nodeAffinity") or {})
    _take_back(affinity, known, "nodeAffinity")
    if affinity or "affinity" in before:
        munged["affinity"] = affinity
    else:
        munged.pop("affinity", None)


def _check_affinity_narrowed(new: Document, old: Document) -> Errors:
    path = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    terms, known = ((one.get(_REQUIRED) or {}).get("nodeSelectorTerms") or [] for one in (new, old))
    if known and len(terms) != len(known):
        shown = [internal("core.NodeSelectorTerm", term) for term in terms] or None
        yield invalid(path, shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
        return
    for index, (term, before) in enumerate(zip(terms, known, strict=False)):
        if not _is_narrowed(term, before):
            shown_term = internal("core.NodeSelectorTerm", term)
            yield invalid(f"{path}[{index}]", shown_term, "only additions are allowed (no mutations or deletions)")


def _is_narrowed(term: Document, before: Document) -> bool:
    kinds = ("matchExpressions", "matchFields")
    if not any(before.get(kind) for kind in kinds):
        return not any(term.get(kind) for kind in kinds)
    return all((term.get(kind) or [])[: len(before.get(kind) or ())] == (before.get(kind) or []) for kind in kinds)


def _check_nomination(status: Document, before: Document, bound: bool) -> Errors:
    node = status.get("nominatedNodeName", "")
    if node and node != before.get("nominatedNodeName", ""):
        yield from each_invalid("status.nominatedNodeName", node, names.subdomain_problems(node))
        if bound:
            problem = "may not be set on pods that are already bound to a node"
            yield forbidden("status.nominatedNodeName", problem)


def _check_transitions(status: Document, before: Document, kind: str, spec: Document, containers: str) -> Errors:
    present = {one.get("name"): one for one in status.get(kind) or ()}
    policies = {one.get("name"): one.get("restartPolicy") for one in spec.get(containers) or ()}
    for where, old in structs(before, "status", kind):
        ended, name = (old.get("state") or {}).get("terminated"), old.get("name")
        if ended is None or name not in present or "terminated" in (present[name].get("state") or {}):
            continue
        policy = policies.get(name) or spec.get("restartPolicy") if name in policies else "Never"
        if policy == "Never" or (policy == "OnFailure" and not ended.get("exitCode")):
            yield forbidden(f"{where}.state", "may not be transitioned to non-terminated state")


def _check_claims(status: Document, spec: Document) -> Errors:
    known = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen: set[str] = set()
    for where, claim in structs(status, "status", "resourceClaimStatuses"):
        name, made = claim.get("name") or "", claim.get("resourceClaimName")
        if name in seen:
            yield duplicate(f"{where}.name", name)
        seen.add(name)
        if name not in known:
            yield invalid(f"{where}.name", name, "must match the name of an entry in `spec.resourceClaims`")
        if made is not None:
            yield from each_invalid(f"{where}.name", made, names.subdomain_problems(made))


def _check_addresses(status: Document) -> Errors:
    hosts = status.get("hostIPs") or []
    for index, entry in enumerate(status.get("podIPs") or ()):
        address = entry.get("ip", "")
        yield from each_invalid(f"status.podIPs[{index}]", address, names.address_problems(address))
    yield from _check_families(status.get("podIPs") or [], "status.podIPs")
    if hosts and hosts[0].get("ip", "") != status.get("hostIP", ""):
        yield invalid("status.hostIPs[0].ip", hosts[0].get("ip", ""), "must be equal to `hostIP`")
    for index, entry in enumerate(hosts):
        address = entry.get("ip", "")
        yield from each_invalid(f"status.hostIPs[{index}]", address, names.address_problems(address))
    yield from _check_families(hosts, "status.hostIPs")


def _check_families(entries: list[Document], path: str) -> Errors:
    """Checks that several addresses are of different families."""
    addresses = [entry.get("ip", "") for entry in entries]
    if len(addresses) < 2:
        return
    bad = next(((i, one) for i, one in enumerate(addresses) if not names.is_address(one)), None)
    if bad is not None:
        problem = f"failed to check for dual stack with error:invalid IP[{bad[0]}]: {bad[1]}"
        yield FieldError(INTERNAL, path, None, problem)
    if bad is not None or len(addresses) > 2 or len({":" in one for one in addresses}) == 1:
        shown = [{"IP": one} for one in addresses]
        yield invalid(path, shown, "may specify no more than one IP for each IP family")


def _check_order(spec: Document, before: Document) -> Errors:
    for kind in ("containers", "initContainers"):
        containers, known = spec.get(kind) or [], before.get(kind) or []
        if len(containers) != len(known):
            yield forbidden(f"spec.{kind}", f"{kind} may not be added or removed on resize")
            continue
        for index, (new, old) in enumerate(zip(containers, known, strict=True)):
            if new.get("name") != old.get("name"):
                yield forbidden(f"spec.{kind}[{index}].name", f"{kind} may not be renamed or reordered on resize")


def _check_resized(spec: Document, before: Document) -> Errors:
    for kind in ("initContainers", "containers"):
        for index, old in enumerate(before.get(kind) or ()):
            if kind == "containers" or old.get("restartPolicy") == "Always":
                yield from _check_not_removed(spec[kind][index], old, f"spec.{kind}[{index}].resources")
    for new, old in zip(spec.get("containers") or (), before.get("containers") or (), strict=True):
        if _with_old_amounts(new, old) != old:
            yield forbidden("spec", "only cpu and memory resources are mutable")
    for new, old in zip(spec.get("initContainers") or (), before.get("initContainers") or (), strict=True):
        if old.get("restartPolicy") != "Always":
            if new != old:
                yield forbidden("spec", "resources for non-sidecar init containers are immutable")
        elif _with_old_amounts(new, old) != old:
            yield forbidden("spec", "only cpu and memory resources for sidecar containers are mutable")


def _check_not_removed(new: Document, old: Document, path: str) -> Errors:
    for part in ("requests", "limits"):
        present, known = ({*((one.get("resources") or {}).get(part) or {})} for one in (new, old))
        if known - present:
            yield forbidden(f"{path}.{part}", f"resource {part} cannot be removed")


def _with_old_amounts(container: Document, old: Document) -> Document:
    """Returns a container with the CPU and memory that it had, and without claims."""
    resources: dict[str, Any] = _without(container.get("resources") or {}, "claims")
    for part in ("requests", "limits"):
        amounts = {
            name: amount for name, amount in (resources.get(part) or {}).items() if name not in ("cpu", "memory")
        }
        known = (old.get("resources") or {}).get(part) or {}
        amounts |= {name: known[name] for name in ("cpu", "memory") if name in known}
        resources = {**_without(resources, part), **({part: amounts} if amounts else {})}
    return {**container, "resources": resources}


def _take_back(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _without(owner: Document, name: str) -> Document:
    return {key: value for key, value in owner.items() if key != name}
