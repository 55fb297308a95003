"""Owners that a snapshot lacks, made from what their pods say.

`kubectl get nodes,pods` has no ReplicaSets. Their pods name them in ownerReferences, and a controller that finds an
owner with the same uid and a template like the pods creates them again when they are gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.objects.groupkinds import (
    DAEMON_SET,
    DEPLOYMENT,
    JOB,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    STATEFUL_SET,
    GroupKind,
    group_kind_of,
)
from wavetank.cluster.objects.resource import Manifest
from wavetank.controllers.deployments.replicasets import HASH
from wavetank.words import counted

INFERRED = "wavetank.dev/inferred"  # annotation of an owner that was made from its pods
_OWNER = "wavetank.dev/owner"  # label of pods that have none by which they could be selected
# Labels that differ between pods of one owner, or between its revisions.
_OWN_LABELS = (
    "controller-revision-hash",
    "pod-template-generation",
    "statefulset.kubernetes.io/pod-name",
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
)
_ENDED = ("Succeeded", "Failed")
_ORDINAL = re.compile(r"-([0-9]{1,9})$")
_NEVER_GIVES_UP = 1_000_000  # retries of a Job: an eviction is no fault of its own

Document = dict[str, Any]
_Key = tuple[GroupKind, str, str]


@dataclass(frozen=True)
class Owners:
    """The objects of a snapshot with the owners that were inferred; `notes` say what was assumed."""

    manifests: list[Manifest]
    notes: list[str] = field(default_factory=list)


def with_owners(manifests: Sequence[Manifest]) -> Owners:
    """Adds the controllers that pods name but the snapshot lacks.

    A pod of an unknown kind of controller is treated as one of a ReplicaSet. Pods of a node itself (static pods) and
    bare pods get none.
    """
    present = {key for manifest in manifests if (key := _key(manifest))[0] in _KNOWN}
    orphans: dict[_Key, list[Manifest]] = {}
    for pod in (each for each in manifests if each.get("kind") == "Pod"):
        reference = controller_reference(pod)
        if reference is None or reference.get("kind") == "Node" or _has_ended(pod):
            continue
        key = (_group_kind(reference), _namespace(pod), str(reference.get("name")))
        if key not in present:
            orphans.setdefault(key, []).append(pod)
    if not orphans:
        return Owners(list(manifests))
    return _inferred(manifests, orphans)


def controller_reference(manifest: Manifest) -> Mapping[str, Any] | None:
    """Returns the owner reference of an object's controller, or None."""
    references = (manifest.get("metadata") or {}).get("ownerReferences") or ()
    return next((each for each in references if each.get("controller")), None)


def _inferred(manifests: Sequence[Manifest], orphans: Mapping[_Key, list[Manifest]]) -> Owners:
    deployments = {_key(each): each for each in manifests if each.get("kind") == "Deployment"}
    owners: list[Manifest] = []
    changed: dict[int, Manifest] = {}
    unknown: dict[str, int] = {}
    for (kind, namespace, name), pods in orphans.items():
        owner = _MAKERS.get(kind, _replica_set)(name, namespace, pods)
        if kind not in _MAKERS:
            unknown[kind] = unknown.get(kind, 0) + len(pods)
        owners.append(_of_deployment(owner, deployments))
        changed |= {id(pod): _owned(pod, owner) for pod in pods}
    notes = [f"{counted(len(owners), 'controller')} inferred from the ownerReferences of pods"]
    notes += [f"{counted(count, 'pod')} of a {kind} treated as a ReplicaSet's" for kind, count in unknown.items()]
    return Owners([*owners, *(changed.get(id(each), each) for each in manifests)], notes)


def _replica_set(name: str, namespace: str, pods: Sequence[Manifest]) -> Document:
    return _owner("apps/v1", "ReplicaSet", name, namespace, pods, replicas=len(pods))


def _daemon_set(name: str, namespace: str, pods: Sequence[Manifest]) -> Document:
    owner = _owner("apps/v1", "DaemonSet", name, namespace, pods)
    spec = owner["spec"]["template"]["spec"]
    spec["affinity"] = _without_node(spec.get("affinity") or {})
    return owner


def _stateful_set(name: str, namespace: str, pods: Sequence[Manifest]) -> Document:
    ordinals = [int(found[1]) for pod in pods if (found := _ORDINAL.search(_name(pod)))] or [0]
    owner = _owner("apps/v1", "StatefulSet", name, namespace, pods, replicas=max(ordinals) - min(ordinals) + 1)
    owner["spec"] |= {"serviceName": name, "ordinals": {"start": min(ordinals)}}
    spec = owner["spec"]["template"]["spec"]
    claims = [volume for volume in spec.get("volumes") or () if _is_own_claim(volume, _name(pods[-1]))]
    if claims:
        spec["volumes"] = [volume for volume in spec["volumes"] if volume not in claims]
        owner["spec"]["volumeClaimTemplates"] = [_claim_template(volume["name"]) for volume in claims]
    return owner


def _job(name: str, namespace: str, pods: Sequence[Manifest]) -> Document:
    size = len(pods)
    owner = _owner("batch/v1", "Job", name, namespace, pods, parallelism=size, completions=size)
    owner["spec"] |= {"manualSelector": True, "backoffLimit": _NEVER_GIVES_UP}
    if owner["spec"]["template"]["spec"].get("restartPolicy") not in ("Never", "OnFailure"):
        owner["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    return owner


_MAKERS: Mapping[GroupKind, Callable[[str, str, Sequence[Manifest]], Document]] = {
    REPLICA_SET: _replica_set,
    DAEMON_SET: _daemon_set,
    STATEFUL_SET: _stateful_set,
    JOB: _job,
}


_KNOWN = {*_MAKERS, REPLICATION_CONTROLLER}  # of which the controllers are simulated


def _owner(
    api_version: str, kind: str, name: str, namespace: str, pods: Sequence[Manifest], **spec: object
) -> Document:
    """Returns an owner whose template is like the last of its pods, and whose selector matches all of them."""
    labels = _common_labels(pods) or {_OWNER: name}
    template = {"metadata": {"labels": labels}, "spec": _template_spec(pods[-1])}
    reference = controller_reference(pods[0]) or {}
    metadata = {"name": name, "namespace": namespace, "annotations": {INFERRED: "true"}}
    if reference.get("uid"):
        metadata["uid"] = reference["uid"]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": {**spec, "selector": {"matchLabels": labels}, "template": template},
    }


def _template_spec(pod: Manifest) -> Document:
    """Returns the spec of a pod as its template had it: without its node, its token and its own host name."""
    spec = pod.get("spec") or {}
    own = ("nodeName", "hostname", "subdomain", "serviceAccount", "ephemeralContainers")
    return {key: value for key, value in spec.items() if key not in own}


def _of_deployment(replica_set: Document, deployments: Mapping[_Key, Manifest]) -> Document:
    """Returns a ReplicaSet that belongs to its Deployment, if the snapshot has it: with the same template."""
    labels = replica_set["spec"]["template"]["metadata"]["labels"]
    name, metadata = replica_set["metadata"]["name"], replica_set["metadata"]
    suffix = f"-{labels.get(HASH, '')}"
    deployment = deployments.get((DEPLOYMENT, metadata["namespace"], name.removesuffix(suffix)))
    if replica_set["kind"] != "ReplicaSet" or deployment is None or not name.endswith(suffix):
        return replica_set
    template = deployment["spec"]["template"]
    own = {**(template.get("metadata") or {}).get("labels", {}), HASH: labels[HASH]}
    reference = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": deployment["metadata"]["name"],
        "uid": (deployment.get("metadata") or {}).get("uid", ""),
        "controller": True,
    }
    return {
        **replica_set,
        "metadata": {**metadata, "labels": own, "ownerReferences": [reference]},
        "spec": {
            **replica_set["spec"],
            "selector": {"matchLabels": own},
            "template": {**template, "metadata": {**(template.get("metadata") or {}), "labels": own}},
        },
    }


def _owned(pod: Manifest, owner: Document) -> Manifest:
    """Returns a pod whose owner reference and labels fit its inferred owner."""
    metadata = pod["metadata"]
    named = {"apiVersion": owner["apiVersion"], "kind": owner["kind"]}
    references = [{**each, **named} if each.get("controller") else each for each in metadata["ownerReferences"]]
    labels = {**(metadata.get("labels") or {})}
    if _OWNER in owner["spec"]["selector"]["matchLabels"]:
        labels[_OWNER] = owner["metadata"]["name"]
    return {**pod, "metadata": {**metadata, "ownerReferences": references, "labels": labels}}


def _common_labels(pods: Iterable[Manifest]) -> dict[str, str]:
    sets = [dict((pod.get("metadata") or {}).get("labels") or {}).items() for pod in pods]
    common = set(sets[0]).intersection(*sets[1:]) if sets else set()
    return {key: value for key, value in sorted(common) if key not in _OWN_LABELS}


def _without_node(affinity: Mapping[str, Any]) -> Document:
    """Returns an affinity without the node that the DaemonSet controller has set."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    node = dict(affinity.get("nodeAffinity") or {})
    terms = [
        {key: value for key, value in term.items() if key != "matchFields"}
        for term in (node.get(required) or {}).get("nodeSelectorTerms") or ()
    ]
    kept = [term for term in terms if term]
    if kept:
        node[required] = {"nodeSelectorTerms": kept}
    else:
        node.pop(required, None)
    rest = {key: value for key, value in affinity.items() if key != "nodeAffinity"}
    return {**rest, "nodeAffinity": node} if node else rest


def _is_own_claim(volume: Mapping[str, Any], pod: str) -> bool:
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
    return bool(claim) and claim == f"{volume.get('name')}-{pod}"


def _claim_template(name: str) -> Document:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": spec}


def _has_ended(pod: Manifest) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _key(manifest: Manifest) -> _Key:
    return _group_kind(manifest), _namespace(manifest), _name(manifest)


def _group_kind(manifest: Mapping[str, Any]) -> GroupKind:
    return group_kind_of(str(manifest.get("apiVersion") or "v1"), str(manifest.get("kind")))


def _name(manifest: Manifest) -> str:
    return str((manifest.get("metadata") or {}).get("name") or "")


def _namespace(manifest: Manifest) -> str:
    return str((manifest.get("metadata") or {}).get("namespace") or "default")
