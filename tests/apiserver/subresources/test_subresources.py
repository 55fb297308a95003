from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import PODS, Caller
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import SECOND, Nanoseconds

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class FewWords:
    """Containers that have said two things."""

    def render(self, resource: Resource) -> dict[str, Any]:
        return resource.render()

    def log(self, pod: Pod, container: str, previous: bool) -> list[tuple[Nanoseconds, str]]:
        return [(1 * SECOND, f"{container} begins"), (3 * SECOND, "it works")]


@pytest.fixture
def caller() -> Caller:
    caller = Caller(reports=FewWords())
    caller.create("/api/v1/nodes", {"metadata": {"name": "n"}})
    return caller


def a_running_pod(caller: Caller, name: str = "a", ready: str = "True") -> None:
    caller.create(PODS, pod_manifest(name, labels={"app": "x"}, nodeName="n"))
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    caller.merge(f"{PODS}/{name}/status", {"status": status})


def a_budget(caller: Caller, allowed: int, *, name: str = "b", observed: int = 1, **spec: Any) -> None:
    selector = {"matchLabels": {"app": "x"}}
    caller.create(BUDGETS, {"metadata": {"name": name}, "spec": {"minAvailable": 1, "selector": selector, **spec}})
    figures = {"disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
    caller.merge(f"{BUDGETS}/{name}/status", {"status": {**figures, "observedGeneration": observed}})


def evict(caller: Caller, name: str = "a", query: str = "", **options: Any) -> Any:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, "deleteOptions": options}
    return caller.ask("POST", f"{PODS}/{name}/eviction?{query}", eviction)


def test_an_eviction_tells_the_pod_why_it_goes(caller: Caller) -> None:
    a_running_pod(caller)
    assert evict(caller).body["status"] == "Success"
    pod = caller.get(f"{PODS}/a").body
    assert pod["status"]["conditions"][-1]["reason"] == "EvictionByEvictionAPI"
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30


def test_a_budget_with_room_is_charged(caller: Caller) -> None:
    a_running_pod(caller)
    a_budget(caller, allowed=1)
    assert evict(caller).status == 201
    status = caller.get(f"{BUDGETS}/b").body["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["a"])
    assert status["conditions"][0]["reason"] == "InsufficientPods"


def test_a_dry_run_charges_nothing(caller: Caller) -> None:
    a_running_pod(caller)
    a_budget(caller, allowed=1)
    version = caller.store.version
    assert (evict(caller, query="dryRun=All").status, caller.store.version) == (201, version)


@pytest.mark.parametrize(
    ("allowed", "observed", "retry", "cause"),
    [
        pytest.param(0, 1, None, "The disruption budget b needs 1 healthy pods and has 1 currently", id="no room"),
        pytest.param(1, 0, "10", "The disruption budget b is still being processed by the server.", id="not synced"),
    ],
)
def test_a_budget_may_refuse(caller: Caller, allowed: int, observed: int, retry: str | None, cause: str) -> None:
    a_running_pod(caller)
    a_budget(caller, allowed, observed=observed)
    answer = evict(caller)
    assert (answer.status, answer.headers.get("retry-after")) == (429, retry)
    assert answer.body["details"]["causes"] == [{"reason": "DisruptionBudget", "message": cause}]


@pytest.mark.parametrize(
    ("healthy", "policy", "status"),
    [
        pytest.param(1, None, 201, id="enough others are healthy"),
        pytest.param(0, None, 429, id="too few are"),
        pytest.param(0, "AlwaysAllow", 201, id="whatever the others are"),
    ],
)
def test_pods_that_are_not_ready(caller: Caller, healthy: int, policy: str | None, status: int) -> None:
    a_running_pod(caller, ready="False")
    a_budget(caller, 0, **({"unhealthyPodEvictionPolicy": policy} if policy else {}))
    caller.merge(f"{BUDGETS}/b/status", {"status": {"currentHealthy": healthy}})
    assert evict(caller).status == status


def test_two_budgets_are_too_many(caller: Caller) -> None:
    a_running_pod(caller)
    for name in "bc":
        a_budget(caller, 1, name=name)
    assert evict(caller).status == 500


@pytest.mark.parametrize("options", [{"preconditions": {"uid": "x"}}, {"preconditions": {"resourceVersion": "1"}}])
def test_an_eviction_of_another_pod_than_meant(caller: Caller, options: dict[str, Any]) -> None:
    a_running_pod(caller)
    assert evict(caller, **options).status == 409


def test_a_binding_places_a_pod_once(caller: Caller) -> None:
    caller.create(PODS, pod_manifest("a"))
    binding = {"metadata": {"name": "a", "annotations": {"by": "me"}}, "target": {"kind": "Node", "name": "n"}}
    assert caller.ask("POST", f"{PODS}/a/binding", binding).status == 201
    pod = caller.get(f"{PODS}/a").body
    assert (pod["spec"]["nodeName"], pod["metadata"]["annotations"]) == ("n", {"by": "me"})
    assert pod["status"]["conditions"][0]["lastTransitionTime"]
    again = caller.ask("POST", "/api/v1/namespaces/default/bindings", binding)
    assert (again.status, again.body["details"]["kind"]) == (409, "pods/binding")


def test_a_scale_sets_the_replicas(caller: Caller) -> None:
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"app": "x"}}, "template": template}
    caller.create(DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": spec})
    scale = caller.get(f"{DEPLOYMENTS}/d/scale").body
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 1},
        {"replicas": 0, "selector": "app=x"},
    )
    scale["spec"]["replicas"] = 4
    assert caller.ask("PUT", f"{DEPLOYMENTS}/d/scale", scale).body["spec"] == {"replicas": 4}
    assert caller.merge(f"{DEPLOYMENTS}/d/scale", {"spec": {"replicas": -1}}).status == 422
    assert caller.ask("PUT", f"{DEPLOYMENTS}/d/scale", scale).status == 409  # it is older than the deployment now


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("", b"main begins\nit works\n"),
        ("tailLines=1", b"it works\n"),
        ("tailLines=0", b""),
        ("limitBytes=4", b"main"),
        ("sinceSeconds=2", b"it works\n"),
        ("sinceTime=2030-01-01T00:00:02Z", b"it works\n"),
        ("timestamps=true&tailLines=1", b"2030-01-01T00:00:03.000000000Z it works\n"),
    ],
)
def test_a_log_tells_what_the_container_said(caller: Caller, query: str, text: bytes) -> None:
    a_running_pod(caller)
    caller.clock.run(until=4 * SECOND)
    answer = caller.get(f"{PODS}/a/log?{query}")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/plain", text)


@pytest.mark.parametrize("what", ["exec", "attach", "portforward"])
def test_there_is_no_way_into_a_container(caller: Caller, what: str) -> None:
    a_running_pod(caller)
    answer = caller.ask("POST", f"{PODS}/a/{what}?command=ls")
    assert answer.status == 501
    assert answer.body["message"].startswith(f"{what} is not possible: the containers and nodes of wavetank are")


def test_a_pod_can_be_given_ephemeral_containers(caller: Caller) -> None:
    a_running_pod(caller)
    added = {"spec": {"ephemeralContainers": [{"name": "e", "image": "i"}]}}
    answer = caller.merge(f"{PODS}/a/ephemeralcontainers", added)
    assert [each["name"] for each in answer.body["spec"]["ephemeralContainers"]] == ["e"]
    assert caller.merge(f"{PODS}/a/ephemeralcontainers", {"spec": {"ephemeralContainers": []}}).status == 422
