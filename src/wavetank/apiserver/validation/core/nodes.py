"""Nodes and namespaces."""

from __future__ import annotations

import re

from wavetank.apiserver.fielderrors import DUPLICATE, INTERNAL, FieldError, duplicate, forbidden, invalid, required
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.pods.placement import check_effect
from wavetank.apiserver.validation.quantities import check_amount
from wavetank.cel.gotext import quote

_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_FEATURE_FORM = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/'"
    " (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)
_LONGEST_FEATURE = 253
_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})


def check_node(node: Document) -> Errors:
    """Checks a new node."""
    yield from check_metadata(node["metadata"], False, names.subdomain_problems)
    spec = node.get("spec") or {}
    yield from _check_taints(spec.get("taints") or [])
    yield from _check_resources(node)
    for index, network in enumerate(spec.get("podCIDRs") or ()):
        yield from each_invalid(f"spec.podCIDRs[{index}]", network, names.network_problems(network))
    networks = spec.get("podCIDRs") or []
    if len(networks) > 1:
        yield from _check_families(networks)


def check_node_update(new: Document, old: Document) -> Errors:
    """Checks a changed node, or its status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_resources(new)
    yield from _check_features((new.get("status") or {}).get("declaredFeatures") or [])
    seen: list[Document] = []
    for index, address in enumerate((new.get("status") or {}).get("addresses") or ()):
        if address in seen:
            yield duplicate(f"status.addresses[{index}]", internal("core.NodeAddress", address) or address)
        seen.append(address)
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if before.get("podCIDRs") and before["podCIDRs"] != (spec.get("podCIDRs") or []):
        yield forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    if before.get("providerID") and before["providerID"] != spec.get("providerID", ""):
        yield forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')
    yield from _check_taints(spec.get("taints") or [])
    if spec.get("externalID", "") != before.get("externalID", ""):
        yield forbidden("spec.externalID", "may not be updated")


def _check_features(features: list[str]) -> Errors:
    for index, feature in enumerate(features):
        where = f"status.declaredFeatures[{index}]"
        if index and feature == features[index - 1]:
            yield duplicate(where, feature)
        elif index and feature < features[index - 1]:
            yield invalid(where, feature, "list must be sorted alphabetically")
        if len(feature) > _LONGEST_FEATURE:
            problem = f"must be no more than {_LONGEST_FEATURE} characters"
            yield invalid(where, feature, f"invalid feature name {quote(feature)}: {problem}")
        elif not _FEATURE.fullmatch(feature):
            yield invalid(where, feature, f"invalid feature name {quote(feature)}: {_FEATURE_FORM}")


def check_node_and_update(new: Document, old: Document) -> Errors:
    """Checks a changed node as a new one, and what has changed."""
    yield from check_node(new)
    yield from check_node_update(new, old)


def check_namespace(namespace: Document) -> Errors:
    """Checks a new namespace."""
    yield from check_metadata(namespace["metadata"], False, names.label_problems)
    for name in (namespace.get("spec") or {}).get("finalizers") or ():
        yield from _check_finalizer(name, "spec.finalizers")


def check_namespace_update(new: Document, old: Document) -> Errors:
    """Checks a changed namespace."""
    yield from check_namespace(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])


def check_namespace_status_update(new: Document, old: Document) -> Errors:
    """Checks that a namespace's phase says whether it is being deleted."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    phase, deleted = (new.get("status") or {}).get("phase", ""), bool(new["metadata"].get("deletionTimestamp"))
    if not deleted and phase != "Active":
        yield invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")
    elif deleted and phase != "Terminating":
        yield invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")


def check_namespace_finalize(new: Document, old: Document) -> Errors:
    """Checks the finalizers of a namespace, as they are written to their subresource."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for index, name in enumerate((new.get("spec") or {}).get("finalizers") or ()):
        yield from _check_finalizer(name, f"spec.finalizers[{index}]")


def _check_families(networks: list[str]) -> Errors:
    bad = next(((i, text) for i, text in enumerate(networks) if names.network_problems(text)), None)
    if bad is not None:
        why = f"invalid CIDR[{bad[0]}]: <nil> (invalid CIDR address: {bad[1]})"
        problem = f"invalid PodCIDRs. failed to check with dual stack with error:{why}"
        yield FieldError(INTERNAL, "spec.podCIDRs", None, problem)
    if bad is not None or len(networks) > 2 or len({":" in text for text in networks}) == 1:
        yield invalid("spec.podCIDRs", networks, "may specify no more than one CIDR for each IP family")


def _check_finalizer(name: str, path: str) -> Errors:
    yield from each_invalid(path, name, names.label_key_problems(name))
    if "/" not in name and name not in _FINALIZERS:
        yield invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")


def _check_taints(taints: list[Document]) -> Errors:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        path, key, effect = f"metadata.taints[{index}]", taint.get("key") or "", taint.get("effect") or ""
        yield from each_invalid(f"{path}.key", key, names.label_key_problems(key))
        problems = names.label_value_problems(taint.get("value") or "")
        if problems:
            yield invalid(f"{path}.value", taint["value"], ";".join(problems))
        if not effect:
            yield required(f"{path}.effect")
        else:
            yield from check_effect(effect, f"{path}.effect")
        if (key, effect) in seen:
            shown = internal("core.Taint", taint)
            yield FieldError(DUPLICATE, path, shown, "taints must be unique by key and effect pair")
        seen.add((key, effect))


def _check_resources(node: Document) -> Errors:
    for part in ("capacity", "allocatable"):
        for name, amount in ((node.get("status") or {}).get(part) or {}).items():
            yield from check_amount(name, amount, f"status.{part}.{name}")
