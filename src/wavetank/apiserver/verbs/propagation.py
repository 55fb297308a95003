"""The finalizers of the garbage collector that a deletion adds, by the client's propagation policy."""

from __future__ import annotations

from wavetank.apiserver.strategies.strategy import ORPHAN_DEPENDENTS, UNSUPPORTED, Document, Strategy

ORPHAN, FOREGROUND, BACKGROUND = "Orphan", "Foreground", "Background"
_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER = "orphan", "foregroundDeletion"


def deletion_finalizers(strategy: Strategy, document: Document, policy: str | None, orphan: bool | None) -> list[str]:
    """Returns the finalizers that an object has while it is being deleted, those of the garbage collector included.

    `policy` and `orphan` are what the client asked for, if anything; `orphan` is the older way to ask.
    """
    old: list[str] = document["metadata"].get("finalizers") or []
    kept = [name for name in old if name not in (_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER)]
    if _orphans(strategy, old, policy, orphan):
        kept.append(_ORPHAN_FINALIZER)
    if _waits_for_dependents(strategy, old, policy, orphan):
        kept.append(_FOREGROUND_FINALIZER)
    return old if set(kept) == set(old) else kept


def _orphans(strategy: Strategy, finalizers: list[str], policy: str | None, orphan: bool | None) -> bool:
    if strategy.dependents == UNSUPPORTED:
        return False
    if orphan is not None:
        return orphan
    if policy is not None:
        return policy == ORPHAN
    present = _present(finalizers)
    return present == _ORPHAN_FINALIZER if present else strategy.dependents == ORPHAN_DEPENDENTS


def _waits_for_dependents(strategy: Strategy, finalizers: list[str], policy: str | None, orphan: bool | None) -> bool:
    if strategy.dependents == UNSUPPORTED or orphan is not None:
        return False
    if policy is not None:
        return policy == FOREGROUND
    return _present(finalizers) == _FOREGROUND_FINALIZER


def _present(finalizers: list[str]) -> str:
    return next((name for name in finalizers if name in (_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER)), "")
