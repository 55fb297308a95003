"""A kopf operator with a kind of its own: for each Pond it keeps a Deployment, and tells how many fish there are."""

from __future__ import annotations

from typing import Any

import kopf
from kubernetes import client, config

config.load_kube_config()


@kopf.on.create("ponds.wavetank.dev")
def dig(spec: kopf.Spec, name: str, namespace: str, patch: kopf.Patch, **_: Any) -> dict[str, str]:
    container = {"name": "fish", "image": "fish", "resources": {"requests": {"cpu": "100m"}}}
    labels = {"pond": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    wanted = {"replicas": spec["fish"], "selector": {"matchLabels": labels}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": wanted}
    kopf.adopt(body)
    client.AppsV1Api().create_namespaced_deployment(namespace, body)
    patch.status["phase"] = "Dug"
    return {"deployment": name}


@kopf.on.field("ponds.wavetank.dev", field="spec.fish")
def restock(old: Any, new: Any, name: str, namespace: str, patch: kopf.Patch, **_: Any) -> None:
    if old is not None:
        client.AppsV1Api().patch_namespaced_deployment_scale(name, namespace, {"spec": {"replicas": new}})
    patch.status["fish"] = new


@kopf.on.delete("ponds.wavetank.dev")
def drain(name: str, namespace: str, **_: Any) -> None:
    metadata = {"name": f"{name}-was-here"}
    client.CoreV1Api().create_namespaced_config_map(namespace, {"metadata": metadata, "data": {"drained": "yes"}})
