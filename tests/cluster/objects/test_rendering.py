"""What is read of a manifest is rendered back, and so is whatever is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.objects import a_node, a_pod, node_manifest, pod_manifest
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

UNKNOWN = st.text("xyz", min_size=1, max_size=4).map("future".__add__)  # names that no class knows
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(UNKNOWN, inner, max_size=2),
    max_leaves=5,
)
EXTRA = st.dictionaries(UNKNOWN, VALUES, max_size=3)
LABELS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"))
METADATA = st.builds(
    lambda extra, known: {**extra, **known},
    EXTRA,
    st.fixed_dictionaries(
        {"name": st.just("a")},
        optional={"labels": LABELS, "annotations": LABELS, "namespace": st.just("default"), "uid": st.just("u-1")},
    ),
)


def mixed(known: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Draws known fields among unknown ones."""
    return st.builds(lambda extra, fields: {**extra, **fields}, EXTRA, known)


CONDITIONS = st.lists(
    mixed(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["Ready", "DiskPressure"]), "status": st.sampled_from(["True", "False"])}
        )
    ),
    max_size=2,
    unique_by=lambda condition: condition["type"],
)
PODS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("Pod"),
        "metadata": METADATA,
        "spec": mixed(
            st.fixed_dictionaries(
                {"containers": st.lists(mixed(st.just({"name": "main"})), min_size=1, max_size=2)},
                optional={
                    "nodeName": st.just("n"),
                    "schedulingGates": st.just([{"name": "g"}]),
                    "priority": st.integers(0, 3),
                    "tolerations": st.just([{"operator": "Exists"}]),
                    "affinity": mixed(st.just({})),
                },
            )
        ),
    },
    optional={
        "status": mixed(
            st.fixed_dictionaries(
                {},
                optional={
                    "phase": st.sampled_from(["Pending", "Running", "Failed"]),
                    "reason": st.just("Evicted"),
                    "conditions": CONDITIONS,
                    "startTime": st.just("2026-01-01T00:00:00Z"),
                },
            )
        )
    },
)
TAINTS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["gpu", "spot"]), "effect": st.sampled_from(["NoSchedule", "NoExecute"])},
        optional={"value": st.sampled_from(["", "x"]), "timeAdded": st.just("2026-01-01T00:00:00Z")},
    ),
    max_size=3,
    unique_by=lambda taint: (taint["key"], taint["effect"]),
)
NODES = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("Node"),
        "metadata": METADATA.filter(lambda metadata: "namespace" not in metadata),
        "status": mixed(
            st.fixed_dictionaries({"capacity": st.just({"cpu": "1"})}, optional={"conditions": CONDITIONS})
        ),
    },
    optional={"spec": mixed(st.fixed_dictionaries({}, optional={"taints": TAINTS, "unschedulable": st.booleans()}))},
)
OTHERS = st.builds(
    lambda head, body, metadata: {**body, **head, "metadata": metadata},
    st.sampled_from(
        [
            {"apiVersion": "v1", "kind": "Service", "spec": {"selector": {"a": "x"}, "type": "ClusterIP"}},
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"selector": {"matchLabels": {}}, "replicas": 1}},
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": 1}},
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 5, "description": "five"},
            {"apiVersion": "v1", "kind": "Namespace"},
            {"apiVersion": "example.com/v1", "kind": "Boat", "spec": {"sails": 2}},
        ]
    ),
    EXTRA,
    METADATA,
)


def keeps(rendered: Any, given: Any) -> bool:
    """Tells whether all that was given is there; mappings may have got more fields."""
    if isinstance(given, Mapping):
        return isinstance(rendered, Mapping) and all(
            key in rendered and keeps(rendered[key], value) for key, value in given.items()
        )
    if isinstance(given, list):
        return len(rendered) == len(given) and all(map(keeps, rendered, given))
    return bool(rendered == given)


@settings(max_examples=300)
@given(PODS | NODES | OTHERS)
def test_every_given_field_is_rendered_back(manifest: dict[str, Any]) -> None:
    resource = parse_resource(manifest, SpecTable())
    assert keeps(resource.render(), manifest)
    assert keeps(resource.copy().render(), manifest)


@settings(max_examples=200)
@given(PODS | NODES | OTHERS)
def test_reading_what_was_rendered_changes_nothing(manifest: dict[str, Any]) -> None:
    specs = SpecTable()
    once = parse_resource(manifest, specs).render()
    assert parse_resource(once, specs).render() == once


@settings(max_examples=200)
@given(PODS | NODES | OTHERS)
def test_the_store_keeps_every_given_field_also_through_a_patch(manifest: dict[str, Any]) -> None:
    store = Store(Clock())
    given = parse_resource(manifest, store.specs)
    store.create(given)
    patched = store.patch(given.group_kind, given.namespace, given.name, {"metadata": {"annotations": {"new": "yes"}}})
    rendered = patched.render()
    status = manifest.get("status") or {}
    assert keeps(rendered, {field: value for field, value in manifest.items() if field != "status"})
    assert all(keeps(rendered["status"][field], status[field]) for field in status if field != "conditions")
    for condition in status.get("conditions") or ():  # the store may add one
        assert condition in rendered["status"]["conditions"]


def test_a_stored_object_has_its_uid_and_its_creation_time() -> None:
    clock = Clock()
    clock.run(until=90 * SECOND)
    store = Store(clock)
    store.create(a_pod("a"))
    rendered = store.get("Pod", "default", "a").render()
    assert rendered["metadata"] == {
        "name": "a",
        "namespace": "default",
        "uid": rendered["metadata"]["uid"],
        "resourceVersion": "1",
        "creationTimestamp": "2030-01-01T00:01:30Z",
    }
    assert rendered["status"] == {"phase": "Pending"}


def test_times_are_whole_seconds() -> None:
    assert render_time(2 * SECOND - 1) == "2030-01-01T00:00:01Z"


@pytest.mark.parametrize(
    ("changes", "condition"),
    [
        pytest.param({}, None, id="not tried yet"),
        pytest.param({"node_name": "n"}, {"status": "True"}, id="bound"),
        pytest.param(
            {"unschedulable": "0/1 nodes"},
            {"status": "False", "reason": "Unschedulable", "message": "0/1 nodes"},
            id="no",
        ),
        pytest.param(
            {"gates": ("g",)},
            {
                "status": "False",
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            },
            id="gated",
        ),
    ],
)
def test_a_pod_tells_whether_it_is_scheduled(changes: dict[str, Any], condition: dict[str, str] | None) -> None:
    pod = a_pod("a")
    for field, value in changes.items():
        setattr(pod, field, value)
    Store(Clock()).create(pod)
    expected = [] if condition is None else [{"type": "PodScheduled", **condition}]
    assert pod.render()["status"].get("conditions", []) == expected


@pytest.mark.parametrize(
    "conditions",
    [
        pytest.param([], id="none"),
        pytest.param([{"type": "PodScheduled", "status": "False", "reason": "Odd"}], id="a contradiction"),
        pytest.param([{"type": "PodScheduled", "status": "True", "lastTransitionTime": "t"}], id="more than we know"),
    ],
)
def test_a_bound_pod_shows_the_conditions_that_it_came_with(conditions: list[dict[str, str]]) -> None:
    pod = Pod.parse(pod_manifest("a", status={"conditions": conditions}, nodeName="n"), SpecTable())
    Store(Clock()).create(pod)
    assert pod.render()["status"]["conditions"] == conditions


def test_why_a_pod_is_unschedulable_is_read_from_its_condition() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1", "since": "t"}
    specs = SpecTable()
    pod = parse_resource(pod_manifest("a", status={"conditions": [condition]}), specs)
    assert pod.unschedulable == "0/1"
    Store(Clock()).create(pod)
    assert pod.render()["status"]["conditions"] == [condition]
    pod.node_name = "n"
    assert pod.render()["status"]["conditions"] == [{"type": "PodScheduled", "status": "True"}]


def test_a_lost_node_keeps_its_other_conditions() -> None:
    conditions = [{"type": "DiskPressure", "status": "False"}, {"type": "Ready", "status": "True", "since": "t"}]
    node = parse_resource(node_manifest(status={"conditions": conditions}), SpecTable())
    node.ready = False
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    assert node.render()["status"]["conditions"] == [conditions[0], lost]


def test_a_node_that_came_lost_and_recovers_says_so() -> None:
    node = parse_resource(node_manifest(status={"conditions": [{"type": "Ready", "status": "False"}]}), SpecTable())
    assert not node.ready
    node.ready = True
    assert parse_resource(node.render(), SpecTable()).ready


def test_a_nodes_taints_and_cordon_are_rendered() -> None:
    node = a_node(taints=[{"key": "gpu", "effect": "NoSchedule", "timeAdded": "t"}], podCIDR="10.0.0.0/24")
    node.taints, node.unschedulable = (*node.taints, Taint("spot", "x", "NoExecute")), True
    assert node.render()["spec"] == {
        "podCIDR": "10.0.0.0/24",
        "taints": [
            {"key": "gpu", "effect": "NoSchedule", "timeAdded": "t"},
            {"key": "spot", "value": "x", "effect": "NoExecute"},
        ],
        "unschedulable": True,
    }
    node.taints, node.unschedulable = (), False
    assert node.render()["spec"] == {"podCIDR": "10.0.0.0/24", "taints": []}


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param({"apiVersion": "v1"}, "kind: a manifest needs its kind", id="no kind"),
        pytest.param({"kind": "Pod"}, "apiVersion: a manifest needs its apiVersion", id="no apiVersion"),
        pytest.param({"apiVersion": 1, "kind": "Pod"}, "apiVersion: a manifest needs", id="a number as apiVersion"),
        pytest.param(
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "p"}, "value": "1"},
            "value: expected an integer, got '1'",
            id="a priority in quotes",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": []} | {"spec": [1]},
            "spec: expected a mapping",
            id="a list as a spec",
        ),
    ],
)
def test_a_bad_manifest_is_refused_with_its_path(manifest: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_resource(manifest, SpecTable())
    assert str(caught.value).startswith(message)
