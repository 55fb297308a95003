from __future__ import annotations

import json
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.objects import pod_manifest
from wavetank.cluster.objects import podspec
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.errors import InputError

CONTAINER = {"name": "main", "image": "busybox"}
SPECS = st.fixed_dictionaries(
    {"containers": st.just([CONTAINER])},
    optional={
        "priority": st.integers(0, 2),
        "nodeSelector": st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")),
        "schedulerName": st.sampled_from(["mine", "yours"]),
        "dnsPolicy": st.sampled_from(["Default", "None"]),
    },
)
OF_THE_POD = st.fixed_dictionaries(
    {}, optional={"nodeName": st.sampled_from(["n", "m"]), "schedulingGates": st.just([{"name": "g"}])}
)


@given(SPECS, SPECS, OF_THE_POD, OF_THE_POD)
def test_equal_specs_are_one_object_wherever_the_pods_stand(
    one: dict[str, Any], other: dict[str, Any], here: dict[str, Any], there: dict[str, Any]
) -> None:
    table = SpecTable()
    assert (table.intern({**one, **here}) is table.intern({**there, **other})) == (one == other)


def test_the_order_of_fields_makes_no_difference() -> None:
    table = SpecTable()
    spec = {"containers": [CONTAINER], "priority": 1}
    assert table.intern(spec) is table.intern(dict(reversed(spec.items())))


def test_what_belongs_to_the_pod_is_not_in_the_shared_spec() -> None:
    pods = [Pod.parse(pod_manifest(node, nodeName=node), table) for table in [SpecTable()] for node in ("n", "m")]
    assert pods[0].spec is pods[1].spec
    assert [pod.node_name for pod in pods] == ["n", "m"]
    assert "nodeName" not in pods[0].spec.manifest


def test_what_a_spec_does_not_say_is_the_default_of_kubernetes() -> None:
    spec = PodSpec({"containers": [CONTAINER]})
    assert (spec.scheduler_name, spec.restart_policy, spec.grace_s) == ("default-scheduler", "Always", 30)
    assert (spec.priority, spec.priority_class, spec.preemption_policy) == (None, "", "PreemptLowerPriority")
    assert spec.node_affinity.allows_all


def test_a_grace_period_of_zero_is_not_the_default() -> None:
    assert PodSpec({"containers": [CONTAINER], "terminationGracePeriodSeconds": 0}).grace_s == 0


@pytest.mark.parametrize(
    ("field", "container", "ports"),
    [
        pytest.param("containers", {"ports": [{"hostPort": 80}]}, {("0.0.0.0", "TCP", 80)}, id="a container"),
        pytest.param(
            "containers",
            {"ports": [{"hostPort": 80, "hostIP": "::", "protocol": "UDP"}]},
            {("::", "UDP", 80)},
            id="with its address and protocol",
        ),
        pytest.param("containers", {"ports": [{"containerPort": 80}]}, set(), id="a port of the container alone"),
        pytest.param("initContainers", {"ports": [{"hostPort": 80}]}, set(), id="an init container keeps none"),
        pytest.param(
            "initContainers",
            {"ports": [{"hostPort": 80}], "restartPolicy": "Always"},
            {("0.0.0.0", "TCP", 80)},
            id="a sidecar does",
        ),
    ],
)
def test_host_ports_are_those_that_stay(field: str, container: dict[str, Any], ports: set[Any]) -> None:
    assert PodSpec({"containers": [CONTAINER], field: [container]}).ports == ports


def test_images_and_containers_count_init_containers() -> None:
    spec = PodSpec({"containers": [CONTAINER], "initContainers": [{"name": "i", "image": "setup"}]})
    assert (spec.containers, spec.images) == (2, ("setup", "busybox"))


def test_asking_for_something_else_is_like_a_spec_that_asks_for_it() -> None:
    requests = {"cpu": 1500, "memory": 2**30}
    changed = PodSpec({"containers": [CONTAINER], "priority": 3}).asking(requests)
    resources = {"requests": {"cpu": "1500m", "memory": "1Gi"}}
    expected = PodSpec({"containers": [{**CONTAINER, "resources": resources}], "priority": 3})
    assert changed.manifest == expected.manifest
    for slot in ("requests", "nonzero_cpu", "nonzero_memory", "scored_cpu", "scored_memory", "priority", "images"):
        assert getattr(changed, slot) == getattr(expected, slot)


def test_asking_for_nothing_counts_what_scoring_assumes() -> None:
    base = PodSpec({"containers": [CONTAINER]})
    assert (base.asking({}).nonzero_cpu, base.asking({}).nonzero_memory) == (base.nonzero_cpu, base.nonzero_memory)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param({"priority": "high"}, "spec.priority: expected an integer, got 'high'", id="a priority in words"),
        pytest.param({"priority": True}, "spec.priority: expected an integer, got True", id="a truth as a priority"),
        pytest.param({"containers": "main"}, "spec.containers: expected a list of containers", id="one container"),
        pytest.param({"containers": ["main"]}, "spec.containers[0]: expected a container", id="a container's name"),
        pytest.param(
            {"initContainers": [{}, 1]}, "spec.initContainers[1]: expected a container", id="an init container"
        ),
        pytest.param({"nodeSelector": {"a b": "c"}}, "spec.nodeSelector", id="a bad node selector"),
        pytest.param({"tolerations": [{"value": "x"}]}, "spec.tolerations[0].operator", id="a bad toleration"),
        pytest.param({"volumes": object()}, "spec: not plain JSON", id="something that JSON has not"),
    ],
)
def test_a_bad_spec_is_refused_with_its_path(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        SpecTable().intern({"containers": [CONTAINER], **spec})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param({"metadata": {"name": "a"}}, "spec: a Pod needs a spec", id="no spec"),
        pytest.param({"metadata": {"name": "a"}, "spec": 1}, "spec: a Pod needs a spec", id="not a spec"),
        pytest.param({"metadata": {"name": "a"}, "spec": {}}, "spec.containers: a Pod needs at least", id="empty"),
        pytest.param(pod_manifest(""), "metadata.name: a Pod needs a name", id="no name"),
        pytest.param({**pod_manifest("a"), "metadata": 1}, "metadata: expected a mapping", id="not metadata"),
    ],
)
def test_a_bad_pod_is_refused_with_its_path(manifest: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Pod.parse(manifest, SpecTable())
    assert str(caught.value).startswith(message)


def test_specs_of_no_pod_are_forgotten_once_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(podspec, "_MOST_KEPT", 1000)
    table = SpecTable()
    first, second = ({"containers": [CONTAINER], "priority": number} for number in (1, 2))
    pod, made = table.intern(first), weakref.ref(table.intern(second))
    for number in range(3, 100):
        table.intern({"containers": [CONTAINER], "priority": number})
    assert len(table) <= 1000 // len(json.dumps(second, separators=(",", ":")))
    assert made() is None
    assert table.intern(first) is pod
    assert table.intern(second).priority == 2


def test_the_last_specs_stay_without_a_pod() -> None:
    table = SpecTable()
    spec = weakref.ref(table.intern({"containers": [CONTAINER]}))
    assert table.intern({"containers": [CONTAINER]}) is spec()
    table.keep_only([])
    assert spec() is None
