"""Volumes whose labels name their zone or region."""

from __future__ import annotations

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
OTHER_ZONE = "1 node(s) had no available volume zone"


@pytest.mark.parametrize(
    ("volume", "node", "fits"),
    [
        pytest.param({ZONE: "z0"}, {ZONE: "z0"}, True, id="the same zone"),
        pytest.param({ZONE: "z0"}, {ZONE: "z1"}, False, id="another zone"),
        pytest.param({ZONE: "z0__z1"}, {ZONE: "z1"}, True, id="one of several"),
        pytest.param({ZONE: "z0__"}, {ZONE: "z1"}, True, id="a label that cannot be read says nothing"),
        pytest.param({ZONE: "z0"}, {}, True, id="a node in no zone at all"),
        pytest.param({ZONE: "z0"}, {REGION: "r0"}, False, id="a node with a region but no zone"),
        pytest.param({BETA_ZONE: "z0"}, {ZONE: "z0"}, True, id="the volume's label is of the old form"),
        pytest.param({ZONE: "z0"}, {BETA_ZONE: "z0"}, False, id="the node's label is of the old form"),
        pytest.param({ZONE: "z0", REGION: "r1"}, {ZONE: "z0", REGION: "r0"}, False, id="every label counts"),
    ],
)
def test_a_pod_stays_in_the_zones_of_its_volume(volume, node, fits):
    cluster = CachedCluster(a_class("local"), a_volume("v", labels=volume), a_claim("c", bound_to="v"))
    made = a_node("n")
    made.labels = {**made.labels, **node}
    cluster.add(made)
    assert cluster.reasons(a_claiming_pod("p", "c")) == ([] if fits else [OTHER_ZONE])


def test_a_claim_that_has_no_volume_yet_is_in_no_zone():
    cluster = CachedCluster(a_node("n"), a_class("local"), a_volume("v", labels={ZONE: "z1"}), a_claim("c"))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"n"}
