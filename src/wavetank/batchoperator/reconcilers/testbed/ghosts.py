from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject, requests_of
from wavetank.batchoperator.reconcilers.context import OperatorOptions
from wavetank.batchoperator.reconcilers.testbed.plan import Place
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.groups import ApiGroup
from wavetank.batchoperator.resources.testbed import Testbed
from wavetank.cluster.fields.resources import Amounts

_IMAGE = "registry.k8s.io/pause:3.10"


def ghost_pod(
    group: ApiGroup, testbed: Testbed, place: Place, node_id: int, options: OperatorOptions
) -> Mapping[str, Any]:
    """Returns the pod that reserves the resources of a slot; it stops at once when it is preempted."""
    found, (node, position) = testbed.object, place
    owner = {
        "apiVersion": group.api_version,
        "kind": group.testbed_kind,
        "name": found.name,
        "uid": found.uid,
        "controller": True,
    }
    metadata = {
        "name": f"ghostpod-{found.name}-{node_id}-{position}-{node}"[:253],
        "namespace": found.namespace,
        "labels": {
            labels.TESTBED_NAME: found.name,
            labels.IS_GHOST: "true",
            labels.TARGET_NODE: node,
            labels.SLOT_ID: str(position),
            labels.MANAGED_BY: labels.OPERATOR,
        },
        "annotations": {labels.OBSERVED_VERSION: found.version},
        "ownerReferences": [owner],
    }
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    spec = {
        "containers": [
            {
                "name": "ghost",
                "image": _IMAGE,
                "resources": {"requests": {name: str(q) for name, q in testbed.spec.resources_per_slot.items()}},
            }
        ],
        "affinity": {"nodeAffinity": required},
        "priorityClassName": options.ghost_priority_class,
        "schedulerName": options.ghost_scheduler,
        "terminationGracePeriodSeconds": 0,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def fits(pod: KubeObject, requests: Amounts) -> bool:
    """Tells whether a ghost pod requests what a slot should have."""
    return requests_of(pod) == requests
