"""Prepares objects for storage by the strategies of their kinds, for each way to write an object."""

from __future__ import annotations

from wavetank.apiserver.custom.strategy import prepare_custom, prepare_custom_status, prepare_custom_update
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.generations import next_generation
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.strategies import pods
from wavetank.apiserver.strategies.disabled import drop_disabled
from wavetank.apiserver.strategies.strategy import Document, Strategy, WriteContext


def prepare_create(kind: Kind, document: Document, context: WriteContext) -> None:
    """Completes a new object, in place. Its name, uid and namespace must be set already."""
    if kind.custom is not None:
        prepare_custom(kind.custom, document)
        return
    strategy = strategy_of(kind)
    drop_disabled(_pod_spec(strategy, document))
    if strategy.own_status and strategy.create is None:
        document.pop("status", None)
    if strategy.create is not None:
        strategy.create(document, context)
    if strategy.starts_generation:
        document["metadata"]["generation"] = 1
    set_defaults(kind, document)  # what is stored is read back with its defaults


def prepare_update(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    """Prepares a changed object, in place: keeps what a client may not change."""
    if kind.custom is not None:
        prepare_custom_update(kind.custom, new, old)
        _carry_over(new, old)
        return
    strategy = strategy_of(kind)
    drop_disabled(_pod_spec(strategy, new))
    _keep_generation(new, old)
    if strategy.own_status and "status" in old:
        new["status"] = old["status"]
    if strategy.update is not None:
        strategy.update(new, old, context)
    if strategy.counted:
        pods.count_generation(new, old, strategy.counted)
    if strategy.counted_metadata:
        _count_metadata(new, old, strategy.counted_metadata)
    _carry_over(new, old)
    set_defaults(kind, new)


def prepare_status(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    """Prepares an object written to the status subresource: keeps all but the status and some metadata."""
    if kind.custom is not None:
        prepare_custom_status(new, old)
        return
    strategy = strategy_of(kind)
    _keep_generation(new, old)
    for name in old.keys() - {"status", "metadata"}:
        new[name] = old[name]
    if strategy.status_metadata == "none":
        pods.keep_metadata(new, old)
    elif strategy.status_metadata == "annotations":
        _restore(new["metadata"], old["metadata"], "labels")
    new.setdefault("status", {})
    if strategy.status is not None:
        strategy.status(new, old, context)
    _carry_over(new, old)
    set_defaults(kind, new)


def prepare_finalize(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    """Prepares a namespace written to the finalize subresource: keeps its status."""
    _keep_generation(new, old)
    new["status"] = old["status"]
    _carry_over(new, old)
    set_defaults(kind, new)


def _pod_spec(strategy: Strategy, document: Document) -> Document | None:
    """Returns the spec of the pods that an object is or makes."""
    if not strategy.pod_spec:
        return None
    found = document
    for name in strategy.pod_spec:
        found = found.get(name) or {}
    return found


def _count_metadata(new: Document, old: Document, name: str) -> None:
    before = old["metadata"].get("generation") or 0
    changed = (new["metadata"].get(name) or {}) != (old["metadata"].get(name) or {})
    if changed and new["metadata"].get("generation") == before:
        new["metadata"]["generation"] = next_generation(before)


def _keep_generation(new: Document, old: Document) -> None:
    _restore(new["metadata"], old["metadata"], "generation")


def _restore(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _carry_over(new: Document, old: Document) -> None:
    """Keeps the metadata that no update can remove."""
    metadata, before = new["metadata"], old["metadata"]
    metadata["uid"] = metadata.get("uid") or before.get("uid", "")
    for name in ("creationTimestamp", "deletionTimestamp"):
        if before.get(name):
            metadata[name] = before[name]
    if "deletionGracePeriodSeconds" in before:
        metadata.setdefault("deletionGracePeriodSeconds", before["deletionGracePeriodSeconds"])
