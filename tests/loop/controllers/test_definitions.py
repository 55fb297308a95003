"""Custom kinds of the cluster are served before programs start, which ask at their start what there is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.support.objects import node_manifest
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.simulation.programs import Loop
from wavetank.simulation.world import API_HISTORY, World
from wavetank.workloads.cluster import Cluster

PATH = "/apis/example.com/v1/widgets"
WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {}}


def a_definition(kind: str = "Widget", plural: str = "widgets") -> dict[str, Any]:
    spec = {"type": "object", "properties": {"size": {"type": "integer", "default": 3}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"kind": kind, "plural": plural}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]},
    }


@pytest.fixture
def loop() -> Loop:
    return Loop(World((1, 35), 1, Store(Clock(), API_HISTORY)).context, (), takes_all=True)


def asked(loop: Loop) -> Response:
    answer = loop.api.handle(Request("GET", PATH))
    assert isinstance(answer, Response)
    return answer


def test_they_are_served_before_the_cluster_is_loaded(loop: Loop) -> None:
    assert asked(loop).status == 404
    loop.define([a_definition()])
    assert asked(loop).status == 200


def test_the_cluster_may_name_them_again_and_its_objects_get_their_defaults(loop: Loop) -> None:
    loop.define([a_definition()])
    loop.load(Cluster([node_manifest(), a_definition(), WIDGET]))
    (widget,) = msgspec.json.decode(asked(loop).body)["items"]
    assert widget["spec"] == {"size": 3}


def test_one_that_the_api_refuses_is_named(loop: Loop) -> None:
    broken = a_definition()
    broken["metadata"]["name"] = "others.example.com"
    with pytest.raises(InputError, match=r"CustomResourceDefinition others.example.com: .*is invalid"):
        loop.define([broken])
