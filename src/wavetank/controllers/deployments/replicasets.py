"""The ReplicaSets of a Deployment: their sizes, revisions and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import SECOND

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"
ROLLBACK = "deprecated.deployment.rollback.to"

_LONGEST_HISTORY = 2000
_NOT_COPIED = frozenset(
    {"kubectl.kubernetes.io/last-applied-configuration", REVISION, HISTORY, DESIRED, MOST, ROLLBACK}
)


def by_age(sets: Iterable[Resource]) -> list[Resource]:
    """Sorts ReplicaSets, the oldest first."""
    return sorted(sets, key=lambda each: (each.created // SECOND, each.name))


def size(each: Resource | None) -> int:
    """Returns the desired number of pods of a ReplicaSet."""
    if each is None:
        return 0
    replicas = each.manifest["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def count(sets: Iterable[Resource | None], field: str) -> int:
    """Sums a field of the ReplicaSets' statuses."""
    return sum(int((each.manifest.get("status") or {}).get(field) or 0) for each in sets if each is not None)


def total_size(sets: Iterable[Resource | None]) -> int:
    """Returns the desired number of pods of all ReplicaSets."""
    return sum(size(each) for each in sets)


def active(sets: Iterable[Resource | None]) -> list[Resource]:
    """Returns the ReplicaSets that should have pods."""
    return [each for each in sets if each is not None and size(each) > 0]


def revision(each: Resource) -> int | None:
    """Returns the revision of a ReplicaSet, 0 if it has none, None if it is not a number."""
    return _integer(each.annotations.get(REVISION, "0"))


def noted(each: Resource, annotation: str) -> int | None:
    """Returns a non-negative number from a ReplicaSet's annotations; None if there is none."""
    number = _integer(each.annotations.get(annotation, ""))
    return number if number is not None and 0 <= number < 2**31 else None


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


class Templates:
    """Tells which templates are equal except for the hash in their labels; comparisons are cached."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, Any, bool]] = {}  # by the uid of a ReplicaSet

    def match(self, each: Resource, template: Mapping[str, Any]) -> bool:
        """Tells whether a ReplicaSet has this template."""
        own = each.manifest["spec"].get("template")
        known = self._known.get(each.uid)
        if known is None or known[0] is not own or known[1] is not template:
            known = self._known[each.uid] = (own, template, _without_hash(own) == _without_hash(template))
        return known[2]

    def forget(self, uid: str) -> None:
        """Drops a deleted ReplicaSet."""
        self._known.pop(uid, None)


def _without_hash(template: Mapping[str, Any]) -> dict[str, Any]:
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH}
    return {**template, "metadata": {key: value for key, value in {**metadata, "labels": labels}.items() if value}}


def annotated(present: Mapping[str, str], deployment: Mapping[str, str], revision: int) -> dict[str, str]:
    """Returns the annotations of the new ReplicaSet: those of the Deployment, its revision and earlier ones."""
    annotations = dict(present)
    annotations |= {key: value for key, value in deployment.items() if key not in _NOT_COPIED}
    stated = present.get(REVISION, "")
    before = _integer(stated) if stated else 0
    if before is None or before >= revision:
        return annotations
    annotations[REVISION] = str(revision)
    if stated:
        annotations[HISTORY] = _longer_history(present.get(HISTORY, ""), stated)
    return annotations


def _longer_history(history: str, stated: str) -> str:
    """Appends a revision; drops the oldest ones if the history is too long."""
    revisions = [*history.split(","), stated] if history else [stated]
    while len(revisions) > 1 and len(",".join(revisions)) > _LONGEST_HISTORY:
        del revisions[0]
    return ",".join(revisions)


def sized(annotations: Mapping[str, str], wanted: int, most: int) -> dict[str, str]:
    """Returns the annotations with the Deployment's desired and maximum number of replicas."""
    return {**annotations, DESIRED: str(wanted), MOST: str(most)}


def active_or_latest(new: Resource | None, old: Sequence[Resource]) -> Resource | None:
    """Returns the only ReplicaSet with pods, or the newest if none has any; None if several have."""
    found = active([*old, new])
    if len(found) > 1:
        return None
    if found:
        return found[0]
    return new if new is not None or not old else by_age(old)[-1]
