"""What a snapshot keeps of an object: what scheduling and controllers read, and nothing that could be a secret.

Fields are kept by name, so that a field that this release does not know is left out. Environment variables, commands,
arguments and annotations of users never are part of a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects import groupkinds as kinds
from wavetank.cluster.objects.groupkinds import GroupKind, group_kind_of
from wavetank.cluster.objects.resource import Manifest
from wavetank.snapshots.kinds import SNAPSHOT_KINDS

Document = dict[str, Any]

_METADATA = ("name", "namespace", "uid", "labels", "creationTimestamp", "deletionTimestamp", "ownerReferences")
_ANNOTATIONS = (
    "wavetank.dev/",
    "deployment.kubernetes.io/",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "scheduling.k8s.io/",
    "cluster-autoscaler.kubernetes.io/",
    "controller.kubernetes.io/pod-deletion-cost",
    "kubernetes.io/config.mirror",
    "storageclass.kubernetes.io/",
)
_POD_SPEC = (
    "activeDeadlineSeconds",
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "os",
    "overhead",
    "preemptionPolicy",
    "priority",
    "priorityClassName",
    "resourceClaims",
    "resources",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "schedulingGates",
    "terminationGracePeriodSeconds",
    "tolerations",
    "topologySpreadConstraints",
)
_CONTAINER = ("name", "image", "resources", "restartPolicy")
_PORT = ("containerPort", "hostIP", "hostPort", "name", "protocol")
# Volumes that filters look at; the others (secrets, configMaps, empty directories) fit on any node.
_VOLUMES = (
    "persistentVolumeClaim",
    "ephemeral",
    "csi",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "azureDisk",
    "iscsi",
    "rbd",
)
_CSI = ("driver", "readOnly", "volumeHandle")
_POD_STATUS = ("phase", "reason", "nominatedNodeName", "startTime")
_CONDITION = ("type", "status", "reason")
_NODE_STATUS = ("allocatable", "capacity", "images")


def pruned(manifest: Manifest) -> Document | None:
    """Returns what a snapshot keeps of an object; None if it keeps nothing of its kind."""
    kind = group_kind_of(str(manifest.get("apiVersion") or "v1"), str(manifest.get("kind")))
    if kind not in SNAPSHOT_KINDS:
        return None
    made = {"apiVersion": manifest.get("apiVersion") or "v1", "kind": manifest["kind"], **_metadata(manifest)}
    return {**made, **_PARTS.get(kind, _whole)(manifest)}


def pruned_pod_spec(spec: Manifest) -> Document:
    """Returns what is kept of the spec of a pod or of a template."""
    kept = _only(spec, _POD_SPEC)
    for field in ("containers", "initContainers"):
        if spec.get(field):
            kept[field] = [_container(each) for each in spec[field]]
    volumes = [_volume(each) for each in spec.get("volumes") or () if any(kind in each for kind in _VOLUMES)]
    return {**kept, "volumes": volumes} if volumes else kept


def _metadata(manifest: Manifest) -> Document:
    metadata = manifest.get("metadata") or {}
    kept = _only(metadata, _METADATA)
    given = metadata.get("annotations") or {}
    annotations = {key: value for key, value in given.items() if key.startswith(_ANNOTATIONS)}
    return {"metadata": {**kept, "annotations": annotations} if annotations else kept}


def _container(container: Manifest) -> Document:
    kept = _only(container, _CONTAINER)
    ports = [_only(port, _PORT) for port in container.get("ports") or ()]
    return {**kept, "ports": ports} if ports else kept


def _volume(volume: Manifest) -> Document:
    kept = _only(volume, ("name", *_VOLUMES))
    return {**kept, "csi": _only(volume["csi"], _CSI)} if "csi" in kept else kept


def _pod(pod: Manifest) -> Document:
    status = pod.get("status") or {}
    scheduled = [each for each in status.get("conditions") or () if each.get("type") in ("PodScheduled", "Ready")]
    conditions = [_only(each, (*_CONDITION, "message")) for each in scheduled]
    kept = _only(status, _POD_STATUS)
    spec = pruned_pod_spec(pod.get("spec") or {})
    return {"spec": spec, "status": {**kept, "conditions": conditions} if conditions else kept}


def _node(node: Manifest) -> Document:
    status = node.get("status") or {}
    conditions = [_only(each, _CONDITION) for each in status.get("conditions") or ()]
    spec = _only(node.get("spec") or {}, ("taints", "unschedulable"))
    return {"spec": spec, "status": {**_only(status, _NODE_STATUS), "conditions": conditions}}


def _owner(owner: Manifest) -> Document:
    """Keeps the spec of an object with a template; what it says of its pods is kept as in a pod."""
    spec = dict(owner.get("spec") or {})
    template = spec.get("template")
    if isinstance(template, Mapping):
        own = _only(template.get("metadata") or {}, ("labels",))
        spec["template"] = {"metadata": own, "spec": pruned_pod_spec(template.get("spec") or {})}
    spec["volumeClaimTemplates"] = [_claim_template(each) for each in spec.get("volumeClaimTemplates") or ()]
    if not spec["volumeClaimTemplates"]:
        del spec["volumeClaimTemplates"]
    return {"spec": spec, "status": {}}


def _job(job: Manifest) -> Document:
    counts = _only(job.get("status") or {}, ("active", "succeeded", "failed", "startTime", "completionTime"))
    done = [each for each in (job.get("status") or {}).get("conditions") or () if each.get("status") == "True"]
    conditions = [_only(each, _CONDITION) for each in done]
    return {**_owner(job), "status": {**counts, "conditions": conditions} if conditions else counts}


def _claim_template(claim: Manifest) -> Document:
    named = _only(claim.get("metadata") or {}, ("name", "labels"))
    return {"metadata": named, "spec": claim.get("spec") or {}}


def _volume_object(volume: Manifest) -> Document:
    """Keeps where a volume can be used, not how it is reached."""
    spec = dict(volume.get("spec") or {})
    if "csi" in spec:
        spec["csi"] = _only(spec["csi"], _CSI)
    return {"spec": spec, "status": _only(volume.get("status") or {}, ("phase",))}


def _service(service: Manifest) -> Document:
    return {"spec": _only(service.get("spec") or {}, ("selector", "type"))}


def _namespace(namespace: Manifest) -> Document:
    return {"status": {"phase": "Active"}}


def _whole(manifest: Manifest) -> Document:
    return {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata")}


def _only(fields: Mapping[str, Any], names: tuple[str, ...]) -> Document:
    return {name: fields[name] for name in names if name in fields}


_PARTS: Mapping[GroupKind, Callable[[Manifest], Document]] = {
    kinds.POD: _pod,
    kinds.NODE: _node,
    kinds.NAMESPACE: _namespace,
    kinds.SERVICE: _service,
    kinds.DEPLOYMENT: _owner,
    kinds.REPLICA_SET: _owner,
    kinds.REPLICATION_CONTROLLER: _owner,
    kinds.STATEFUL_SET: _owner,
    kinds.DAEMON_SET: _owner,
    kinds.JOB: _job,
    kinds.PERSISTENT_VOLUME: _volume_object,
}
