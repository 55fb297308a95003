"""NodeResourcesFit: a pod is kept off nodes that lack what it requests, however many kinds of resources there are."""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod

KINDS = [f"example.com/r{i:02}" for i in range(70)]


def a_node_with(count, name="n"):
    return a_node(name, extended=dict.fromkeys(KINDS, str(count)))


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[28], KINDS[29], KINDS[30], KINDS[31], KINDS[60], KINDS[69]])
def test_the_reason_names_the_resource(kind):
    cluster = CachedCluster(a_node_with(1))
    assert cluster.reasons(a_pod(requests={kind: "2"})) == [f"1 Insufficient {kind}"]


@pytest.mark.parametrize("kinds", [KINDS[:1], KINDS[:31], KINDS[:40], KINDS])
def test_a_pod_that_requests_many_resources_is_kept_off_if_the_last_is_lacking(kinds):
    cluster = CachedCluster(a_node_with(1, "small"), a_node_with(2, "large"))
    assert cluster.feasible(a_pod(requests={**dict.fromkeys(kinds, "1"), kinds[-1]: "2"})) == {"large"}


def test_preemption_frees_any_of_many_resources():
    cluster = CachedCluster(a_node_with(1))
    cluster.place(a_pod("there", requests={KINDS[50]: "1"}), "n")
    found = cluster.schedule(a_pod("important", priority=10, requests={KINDS[50]: "1"})).preemption.victims_on
    assert {node: [victim.name for victim in victims] for node, victims in found.items()} == {"n": ["there"]}
