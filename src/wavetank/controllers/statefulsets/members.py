from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Document
from wavetank.controllers.statefulsets.spec import REVISION, spec_of
from wavetank.controllers.workloads.podtemplates import pod_of

Make = Callable[[], Document]

POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


class Member:
    """One ordinal of a StatefulSet: its pod, or how to create it.

    `revision` is the name of the revision of the pod's template.
    """

    __slots__ = ("make", "name", "ordinal", "pod", "revision")

    def __init__(self, ordinal: int, pod: Pod | None, name: str, revision: str, make: Make | None = None) -> None:
        self.ordinal = ordinal
        self.pod = pod
        self.name = name
        self.revision = revision
        self.make = make

    @classmethod
    def present(cls, ordinal: int, pod: Pod) -> Member:
        """Returns the member of an existing pod."""
        return cls(ordinal, pod, pod.name, pod.labels.get(REVISION, ""))


def member_document(owner: Resource, template: Mapping[str, Any], revision: str, ordinal: int) -> Document:
    """Returns the document of a set's pod, with its own name, hostname and claims."""
    document, name = pod_of(owner, template), f"{owner.name}-{ordinal}"
    metadata = document["metadata"]
    metadata["name"] = name
    labels = {POD_NAME: name, POD_INDEX: str(ordinal), REVISION: revision}
    metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    spec = document["spec"] = {**document["spec"], "hostname": name}
    if spec_of(owner).get("serviceName"):
        spec["subdomain"] = spec_of(owner)["serviceName"]
    volumes = _volumes(owner, spec.get("volumes") or [], ordinal)
    if volumes:
        spec["volumes"] = volumes
    return document


def claim_name(owner: Resource, template: Mapping[str, Any], ordinal: int) -> str:
    """Returns the name of a pod's claim."""
    return f"{template['metadata']['name']}-{owner.name}-{ordinal}"


def claim_documents(owner: Resource, ordinal: int) -> list[Document]:
    """Returns the claims that a pod of the set needs."""
    made = []
    for template in spec_of(owner).get("volumeClaimTemplates") or ():
        selected = (spec_of(owner).get("selector") or {}).get("matchLabels") or {}
        metadata = {**template["metadata"], "name": claim_name(owner, template, ordinal), "namespace": owner.namespace}
        labels = {**(metadata.get("labels") or {}), **selected}
        if labels:
            metadata["labels"] = labels
        head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}
        made.append({**head, "spec": template.get("spec") or {}})
    return made


def _volumes(owner: Resource, given: list[Mapping[str, Any]], ordinal: int) -> list[Mapping[str, Any]]:
    templates = spec_of(owner).get("volumeClaimTemplates") or ()
    claims = {
        template["metadata"]["name"]: {"claimName": claim_name(owner, template, ordinal)} for template in templates
    }
    own: list[Mapping[str, Any]] = [{"name": name, "persistentVolumeClaim": claim} for name, claim in claims.items()]
    return [*own, *(volume for volume in given if volume.get("name") not in claims)]
