from __future__ import annotations

import random
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.errors import ApiError, NoKindMatchError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Client
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.kernel.clock import Clock
from wavetank.verification.podautoscaler.playedtargets import FLEETS

TEMPLATE = {"metadata": {"labels": {"app": "web", "a": ""}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
SELECTOR = {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
OBJECTS = {
    "Deployment": ("apps/v1", {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}, "a,app=web"),
    "ReplicaSet": ("apps/v1", {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}, "a,app=web"),
    "StatefulSet": ("apps/v1", {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}, "a,app=web"),
    "ReplicationController": ("v1", {"replicas": 3, "selector": {"app": "web"}, "template": TEMPLATE}, "app=web"),
    "Fleet": ("example.com/v1", {"replicas": 3}, "app=web"),
}


def an_object(kind: str) -> dict[str, Any]:
    version, spec, _ = OBJECTS[kind]
    status: dict[str, Any] = {"replicas": 2, **({"selector": "app=web"} if kind == "Fleet" else {})}
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, "status": status}


class OfARun:
    def __init__(self) -> None:
        self.store = Store(Clock())
        self.store.create(parse_resource(FLEETS, self.store.specs, namespaced=False))
        self.client: Client = StoreClient(self.store, random.Random(0), lambda pod: None)

    def create(self, document: dict[str, Any]) -> None:
        self.store.create(parse_resource(document, self.store.specs))


class OfTheApi(Caller):
    def __init__(self) -> None:
        super().__init__()
        self.client: Client = self.api.actor(User())
        super().create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", FLEETS)

    def create(self, document: dict[str, Any]) -> None:  # type: ignore[override]
        root = f"/apis/{document['apiVersion']}" if "/" in document["apiVersion"] else "/api/v1"
        path = f"{root}/namespaces/default/{document['kind'].lower()}s"
        super().create(path, document)
        assert self.merge(f"{path}/web/status", {"status": document["status"]}).status == 200


@pytest.mark.parametrize("made", [OfARun, OfTheApi])
@pytest.mark.parametrize("kind", OBJECTS)
def test_a_scale_is_read_and_written(kind: str, made: type[OfARun] | type[OfTheApi]) -> None:
    world = made()
    world.create(an_object(kind))
    client, group = world.client, OBJECTS[kind][0].rpartition("/")[0]
    scale = client.get_scale(group, kind, "default", "web")
    assert scale[1:] == (3, 2, OBJECTS[kind][2])
    client.update_scale(scale, 5)
    assert client.get_scale(group, kind, "default", "web").spec_replicas == 5
    with pytest.raises(ApiError, match="modified"):
        client.update_scale(scale, 6)


@pytest.mark.parametrize("made", [OfARun, OfTheApi])
def test_what_cannot_be_scaled_is_told_apart(made: type[OfARun] | type[OfTheApi]) -> None:
    client = made().client
    with pytest.raises(NoKindMatchError, match='no matches for kind "Deployment" in group "extensions"'):
        client.get_scale("extensions", "Deployment", "default", "web")
    with pytest.raises(ApiError, match=r'deployments\.apps "web" not found'):
        client.get_scale("apps", "Deployment", "default", "web")
