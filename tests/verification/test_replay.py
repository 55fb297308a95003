from __future__ import annotations

import pytest

from tests.support.objects import node_manifest, pod_manifest
from tests.verification.recordings import a_recording, created, done, failed, scored, single
from wavetank.verification.decisions.replay import replay

TWO_NODES = [node_manifest("n0"), node_manifest("n1")]
ONE_FULL = "0/2 nodes are available: 2 Insufficient cpu."


def mismatches_of(recording):
    _, mismatches = replay(recording, "small-000.json.gz")
    return [(mismatch.pod, mismatch.aspect) for mismatch in mismatches]


def test_a_decision_like_ours_agrees_in_every_aspect():
    recording = a_recording(TWO_NODES, created(pod_manifest("p"), scored("p", {"n1": 1, "n0": 1}, "n1")))
    agreement, mismatches = replay(recording, "small-000.json.gz")
    assert not mismatches
    assert (agreement.files.equal, agreement.attempts.equal) == (1, 1)
    assert {aspect: count.equal for aspect, count in agreement.aspects.items()} == dict.fromkeys(
        ("feasible", "order", "scores", "totals", "candidates", "chosen", "outcome"), 1
    )
    assert agreement.plugins["NodeResourcesFit"].equal == 2


@pytest.mark.parametrize(
    ("change", "aspects"),
    [
        pytest.param({"total": {"n1": 475, "n0": 474}}, ["totals"], id="a total"),
        pytest.param({"candidates": ["n0"]}, ["candidates"], id="the best nodes"),
        pytest.param({"chosen": "n0"}, ["chosen"], id="the node taken among equals"),
        pytest.param({"scores": {"TaintToleration": {"n0": 300, "n1": 299}}}, ["scores"], id="scores"),
        pytest.param({"feasible": ["n0"]}, ["feasible"], id="the nodes that passed"),
        pytest.param({"order": ["n1", "n0", "n2"]}, ["chosen"], id="an order of other nodes"),
    ],
)
def test_each_aspect_is_compared_by_itself(change, aspects):
    attempt = {**scored("p", {"n1": 1, "n0": 1}, "n1"), **change}
    assert mismatches_of(a_recording(TWO_NODES, created(pod_manifest("p"), attempt))) == [
        ("default/p", aspect) for aspect in aspects
    ]


@pytest.mark.parametrize(
    ("attempt", "aspects"),
    [
        pytest.param(failed("p", ONE_FULL, {"Insufficient cpu": 1}), {"reasons"}, id="a count"),
        pytest.param(failed("p", f"{ONE_FULL} So be it.", {"Insufficient cpu": 2}), {"message"}, id="the text"),
        pytest.param(single("p", "n0"), {"feasible", "candidates", "chosen", "message", "outcome"}, id="all of it"),
    ],
)
def test_failures_are_compared_too(attempt, aspects):
    bare = {"plugins": {"postFilter": {"disabled": [{"name": "*"}]}}, "schedulerName": "default-scheduler"}
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [bare]}
    recording = a_recording(TWO_NODES, created(pod_manifest("p", cpu="5"), attempt), config=config)
    assert {aspect for _, aspect in mismatches_of(recording)} == aspects


def test_the_next_attempt_starts_from_what_was_recorded():
    first = created(pod_manifest("p0"), scored("p0", {"n1": 1, "n0": 1}, "n0"))  # ours would take n1
    second = created(pod_manifest("p1"), scored("p1", {"n1": 1, "n0": 2}, "n1"))
    assert mismatches_of(a_recording(TWO_NODES, first, second)) == [("default/p0", "chosen")]


def test_scores_of_a_plugin_are_compared_only_where_the_same_nodes_were_scored():
    attempt = scored("p", {"n1": 1, "n0": 1}, "n1")
    agreement, _ = replay(a_recording([*TWO_NODES, node_manifest("n2")], created(pod_manifest("p"), attempt)), "")
    assert not agreement.plugins
    assert agreement.aspects["scores"].equal == 0


@pytest.mark.parametrize(
    ("pod", "outcome"),
    [
        pytest.param(pod_manifest("p", schedulingGates=[{"name": "wait"}]), "gated", id="gates"),
        pytest.param(pod_manifest("p", schedulerName="somebody-else"), "ignored", id="no profile of that name"),
        pytest.param(pod_manifest("p", "n0"), "prebound", id="a node of its own"),
    ],
)
def test_pods_that_never_reach_the_queue(pod, outcome):
    assert mismatches_of(a_recording(TWO_NODES, created(pod, outcome=outcome))) == []
    assert mismatches_of(a_recording(TWO_NODES, created(pod, outcome="unheard-of"))) == [("default/p", "outcome")]


GATED = created(pod_manifest("g", schedulingGates=[{"name": "wait"}]), outcome="gated")


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        pytest.param(
            [done("node_patch", "n0", patch={"spec": {"unschedulable": True}})], single("p", "n1"), id="patch"
        ),
        pytest.param([done("node_delete", "n1")], single("p", "n0"), id="a node goes"),
        pytest.param(
            [done("node_create", "n2", node=node_manifest("n2"))],
            scored("p", {"n0": 2, "n1": 1, "n2": 1}, "n1"),
            id="a node comes",
        ),
        pytest.param([done("delete", "e", outcome="deleted")], scored("p", {"n0": 1, "n1": 1}, "n0"), id="a pod goes"),
        pytest.param(
            [created(pod_manifest("q", "n1"), outcome="prebound")], scored("p", {"n0": 2, "n1": 2}, "n0"), id="bound"
        ),
        pytest.param(
            [GATED, done("ungate", "g", scored("g", {"n0": 2, "n1": 1}, "n1"))],
            scored("p", {"n0": 2, "n1": 2}, "n0"),
            id="a gate opens",
        ),
        pytest.param([done("drawn_breath", "claim")], scored("p", {"n0": 2, "n1": 1}, "n1"), id="nothing that we know"),
    ],
)
def test_steps_change_what_the_next_attempt_sees(steps, last):
    recording = a_recording(TWO_NODES, *steps, created(pod_manifest("p"), last), existing=[pod_manifest("e", "n0")])
    assert mismatches_of(recording) == []


def test_a_pod_that_the_recorder_removed_is_gone():
    lost = failed("p", "", {})
    again = created(pod_manifest("p"), scored("p", {"n0": 1, "n1": 1}, "n0"))
    recording = a_recording(TWO_NODES, created(pod_manifest("p"), lost, removed_after=True), again)
    assert {pod for pod, _ in mismatches_of(recording)} == {"default/p"}  # only the first attempt disagrees
    assert "chosen" not in {aspect for _, aspect in mismatches_of(recording)}


def test_finished_pods_hold_nothing():
    existing = [{**pod_manifest("e", "n0"), "status": {"phase": "Succeeded"}}]
    recording = a_recording(
        TWO_NODES, created(pod_manifest("p"), scored("p", {"n0": 1, "n1": 1}, "n0")), existing=existing
    )
    assert mismatches_of(recording) == []


def test_pods_of_a_burst_are_tried_in_their_recorded_order():
    first = created(pod_manifest("p0"), scored("p0", {"n0": 2, "n1": 1}, "n1", seq=2))
    second = created(pod_manifest("p1"), scored("p1", {"n0": 1, "n1": 1}, "n0", seq=1))
    assert mismatches_of(a_recording(TWO_NODES, first, second, options={"burst": True})) == []


def test_an_attempt_may_come_during_a_later_step():
    late = {**scored("p0", {"n0": 2, "n1": 1}, "n1"), "seq": 2, "during_step": 1}
    early = {**scored("p1", {"n0": 1, "n1": 1}, "n0"), "during_step": 1}
    recording = a_recording(TWO_NODES, created(pod_manifest("p0"), late), created(pod_manifest("p1"), early))
    assert mismatches_of(recording) == []


# choices


FIVE = {"a": 2, "b": 2, "c": 1, "d": 1, "e": 2}  # c is the right child of the heap's root, d the left one of b


@pytest.mark.parametrize(
    ("chosen", "changes", "aspects"),
    [
        pytest.param("d", {}, [], id="the root of the heap"),
        pytest.param("c", {}, ["chosen"], id="not simply the first in order"),
        pytest.param("c", {"tie_random": True}, [], id="any of the best where an extender makes it random"),
        pytest.param("a", {"tie_random": True}, ["chosen"], id="but none that is not among the best"),
    ],
)
def test_ties_are_broken_as_the_recorded_order_of_nodes_makes_it(chosen, changes, aspects):
    existing = [pod_manifest(f"on-{node}", node) for node, pods in FIVE.items() if pods == 2]
    attempt = scored("p", FIVE, chosen, **changes)
    recording = a_recording(
        [node_manifest(name) for name in FIVE], created(pod_manifest("p"), attempt), existing=existing
    )
    assert [aspect for _, aspect in mismatches_of(recording)] == aspects


def test_a_hint_has_to_be_ours_too():
    attempt = single("p", "n0", scoring_skipped="hint", hint="n0", evaluated_nodes=1)
    recording = a_recording(TWO_NODES, created(pod_manifest("p"), attempt))
    assert ("default/p", "hint") in mismatches_of(recording)


def test_without_score_plugins_the_search_ends_where_the_recorded_one_ended():
    profile = {"schedulerName": "default-scheduler", "plugins": {"score": {"disabled": [{"name": "*"}]}}}
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    attempt = single("p", "n1", scoring_skipped="no_score_plugins")
    recording = a_recording(TWO_NODES, created(pod_manifest("p"), attempt), config={**kind, "profiles": [profile]})
    assert mismatches_of(recording) == []


# the order of nodes


def test_a_node_that_changes_its_zone_keeps_its_place_until_a_node_comes_or_goes():
    nodes = [
        node_manifest("a", zone="z0"),
        node_manifest("b", zone="z1"),
        node_manifest("c", zone="z0"),
        node_manifest("d", zone="z1"),
    ]
    moved = done("node_patch", "c", patch={"metadata": {"labels": {"topology.kubernetes.io/zone": "z2"}}})
    recording = a_recording(
        nodes,
        created(pod_manifest("p0"), scored("p0", {"a": 1, "b": 1, "c": 1, "d": 1}, "a")),
        moved,
        created(pod_manifest("p1"), scored("p1", {"a": 2, "b": 1, "c": 1, "d": 1}, "b")),
        done("node_create", "e", node=node_manifest("e", zone="z0")),
        created(pod_manifest("p2"), scored("p2", {"a": 2, "b": 2, "c": 1, "e": 1, "d": 1}, "e")),
    )
    assert mismatches_of(recording) == []


@pytest.mark.parametrize(
    ("held", "aspects"),
    [
        pytest.param(["a", "b", "c"], [], id="zones in turn"),
        pytest.param(["b", "c", "a"], [], id="from another start"),
        pytest.param(["a", "c", "b", "d"], ["order"], id="one zone after the other"),
    ],
)
def test_the_recorded_order_must_be_one_that_zones_in_turn_can_give(held, aspects):
    zones = {"a": "z0", "b": "z1", "c": "z0", "d": "z1"}
    nodes = [node_manifest(name, zone=zones[name]) for name in sorted(held)]
    recording = a_recording(nodes, created(pod_manifest("p"), scored("p", dict.fromkeys(held, 1), held[0])))
    assert [aspect for _, aspect in mismatches_of(recording)] == aspects


def test_nodes_may_bring_resources_that_no_node_had_before():
    nodes = [node_manifest("n0"), node_manifest("n1", extended={"nvidia.com/gpu": "2"})]
    recording = a_recording(nodes, created(pod_manifest("p"), scored("p", {"n0": 1, "n1": 1}, "n0")))
    assert mismatches_of(recording) == []
