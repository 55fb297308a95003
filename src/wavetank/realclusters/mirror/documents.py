"""Pods and nodes of an API server as the light objects of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable

Document = Mapping[str, Any]

_KEPT = ("name", "namespace", "uid", "labels", "annotations", "ownerReferences", "generation")
_TOKEN = "kube-api-access-"  # the volume that admission adds, with another name in every pod


def read_pod(document: Document, specs: SpecTable) -> Pod:
    """Returns a pod without what the simulation does not use: managed fields, finalizers, the volume of its token."""
    given = document["spec"]
    spec = specs.intern(_without_token(given))  # whose parts are shared by all equal pods
    own = {key: given[key] for key in ("nodeName", "schedulingGates") if key in given}
    light = {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(document)}
    return Pod({**light, "spec": {**spec.manifest, **own}, "status": document.get("status") or {}}, spec)


def read_node(document: Document) -> Node:
    """Returns a node without its managed fields."""
    light = {"apiVersion": "v1", "kind": "Node", "metadata": _metadata(document)}
    return Node({**light, "spec": document.get("spec") or {}, "status": document.get("status") or {}})


def _metadata(document: Document) -> dict[str, Any]:
    metadata = document["metadata"]
    return {key: metadata[key] for key in _KEPT if key in metadata}


def _without_token(spec: Document) -> Document:
    """Returns a spec without the token's volume, so that equal pods have equal specs."""
    volumes = spec.get("volumes") or ()
    if not any(_is_token(volume) for volume in volumes):
        return spec
    rest = [volume for volume in volumes if not _is_token(volume)]
    parts = {field: [_unmounted(each) for each in spec[field]] for field in _CONTAINERS if field in spec}
    return {**{key: value for key, value in spec.items() if key != "volumes" or rest}, **parts, **_some(rest)}


_CONTAINERS = ("containers", "initContainers")


def _unmounted(container: Document) -> Document:
    mounts = [mount for mount in container.get("volumeMounts") or () if not _is_token(mount)]
    others = {key: value for key, value in container.items() if key != "volumeMounts"}
    return {**others, "volumeMounts": mounts} if mounts else others


def _some(volumes: list[Document]) -> dict[str, Any]:
    return {"volumes": volumes} if volumes else {}


def _is_token(named: Document) -> bool:
    return str(named.get("name")).startswith(_TOKEN)
