"""The spec of a StatefulSet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import SECOND, Nanoseconds

REVISION = "controller-revision-hash"
_MEMBER = re.compile(r"(.*)-([0-9]+)", re.DOTALL)


def spec_of(owner: Resource) -> Mapping[str, Any]:
    """Returns the spec of a set."""
    spec: Mapping[str, Any] = owner.manifest["spec"]
    return spec


def wanted(owner: Resource) -> int:
    """Returns the desired number of replicas."""
    replicas = spec_of(owner).get("replicas")
    return 1 if replicas is None else int(replicas)


def first_ordinal(owner: Resource) -> int:
    """Returns the ordinal of the first pod."""
    return int((spec_of(owner).get("ordinals") or {}).get("start") or 0)


def is_wanted(owner: Resource, ordinal: int) -> bool:
    """Tells whether a set should have a pod of that ordinal."""
    return first_ordinal(owner) <= ordinal < first_ordinal(owner) + wanted(owner)


def is_rolling(owner: Resource) -> bool:
    """Tells whether pods of an old template are replaced."""
    return bool((spec_of(owner).get("updateStrategy") or {}).get("type", "RollingUpdate") == "RollingUpdate")


def partition(owner: Resource) -> int:
    """Returns the partition: pods from this position on, counted from the first ordinal, get the new template."""
    rolling = (spec_of(owner).get("updateStrategy") or {}).get("rollingUpdate") or {}
    return int(rolling.get("partition") or 0)


def is_ordered(owner: Resource) -> bool:
    """Tells whether pods are created and deleted one after the other (OrderedReady)."""
    return spec_of(owner).get("podManagementPolicy") != "Parallel"


def min_ready(owner: Resource) -> Nanoseconds:
    """Returns how long a pod must be ready to be available."""
    return int(spec_of(owner).get("minReadySeconds") or 0) * SECOND


def ordinal_of(pod: Pod) -> int:
    """Returns the ordinal in a pod's name, -1 if there is none."""
    match = _MEMBER.fullmatch(pod.name)
    number = int(match[2]) if match else -1
    return number if number < 2**31 else -1


def is_member(owner: Resource, pod: Pod) -> bool:
    """Tells whether a pod has a name of the set."""
    match = _MEMBER.fullmatch(pod.name)
    return match is not None and match[1] == owner.name
