"""The namespace of a replay: made before it, removed after it, with whatever else the replay has created."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from wavetank.cluster.store.errors import AlreadyExistsError, ApiError, NotFoundError
from wavetank.errors import InputError
from wavetank.realclusters.client.client import ApiClient
from wavetank.realclusters.replay.manifests import REPLAY, Document, Style

_PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
_ACCOUNT_S = 10  # for the service account that the cluster makes for a namespace
_REMOVAL_S = 300
_PAUSE_S = 0.1


async def prepare_space(client: ApiClient, style: Style, classes: Iterable[Document], resumed: bool) -> None:
    """Creates the namespace and the priority classes; InputError if the namespace is in use."""
    path = f"/api/v1/namespaces/{style.namespace}"
    document = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": style.namespace, "labels": {REPLAY: style.name}},
    }
    try:
        await client.request("POST", "/api/v1/namespaces", document)
    except AlreadyExistsError:
        present = await client.read("GET", path)
        owner = (present["metadata"].get("labels") or {}).get(REPLAY)
        if not resumed or owner != style.name:
            hint = f"of the replay {owner}" if owner else "and was not made by a replay"
            raise InputError(f"the namespace {style.namespace} exists {hint}: choose another --namespace") from None
    for each in classes:
        with suppress(AlreadyExistsError):
            await client.request("POST", _PRIORITIES, each)
    await _wait_for_account(client, f"{path}/serviceaccounts/default")


async def _wait_for_account(client: ApiClient, path: str) -> None:
    """Waits for the namespace's service account, without which pods are refused; some clusters have none."""
    for _ in range(round(_ACCOUNT_S / _PAUSE_S)):
        try:
            await client.request("GET", path)
            return
        except NotFoundError:
            await asyncio.sleep(_PAUSE_S)


async def remove_space(client: ApiClient, style: Style, classes: Iterable[Document]) -> bool:
    """Deletes everything that the replay has created; returns whether it is gone."""
    path = f"/api/v1/namespaces/{style.namespace}"
    for each in classes:
        with suppress(ApiError):
            await client.request("DELETE", f"{_PRIORITIES}/{each['metadata']['name']}")
    for _ in range(round(_REMOVAL_S / _PAUSE_S)):
        try:
            await client.request("DELETE", path)
        except NotFoundError:
            return True
        except ApiError:
            pass  # it is being deleted, or the server is away
        await asyncio.sleep(_PAUSE_S)
    return False
