from __future__ import annotations

from typing import Any

import pytest

from tests.support.objects import a_pod
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.rules.admission import ForbiddenError, admit
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}


def a_store(*classes: tuple[str, int, bool]) -> Store:
    store = Store(Clock())
    for name, value, default in classes:
        manifest = {**CLASS, "metadata": {"name": name}, "value": value, "globalDefault": default}
        store.create(parse_resource(manifest, store.specs))
    return store


HIGH, NORMAL, LOW = ("high", 100, False), ("normal", 10, True), ("low", -5, True)


@pytest.mark.parametrize(
    ("spec", "classes", "priority"),
    [
        pytest.param({}, [], 0, id="no class is priority 0"),
        pytest.param({}, [HIGH], 0, id="a class that is not named does not count"),
        pytest.param({}, [HIGH, NORMAL], 10, id="unless it is the global default"),
        pytest.param({}, [NORMAL, LOW], -5, id="of two global defaults the lower one"),
        pytest.param({"priorityClassName": "high"}, [HIGH, NORMAL], 100, id="the class that is named"),
        pytest.param({"priorityClassName": "high", "priority": 7}, [HIGH], 7, id="a stated priority stays"),
        pytest.param({"priority": 0}, [NORMAL], 0, id="even if it is 0"),
        pytest.param({"priorityClassName": "system-node-critical"}, [], 2_000_001_000, id="every cluster has it"),
        pytest.param({"priorityClassName": "system-cluster-critical"}, [], 2_000_000_000, id="and this one"),
    ],
)
def test_a_pod_gets_the_priority_of_its_class(
    spec: dict[str, Any], classes: list[tuple[str, int, bool]], priority: int
) -> None:
    pod = a_pod(**spec)
    admit(pod, a_store(*classes))
    assert pod.priority == priority


def test_the_priority_given_by_admission_is_rendered_and_the_shared_spec_is_untouched() -> None:
    pod, other = a_pod("a", priorityClassName="high"), a_pod("a", priorityClassName="high")
    admit(pod, a_store(HIGH))
    assert pod.render()["spec"]["priority"] == 100
    assert pod.spec is other.spec
    assert (other.priority, "priority" in other.render()["spec"]) == (0, False)


@pytest.mark.parametrize(
    ("of_class", "of_pod", "policy"),
    [
        pytest.param({}, {}, "PreemptLowerPriority", id="neither says anything"),
        pytest.param({"preemptionPolicy": "Never"}, {}, "Never", id="the class decides"),
        pytest.param({"preemptionPolicy": "Never", "globalDefault": True}, {}, "Never", id="as the default too"),
        pytest.param({}, {"preemptionPolicy": "Never"}, "Never", id="unless the pod has said it"),
    ],
)
def test_a_pod_preempts_as_its_class_says(of_class: dict[str, Any], of_pod: dict[str, Any], policy: str) -> None:
    store = a_store()
    store.create(parse_resource({**CLASS, "metadata": {"name": "high"}, "value": 100, **of_class}, store.specs))
    named = {} if of_class.get("globalDefault") else {"priorityClassName": "high"}
    pod, other = (a_pod(name, **named, **of_pod) for name in "ab")
    for each in (pod, other):
        admit(each, store)
    assert (pod.priority, pod.spec.preemption_policy) == (100, policy)
    assert pod.spec is other.spec


def test_an_unknown_class_is_forbidden() -> None:
    with pytest.raises(ForbiddenError, match='no PriorityClass with name "high" was found') as caught:
        admit(a_pod("a", priorityClassName="high"), a_store())
    assert (caught.value.status["code"], caught.value.status["reason"]) == (403, "Forbidden")
