from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import PODS, Caller
from tests.support.objects import pod_manifest

NAMESPACE = "/api/v1/namespaces/default"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
HARMLESS = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def label(caller: Caller, **modes: str | None) -> Any:
    labels = {f"pod-security.kubernetes.io/{mode.replace('_', '-')}": value for mode, value in modes.items()}
    return caller.merge(NAMESPACE, {"metadata": {"labels": labels}})


def a_container(**context: Any) -> list[dict[str, Any]]:
    return [{"name": "c", "image": "i", "securityContext": context}]


@pytest.mark.parametrize(
    ("level", "spec", "why"),
    [
        ("baseline", {}, ""),
        ("restricted", {"containers": a_container(**HARMLESS)}, ""),
        ("privileged", {"hostNetwork": True}, ""),
        ("baseline", {"hostNetwork": True, "hostPID": True}, "host namespaces (hostNetwork=true, hostPID=true)"),
        (
            "baseline",
            {"containers": a_container(capabilities={"add": ["CHOWN", "NET_ADMIN"]})},
            'non-default capabilities (container "c" must not include "NET_ADMIN" in securityContext.capabilities.add)',
        ),
        (
            "baseline",
            {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
            'hostPath volumes (volume "v")',
        ),
        (
            "restricted",
            {"containers": a_container(**HARMLESS), "volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
            'restricted volume types (volume "v" uses restricted volume type "hostPath")',
        ),
        (
            "restricted",
            {"containers": a_container(**{**HARMLESS, "runAsNonRoot": False})},
            'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
        ),
        (
            "restricted",
            {"containers": a_container(**HARMLESS), "securityContext": {"runAsUser": 0}},
            "runAsUser=0 (pod must not set runAsUser=0)",
        ),
    ],
)
def test_a_namespace_says_what_its_pods_may_do(level: str, spec: dict[str, Any], why: str) -> None:
    caller = Caller()
    label(caller, enforce=level)
    answer = caller.ask("POST", PODS, pod_manifest("p", **spec))
    if why:
        message = f'pods "p" is forbidden: violates PodSecurity "{level}:latest": {why}'
        assert (answer.status, answer.body["message"]) == (403, message)
    else:
        assert answer.status == 201


def test_a_workload_that_violates_the_policy_is_only_warned_about() -> None:
    caller = Caller()
    label(caller, warn="baseline")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod_manifest("p", hostNetwork=True)["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    answer = caller.create(DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": spec})
    assert 'would violate PodSecurity \\"baseline:latest\\": host namespaces' in answer.headers["warning"]


def test_a_stricter_level_warns_of_the_pods_that_are_there() -> None:
    caller = Caller()
    for name in "ab":
        caller.create(PODS, pod_manifest(name, hostNetwork=True))
    answer = label(caller, enforce="baseline")
    assert answer.headers["warning"] == '299 - "a (and 1 other pod): host namespaces"'


def test_a_label_that_says_nothing_is_refused() -> None:
    answer = label(Caller(), enforce="strict", enforce_version="2")
    assert answer.status == 422
    assert [cause["field"] for cause in answer.body["details"]["causes"]] == [
        "metadata.labels[pod-security.kubernetes.io/enforce]",
        "metadata.labels[pod-security.kubernetes.io/enforce-version]",
    ]


def test_what_does_not_touch_the_containers_passes() -> None:
    caller = Caller()
    caller.create(PODS, pod_manifest("p"))
    label(caller, enforce="restricted")
    assert caller.merge(f"{PODS}/p", {"metadata": {"labels": {"x": "1"}}}).status == 200
    image = [{"op": "replace", "path": "/spec/containers/0/image", "value": "other"}]
    assert caller.ask("PATCH", f"{PODS}/p", image, content_type="application/json-patch+json").status == 403
