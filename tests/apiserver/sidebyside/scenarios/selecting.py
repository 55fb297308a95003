"""Field selectors, lists and watches of each kind, with options that clients use, as objects, Tables and metadata."""

from __future__ import annotations

import random

from tests.apiserver.sidebyside.conversing import MERGE, PARTIAL_LIST, TABLE, Conversation
from tests.apiserver.sidebyside.documents import Document, collection, kind_of, placed

_FIELDS = (
    *(
        "metadata.name=a",
        "metadata.namespace=default",
        "metadata.uid=x",
        "spec.nodeName=n",
        "spec.restartPolicy!=Never",
    ),
    *("spec.schedulerName=default-scheduler", "spec.serviceAccountName=default", "spec.hostNetwork=false"),
    *(
        "status.phase=Pending",
        "status.podIP=",
        "status.podIPs=1",
        "status.nominatedNodeName=",
        "spec.unschedulable=false",
    ),
    *("type=Opaque", "reason=x", "involvedObject.name=a", "regarding.name=a", "source=x", "reportingComponent=x"),
    *("reportingController=x", "status.replicas=0", "status.successful=0", "spec.signerName=x", "spec.driver=gpu.x.io"),
    *("spec.clusterIP=None", "spec.type=ClusterIP", "metadata.labels=a", "spec.driver!=gpu.x.io,metadata.name=a"),
)
_PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


def selecting(talk: Conversation, namespace: str, document: Document, chance: random.Random) -> None:
    """Lists and watches one object; its status is written if it can be."""
    kind = kind_of(document)
    document = placed(document, namespace)
    path = collection(kind, namespace)
    name = document["metadata"]["name"]
    first = talk.ask("GET", path).body["metadata"]["resourceVersion"]
    talk.ask("POST", path, document)
    for field in _FIELDS:
        talk.ask("GET", path, query={"fieldSelector": field})
    if "status" in kind.subresources and "status" in document:
        talk.ask("PATCH", f"{path}/{name}/status", {"status": document["status"]}, content_type=MERGE)
    mine = {"fieldSelector": f"metadata.name={name}"}
    for accept in (TABLE, PARTIAL_LIST):
        talk.ask("GET", path, query=mine, accept=accept)
    for include in ("None", "Metadata", "Object", "Odd"):
        talk.ask("GET", path, query={**mine, "includeObject": include}, accept=TABLE)
        talk.ask("GET", f"{path}/{name}", query={"includeObject": include}, accept=TABLE)
    for accept in (TABLE, _PARTIAL):
        talk.watch(path, {**mine, "resourceVersion": first}, 1, accept=accept)
    talk.watch(f"{path}/{name}", {"resourceVersion": first}, 1)
    talk.ask("DELETE", f"{path}/{name}", {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
    talk.ask("DELETE", path, query={"fieldSelector": "spec.odd=1"})
    talk.ask("DELETE", path, {"gracePeriodSeconds": 0}, mine)
