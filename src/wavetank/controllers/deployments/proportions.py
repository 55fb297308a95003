"""Proportional scaling: a change of size during a rollout is divided among all ReplicaSets."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.draft import Draft
from wavetank.controllers.deployments.replicasets import MOST, by_age, noted, size, total_size


def proportional_sizes(draft: Draft, sets: Sequence[Resource]) -> list[tuple[Resource, int]]:
    """Returns the size of each ReplicaSet: larger ones get more of the change, the largest one the remainder."""
    most = draft.replicas + draft.max_surge if draft.replicas else 0
    change = most - total_size(sets)
    ordered = by_age(sets)
    if change > 0:
        ordered.reverse()  # of equal size, the newest grow and the oldest shrink first
    ordered.sort(key=size, reverse=True)
    sizes, given = [], 0
    for each in ordered:
        share = _share(draft, each, change, change - given)
        sizes.append(size(each) + share)
        given += share
    if sizes:
        sizes[0] = max(sizes[0] + change - given, 0)
    return list(zip(ordered, sizes, strict=True))


def _share(draft: Draft, each: Resource, change: int, left: int) -> int:
    if not change or not left:
        return 0
    fraction = _fraction(draft, each)
    return min(fraction, left) if change > 0 else max(fraction, left)


def _fraction(draft: Draft, each: Resource) -> int:
    """Returns by how much a ReplicaSet would grow if it kept its share of all pods."""
    if not draft.replicas:
        return -size(each)
    before = noted(each, MOST) or int(draft.status.get("replicas", 0))
    if not before:
        return 0
    return int(size(each) * (draft.replicas + draft.max_surge) / before + 0.5) - size(each)
