"""Adds simulated nodes to a cluster, and takes them out again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.errors import InputError
from wavetank.nodes.reports.nodestatus import ARCHITECTURE, OS
from wavetank.realclusters.client.client import ApiClient
from wavetank.realclusters.nodes.names import NODES, SIMULATED


async def register(client: ApiClient, nodes: Iterable[Manifest]) -> None:
    """Creates nodes; those of an earlier run are taken over.

    InputError if a node exists that is not simulated: its own kubelet is responsible for it.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for node in nodes:
                group.create_task(_register(client, node))
    except* ApiError as errors:
        raise InputError(f"the nodes cannot be created: {errors.exceptions[0]}") from None
    except* InputError as errors:
        raise errors.exceptions[0] from None


async def _register(client: ApiClient, node: Manifest) -> None:
    name = node["metadata"]["name"]
    try:
        await client.request("POST", NODES, node_document(node))
    except AlreadyExistsError:
        present = await client.read("GET", f"{NODES}/{name}")
        if (present["metadata"].get("labels") or {}).get(SIMULATED) != "true":
            raise InputError(f"node {name} exists in the cluster and has a kubelet of its own") from None


async def remove(client: ApiClient, names: Iterable[str]) -> None:
    """Deletes nodes; pods that are left on them are removed by the control plane."""
    await asyncio.gather(*(_remove(client, name) for name in names))


async def _remove(client: ApiClient, name: str) -> None:
    with suppress(ApiError):
        await client.request("DELETE", f"{NODES}/{name}")


def node_document(node: Manifest) -> dict[str, Any]:
    """Returns a node as its kubelet registers it: with its usual labels, before it is ready."""
    metadata = node["metadata"]
    usual = {"kubernetes.io/hostname": metadata["name"], "kubernetes.io/os": OS, "kubernetes.io/arch": ARCHITECTURE}
    labels = {**usual, **(metadata.get("labels") or {}), SIMULATED: "true"}
    kept = {key: metadata[key] for key in ("name", "annotations") if key in metadata}
    status = {key: value for key, value in (node.get("status") or {}).items() if key in _STATED}
    given: dict[str, Any] = {"apiVersion": "v1", "kind": "Node", "metadata": {**kept, "labels": labels}}
    return {**given, "spec": _spec(node.get("spec") or {}), "status": _with_capacity(status)}


_STATED = ("allocatable", "capacity", "images", "addresses", "nodeInfo")


def _spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key in ("taints", "unschedulable", "providerID", "podCIDR")}


def _with_capacity(status: dict[str, Any]) -> dict[str, Any]:
    amounts = status.get("allocatable") or status.get("capacity") or {}
    return {"allocatable": amounts, "capacity": amounts, **status}
