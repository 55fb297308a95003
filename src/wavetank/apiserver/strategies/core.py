"""How the kinds of the core group are written, pods and services aside."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.strategies.pods import count_generation
from wavetank.apiserver.strategies.strategy import Document, Termination, WriteContext

_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def prepare_namespace(namespace: Document, context: WriteContext) -> None:
    """Makes a new namespace active, with the finalizer by which its content is removed before it."""
    spec: dict[str, Any] = namespace["spec"]
    finalizers = spec.get("finalizers") or []
    spec["finalizers"] = finalizers if "kubernetes" in finalizers else [*finalizers, "kubernetes"]
    namespace["status"] = {"phase": "Active"}


def prepare_namespace_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps the finalizers, which have a subresource of their own."""
    new["spec"] = {**new["spec"], "finalizers": old["spec"].get("finalizers") or []}


def _mark_namespace(namespace: Document, now: str) -> None:
    """Marks a namespace as terminating; its content is deleted before it."""
    namespace["metadata"]["deletionTimestamp"] = now
    namespace["status"] = {**(namespace.get("status") or {}), "phase": "Terminating"}


def _has_finalizers(namespace: Document) -> bool:
    return bool((namespace.get("spec") or {}).get("finalizers"))


NAMESPACE_TERMINATION = Termination(_mark_namespace, propagates=True, is_held=_has_finalizers)


def prepare_node(node: Document, context: WriteContext) -> None:
    """Drops the kubelet's configuration, which is no longer supported, and features, which are not yet."""
    node["spec"].pop("configSource", None)
    for name in ("config", "declaredFeatures"):
        (node.get("status") or {}).pop(name, None)


def prepare_node_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps the status, which has a subresource of its own."""
    if "configSource" not in old["spec"]:
        new["spec"].pop("configSource", None)
    new["status"] = old["status"]


def prepare_node_status(new: Document, old: Document, context: WriteContext) -> None:
    """Drops the state of the kubelet's configuration, which is no longer supported."""
    if "config" not in old["status"]:
        new["status"].pop("config", None)


def prepare_persistent_volume(volume: Document, context: WriteContext) -> None:
    """Sets the phase of a new volume to Pending."""
    volume["status"] = {"phase": "Pending", "lastPhaseTransitionTime": context.now}


def prepare_persistent_volume_status(new: Document, old: Document, context: WriteContext) -> None:
    """Notes when the phase has changed."""
    status, before = new["status"], old["status"]
    noted, known = status.get("lastPhaseTransitionTime"), before.get("lastPhaseTransitionTime")
    if status.get("phase") == before.get("phase"):
        if noted is None and known is not None:
            status["lastPhaseTransitionTime"] = known
    elif noted in (None, known):
        status["lastPhaseTransitionTime"] = context.now


def prepare_claim(claim: Document, context: WriteContext) -> None:
    """Makes the two ways to name a claim's source agree."""
    claim["status"] = {}
    _agree_on_source(claim["spec"], {})


def prepare_claim_update(new: Document, old: Document, context: WriteContext) -> None:
    """Makes the two ways to name a claim's source agree."""
    _agree_on_source(new["spec"], old["spec"])


def claim_gains_defaults(claim: Document) -> bool:
    """Says that a new claim always lacks defaults in the real store."""
    return True


def prepare_service_account(account: Document, context: WriteContext) -> None:
    """Keeps only the names of an account's secrets."""
    if account.get("secrets"):
        account["secrets"] = [{"name": secret.get("name", "")} for secret in account["secrets"]]


def prepare_service_account_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps only the names of an account's secrets."""
    prepare_service_account(new, context)


def prepare_lease(lease: Document, context: WriteContext) -> None:
    """Drops what coordinated leader election would need, which is not enabled by default."""
    for name in ("strategy", "preferredHolder"):
        (lease.get("spec") or {}).pop(name, None)


def prepare_limit_range(limits: Document, context: WriteContext) -> None:
    """Names an object that has no name."""
    metadata = limits["metadata"]
    metadata["name"] = metadata.get("name") or f"{metadata['uid'][:-1]}1"  # a UUID, but another than that of the object


def prepare_lease_update(new: Document, old: Document, context: WriteContext) -> None:
    """Drops what coordinated leader election would need."""
    prepare_lease(new, context)


def _agree_on_source(spec: Document, before: Document) -> None:
    if (spec.get("dataSourceRef") or {}).get("namespace") and not (before.get("dataSourceRef") or {}).get("namespace"):
        spec.pop("dataSourceRef")  # sources in other namespaces are not enabled by default
    in_use = before.get("dataSource") is not None or before.get("dataSourceRef") is not None
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if not in_use and reference is None and source is not None and not _is_classic(source):
        source = spec.pop("dataSource") and None
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = {name: value for name, value in reference.items() if name != "namespace"}


def _is_classic(source: Document) -> bool:
    return (source.get("apiGroup") or "", source.get("kind")) in _SOURCES


def prepare_endpoint_slice(new: Document, context: WriteContext) -> None:
    """Drops the topology, which only the version v1beta1 had."""
    for endpoint in new.get("endpoints") or ():
        endpoint.pop("deprecatedTopology", None)


def prepare_endpoint_slice_update(new: Document, old: Document, context: WriteContext) -> None:
    """Drops the topology, which only the version v1beta1 had, where endpoints change: a change nevertheless."""
    count_generation(new, old, ("endpoints",))
    if new.get("endpoints") != old.get("endpoints"):
        prepare_endpoint_slice(new, context)
