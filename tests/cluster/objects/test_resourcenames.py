"""What the API calls the objects of a kind."""

from __future__ import annotations

import pytest

from wavetank.apiserver.kinds import KindTable
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.resourcenames import RESOURCE_NAMES
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "oxen.farm.io"},
    "spec": {"group": "farm.io", "names": {"kind": "Ox", "plural": "oxen"}},
}


def test_built_in_kinds_are_called_as_discovery_calls_them():
    served = {kind.group_kind: f"{kind.plural}.{kind.group}".rstrip(".") for kind in KindTable.builtin()}
    assert {kind: RESOURCE_NAMES.get(kind) for kind in served} == served
    assert all(kind.endswith(".volcano.sh") for kind in RESOURCE_NAMES.keys() - served.keys())


@pytest.mark.parametrize(
    ("group_kind", "name"),
    [
        pytest.param("NetworkPolicy.networking.k8s.io", "networkpolicies.networking.k8s.io", id="built-in"),
        pytest.param("PodGroup.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh", id="of Volcano"),
        pytest.param("Ox.farm.io", "oxen.farm.io", id="custom"),
        pytest.param("Ox.zoo.io", "Ox.zoo.io", id="nowhere defined"),
    ],
)
def test_the_store_knows_what_a_kind_is_called(group_kind, name):
    store = Store(Clock())
    store.create(parse_resource(DEFINITION, store.specs, namespaced=False))
    assert store.resource_name(group_kind) == name
