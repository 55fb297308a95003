from __future__ import annotations

import math

from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import SPEED, Node
from wavetank.cluster.objects.pod import PHASES, Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.manifests.behavior import DURATION, behavior_of


def make_object(manifest: Manifest, specs: SpecTable, duration: Nanoseconds | None = None) -> Resource:
    """Makes the object of a manifest, a pod with its behavior; InputError if it is not valid.

    `duration` is how long a pod runs that does not tell; None is forever.
    """
    try:
        _check_metadata(manifest)
        made = object_of(manifest, specs, duration)
        if isinstance(made, Pod):
            _check_pod(made)
        if isinstance(made, Node):
            _check_node(made)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        # a field of another type than its schema says: Kubernetes would not have accepted it either
        raise InputError(f"not a valid {manifest.get('kind')!s:.60}: {error}") from None
    return made


def object_of(manifest: Manifest, specs: SpecTable, duration: Nanoseconds | None = None) -> Resource:
    """Makes the object of a manifest of which it is clear that one can be made."""
    made = parse_resource(_with_an_end(manifest), specs)
    if isinstance(made, Pod):
        made.behavior = behavior_of(manifest, duration)
    return made


def _check_pod(pod: Pod) -> None:
    if pod.phase not in PHASES:
        raise InputError(f"unknown phase {pod.phase!r}: expected one of {', '.join(PHASES)}", path="status.phase")


def _check_node(node: Node) -> None:
    if not node.allocatable:
        raise InputError("a Node needs its allocatable resources", path="status.allocatable")
    if not 0 < node.speed < math.inf:
        raise InputError("expected a number above 0", path=f"metadata.annotations.{SPEED}")


def _with_an_end(manifest: Manifest) -> Manifest:
    """Lets a pod with a stated duration end after it: Kubernetes' default would be to start it again."""
    spec = manifest.get("spec") or {}
    if manifest.get("kind") != Pod.kind or "restartPolicy" in spec or not _states_duration(manifest):
        return manifest
    return {**manifest, "spec": {**spec, "restartPolicy": "Never"}}


def _states_duration(manifest: Manifest) -> bool:
    return DURATION in ((manifest.get("metadata") or {}).get("annotations") or {})


def _check_metadata(manifest: Manifest) -> None:
    metadata = fields.mapping(manifest.get("metadata") or {}, "metadata")
    for field in ("name", "namespace"):
        if metadata.get(field) is not None:
            fields.text(metadata[field], f"metadata.{field}")
    fields.strings(metadata.get("labels"), "metadata.labels")
    fields.strings(metadata.get("annotations"), "metadata.annotations")
