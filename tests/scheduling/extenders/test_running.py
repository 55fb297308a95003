"""Extenders of a scheduler in a running cluster."""

from __future__ import annotations

import pytest

from tests.scheduling.extenders.scripted import Scripted
from tests.support.clusters import ScheduledCluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.errors import InputError

NODES = [node_manifest("n0"), node_manifest("n1")]


def a_cluster(client, **config):
    extender = {"urlPrefix": "http://extender", "nodeCacheCapable": True, **config}
    return ScheduledCluster(*NODES, connect=lambda config: client, extenders=[extender])


def test_a_pod_goes_where_the_extender_lets_it():
    cluster = a_cluster(Scripted(filter={"NodeNames": ["n1"]}), filterVerb="filter")
    for name in ("p", "q"):
        cluster.create(pod_manifest(name))
    cluster.run()
    assert [cluster.pod(name).node_name for name in ("p", "q")] == ["n1", "n1"]


def test_a_pod_that_was_refused_is_tried_again_when_its_own_status_tells():
    client = Scripted(filter={"NodeNames": [], "FailedNodes": {"n0": "no", "n1": "no"}})
    cluster = a_cluster(client, filterVerb="filter")
    cluster.create(pod_manifest("p"))
    cluster.run(5)
    assert len(client.calls) == 2
    client.answers["filter"] = {"NodeNames": ["n0"]}
    cluster.create(node_manifest("n2"))
    cluster.run(5)
    assert cluster.pod("p").node_name == "n0"


def test_what_an_extender_has_bound_is_bound_in_the_simulated_cluster():
    client = Scripted(bind={})
    cluster = a_cluster(client, bindVerb="bind")
    cluster.create(pod_manifest("p"))
    cluster.run()
    assert cluster.pod("p").node_name == client.calls[0][1]["Node"]


def test_a_refused_binding_is_tried_again_after_back_off():
    client = Scripted(bind={"Error": "not now"})
    cluster = a_cluster(client, bindVerb="bind")
    cluster.create(pod_manifest("p"))
    cluster.run()
    assert cluster.pod("p").unschedulable == "not now"
    client.answers["bind"] = {}
    cluster.run(5)
    assert cluster.pod("p").node_name


def test_extenders_need_a_client():
    with pytest.raises(InputError, match="extenders cannot be called here"):
        ScheduledCluster(*NODES, extenders=[{"urlPrefix": "http://extender", "filterVerb": "filter"}])
