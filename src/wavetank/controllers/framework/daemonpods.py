"""The pods of DaemonSets that a node will have once it exists."""

from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.daemontolerations import with_daemon_tolerations


def daemon_pod(daemon_set: Resource, specs: SpecTable) -> Pod:
    """Returns the pod that a DaemonSet would create for any node, without a node of its own."""
    template = (daemon_set.manifest.get("spec") or {}).get("template") or {}
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": daemon_set.name, "uid": daemon_set.uid}
    spec = with_daemon_tolerations(template.get("spec") or {})
    metadata = {
        **(template.get("metadata") or {}),
        "name": f"{daemon_set.name}-pod",
        "namespace": daemon_set.namespace,
        "uid": f"{daemon_set.uid}-pod",
        "ownerReferences": [{**owner, "controller": True}],
    }
    return Pod.parse({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, specs)
