"""Classes, volumes, claims and pods that use them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support.objects import HOSTNAME, SPECS, a_pod
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource

WAITS = "WaitForFirstConsumer"


def made(kind: str, name: str, api_version: str = "storage.k8s.io/v1", **fields: Any) -> Resource:
    metadata = {"name": name, **fields.pop("metadata", {})}
    made = parse_resource({"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}, SPECS)
    made.uid = f"uid-{name}"
    return made


def a_class(name: str, provisioner: str = "kubernetes.io/no-provisioner", mode: str = WAITS, **fields: Any) -> Resource:
    return made("StorageClass", name, provisioner=provisioner, volumeBindingMode=mode, **fields)


def a_volume(name: str, size: str = "10Gi", storage_class: str = "local", **spec: Any) -> Resource:
    """An available volume; `on` is the node that can reach it, `phase` and `labels` are what they say."""
    labels, phase, on = spec.pop("labels", {}), spec.pop("phase", "Available"), spec.pop("on", None)
    given = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, **spec}
    if on is not None:
        given["nodeAffinity"] = reached_from(HOSTNAME, on)
    return made("PersistentVolume", name, "v1", metadata={"labels": labels}, spec=given, status={"phase": phase})


def reached_from(label: str, *values: str) -> dict[str, Any]:
    expression = {"key": label, "operator": "In", "values": list(values)}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def a_claim(name: str, size: str = "5Gi", storage_class: str = "local", **spec: Any) -> Resource:
    """A claim; `bound_to` a volume for good, with `annotations`, an owner's uid and a phase if they are given."""
    phase, owner, bound_to = spec.pop("phase", "Pending"), spec.pop("owner", None), spec.pop("bound_to", None)
    metadata: dict[str, Any] = {"annotations": dict(spec.pop("annotations", {}))}
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    given["storageClassName"] = storage_class
    if bound_to is not None:
        given["volumeName"], phase = bound_to, "Bound"
        metadata["annotations"]["pv.kubernetes.io/bind-completed"] = "yes"
    if owner is not None:
        metadata["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": owner, "controller": True}]
    return made("PersistentVolumeClaim", name, "v1", metadata=metadata, spec=given, status={"phase": phase})


def a_claiming_pod(name: str, *claims: str, volumes: Iterable[dict[str, Any]] = (), **fields: Any) -> Pod:
    """Returns a pod without requests that uses claims, and other volumes."""
    used = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    return a_pod(name, requests={}, volumes=[*used, *volumes], **fields)
