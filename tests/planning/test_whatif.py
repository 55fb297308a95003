"""What changes do to a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.planning.shop import answer, shop
from tests.support.objects import node_manifest, pod_manifest
from wavetank.errors import InputError
from wavetank.planning.nodes import read_template
from wavetank.planning.options import read_options
from wavetank.planning.whatif.question import Question, check_answer, parse_claims
from wavetank.planning.whatif.reading import read_changes
from wavetank.snapshots.snapshot import open_snapshot

RUNNING = {"phase": "Running"}


def owned(name, node, kind="ReplicaSet", owner="web", api_version="apps/v1", **fields):
    reference = {"apiVersion": api_version, "kind": kind, "name": owner, "uid": f"uid-{owner}", "controller": True}
    metadata = {"ownerReferences": [reference], "uid": f"uid-{name}"}
    return pod_manifest(name, node, labels={"app": owner}, metadata=metadata, status=RUNNING, **fields)


def nodes(number, **fields):
    return [node_manifest(f"n{i}", **fields) for i in range(number)]


def moves(given):
    return {(each.source, each.target) for each in given.moves}


def test_nothing_happens_without_a_change():
    given = answer([])
    assert (given.pods.evicted, given.pods.moved, given.before.placed, given.after.placed) == (0, 0, 28, 28)


def test_pods_of_an_inferred_replica_set_are_created_again():
    given = answer([{"drain": "n0"}], [*nodes(2), owned("a", "n0"), owned("b", "n1")])
    assert (given.pods.evicted, given.pods.moved, given.pods.lost, given.pods.pending) == (1, 1, 0, 0)
    assert moves(given) == {("n0", "n1")}


def test_bare_pods_are_lost_and_counted():
    given = answer([{"drain": "n0"}], [*nodes(2), pod_manifest("alone", "n0", status=RUNNING)])
    assert (given.pods.evicted, given.pods.lost, given.lost) == (1, 1, ["default/alone"])


@pytest.mark.parametrize(
    ("kind", "api_version", "name"),
    [("StatefulSet", "apps/v1", "db-0"), ("Job", "batch/v1", "db-x"), ("Rollout", "argoproj.io/v1alpha1", "db-y")],
)
def test_pods_of_other_controllers_are_created_again(kind, api_version, name):
    given = answer([{"drain": "n0"}], [*nodes(2), owned(name, "n0", kind, "db", api_version)])
    assert (given.pods.evicted, given.pods.moved, given.pods.lost) == (1, 1, 0)


@pytest.mark.parametrize(("kind", "api_version"), [("DaemonSet", "apps/v1"), ("Node", "v1")])
def test_pods_of_a_node_stay_in_a_drain_and_end_with_the_node(kind, api_version):
    objects = [*nodes(2), owned("agent-x", "n0", kind, "agent" if kind == "DaemonSet" else "n0", api_version)]
    drained = answer([{"drain": "n0"}], objects)
    assert (drained.pods.evicted, drained.pods.lost) == (0, 0)
    removed = answer([{"remove": "n0"}], objects)
    assert (removed.pods.evicted, removed.pods.ended, removed.pods.lost) == (1, 1, 0)


def test_daemon_pods_come_to_new_nodes():
    given = answer([{"add": "2xn0"}], [*nodes(1), owned("agent-x", "n0", "DaemonSet", "agent")])
    assert [(node.name, node.pods) for node in given.after.nodes] == [("n0", 1), ("new-1", 1), ("new-2", 1)]


def test_a_budget_that_allows_nothing_blocks_a_drain():
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "all", "namespace": "default"},
        "spec": {"minAvailable": "100%", "selector": {"matchLabels": {"app": "web"}}},
    }
    given = answer([{"drain": "n0"}], [*nodes(2), budget, owned("a", "n0"), owned("b", "n1")])
    assert [(each.node, each.pod) for each in given.blocked] == [("n0", "default/a")]
    assert given.pods.evicted == 0


def test_a_budget_keeps_enough_pods_ready_through_a_drain():
    given = answer([{"drain": "a-0"}, {"drain": "a-1"}])
    budgets = {each.name: each for each in given.disruptions if each.kind == "PodDisruptionBudget"}
    assert budgets["web"].fewest >= 10
    assert budgets["db"].fewest >= 2


def test_pods_of_a_failed_zone_come_to_others_after_five_minutes():
    given = answer([{"fail": "zone=a"}], [*nodes(1, zone="a"), node_manifest("m", zone="b"), owned("a", "n0")])
    assert moves(given) == {("n0", "m")}
    assert given.steps[0].took_s > 300


def test_changes_are_made_in_order():
    given = answer([{"cordon": "n1"}, {"drain": "n0"}, {"uncordon": "n1"}], [*nodes(2), owned("a", "n0")])
    assert moves(given) == {("n0", "n1")}
    assert [step.text for step in given.steps] == ["cordon n1", "drain n0", "uncordon n1"]


def test_nodes_are_added_from_figures_and_cost():
    given = answer([{"add": "2xcpu=8,memory=32Gi,zone=d,price=0.5"}])
    assert given.after.price == pytest.approx(given.before.price + 1)
    assert [node.cpu for node in given.after.zones()["d"]] == [8000, 8000]


def test_other_keys_of_added_nodes_are_labels():
    template = read_template("cpu=8,memory=32Gi,tier=web,example.com/gpu=2", [])
    assert template.node.labels["tier"] == "web"
    assert template.node.allocatable["example.com/gpu"] == 2


@pytest.mark.parametrize("scaled", ["deploy/web=20", "shop/deployment/web=20"])
def test_a_deployment_is_scaled(scaled):
    given = answer([{"scale": scaled}])
    assert (given.pods.created, given.after.placed + given.pods.pending) == (8, 36)


def test_a_deployment_is_scaled_down_without_evictions():
    given = answer([{"scale": "deploy/web=4"}])
    assert (given.pods.deleted, given.pods.evicted, given.after.placed) == (8, 0, 20)


def test_a_deployment_is_found_by_its_pods_alone():
    pods = [owned(f"web-77-{i}", "n0", owner="web-77") for i in range(2)]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": "web", "pod-template-hash": "77"}
    given = answer([{"scale": "deploy/web=3"}], [*nodes(1), *pods])
    assert given.after.placed == 3


def test_an_upgrade_replaces_every_node():
    given = answer([{"upgrade": "surge=2"}])
    assert {node.name for node in given.after.nodes} == {f"{zone}-{i}-new" for zone in "abc" for i in (0, 1)}
    assert given.pods.pending == 0
    assert given.pods.lost == 1


def test_an_upgrade_without_surge_has_fewer_nodes_meanwhile():
    given = answer([{"upgrade": "unavailable=1"}])
    assert len(given.after.nodes) == 6
    assert {node.name for node in given.after.nodes} == {f"{zone}-{i}-new" for zone in "abc" for i in (0, 1)}


def test_another_scheduler_places_pods_again(tmp_path):
    taken = tmp_path / "shop.yaml.gz"
    Question(shop(), [], read_options(), taken).ask()
    given = answer(["reschedule"], open_snapshot([taken]), scheduler="most-allocated")
    assert given.pods.moved > 0
    assert (given.pods.evicted, given.after.placed) == (0, 28)


def test_the_cluster_after_the_changes_is_a_snapshot(tmp_path):
    taken = tmp_path / "later.yaml.gz"
    first = Question(shop(), read_changes([{"remove": "a-0"}], Path()), read_options(), taken).ask()
    second = answer([], open_snapshot([taken]))
    assert {node.name: node.pods for node in second.before.nodes} == {
        node.name: node.pods for node in first.after.nodes
    }
    assert second.pods.evicted == 0


def test_a_workload_is_added(tmp_path):
    file = tmp_path / "team.json"
    file.write_text(
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [{"name": "c"}]}}'
    )
    assert answer([{"add-workload": str(file)}]).after.placed == 29


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drain": "x"}, "drain x: no node has the name 'x'"),
        ({"drain": "zone=x"}, "drain zone=x: no node has the label 'zone=x'"),
        ({"drain": "a-9"}, "did you mean a-1?"),
        ({"drian": "a-0"}, "changes[0]: unknown change 'drian' (did you mean drain?)"),
        ({"scale": "web=3"}, "changes[0].scale: expected deploy/NAME=REPLICAS"),
        ({"scale": "deploy/nope=3"}, "the snapshot has no Deployment 'nope'"),
        ({"add": "0xa-0"}, "expected at least one node"),
        ({"add": "cpu=4"}, "expected cpu and memory"),
        ({"add": "cpu=4,memory=x"}, "memory: "),
        ({"add": "cpu=4,memory=8Gi,prise=2"}, "unknown key 'prise' (did you mean price?)"),
        ({"upgrade": "surge=0"}, "expected surge=1 or unavailable=1"),
        ({"add-workload": "nope.yaml"}, "nope.yaml: no such file"),
        ("drain", "expected a change such as {drain: node-1}"),
    ],
)
def test_a_change_that_is_not_possible_is_refused(change, message):
    with pytest.raises(InputError) as refused:
        answer([change])
    assert message in str(refused.value)


def test_assertions_are_about_the_answer():
    given = answer([{"drain": "b-0"}])
    findings = check_answer(parse_claims(["pending == 0", "evicted <= 5"]), given)
    assert [finding.holds for finding in findings] == [False, True]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["a-0", "a-1", "b-0", "zone=c"]), min_size=1, max_size=3, unique=True), st.data())
def test_no_owned_pod_is_ever_lost(places, data):
    kinds = [data.draw(st.sampled_from(["drain", "fail"])) for _ in places]
    given = answer([{kind: place} for kind, place in zip(kinds, places, strict=True)])
    assert given.pods.lost <= 1  # the bare pod
    assert given.after.placed + given.pods.pending + given.pods.missing == 28 - given.pods.lost
    assert all(node.cpu_requested <= node.cpu for node in given.after.nodes)
