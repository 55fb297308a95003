"""Defaults that depend on something."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.codec import canonical
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.defaulting.pods import pull_policy
from wavetank.apiserver.kinds import KindTable

TABLE = KindTable.builtin()


def defaulted(api_version: str, kind_name: str, document: dict[str, Any]) -> dict[str, Any]:
    kind = TABLE.named(api_version, kind_name)
    assert kind is not None
    decoded = canonical(kind.schema, document)
    set_defaults(kind, decoded)
    return decoded


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("registry:5000/team/app", "Always"),
        ("registry:5000/team/app:v1", "IfNotPresent"),
        (f"nginx@sha256:{'0' * 64}", "IfNotPresent"),
        (f"nginx:latest@sha256:{'0' * 64}", "Always"),
        ("", "IfNotPresent"),
        ("Not A Name", "IfNotPresent"),
        ("x" * 256, "IfNotPresent"),
    ],
)
def test_an_image_without_a_fixed_tag_is_always_pulled(image: str, policy: str) -> None:
    assert pull_policy(image) == policy


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        pytest.param({}, {"completions": 1, "parallelism": 1, "backoffLimit": 6}, id="one pod"),
        pytest.param({"parallelism": 3}, {"parallelism": 3, "completions": None}, id="a work queue"),
        pytest.param({"completions": 3}, {"parallelism": 1, "completions": 3}, id="one after the other"),
        pytest.param({"backoffLimitPerIndex": 1}, {"backoffLimit": 2**31 - 1}, id="limits for each index"),
        pytest.param({"podFailurePolicy": {}}, {"podReplacementPolicy": "Failed"}, id="a failure policy"),
    ],
)
def test_jobs(given: dict[str, Any], completed: dict[str, Any]) -> None:
    spec = defaulted("batch/v1", "Job", {"spec": given})["spec"]
    assert {name: spec.get(name) for name in completed} == completed


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        pytest.param(
            {}, {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}, id="plain"
        ),
        pytest.param({"type": "NodePort"}, {"externalTrafficPolicy": "Cluster"}, id="reachable from outside"),
        pytest.param(
            {"type": "LoadBalancer"},
            {"allocateLoadBalancerNodePorts": True, "externalTrafficPolicy": "Cluster"},
            id="lb",
        ),
        pytest.param(
            {"sessionAffinity": "ClientIP"},
            {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}},
            id="affinity for three hours",
        ),
        pytest.param(
            {"type": "ExternalName"}, {"internalTrafficPolicy": None, "externalTrafficPolicy": None}, id="a mere name"
        ),
    ],
)
def test_services(given: dict[str, Any], completed: dict[str, Any]) -> None:
    spec = defaulted("v1", "Service", {"spec": given})["spec"]
    assert {name: spec.get(name) for name in completed} == completed


def test_pods_on_the_hosts_network_publish_their_ports() -> None:
    container = {"name": "c", "image": "i", "ports": [{"containerPort": 80}]}
    pod = defaulted("v1", "Pod", {"spec": {"hostNetwork": True, "containers": [container]}})
    assert pod["spec"]["containers"][0]["ports"] == [{"hostPort": 80, "containerPort": 80, "protocol": "TCP"}]


def test_what_is_limited_is_requested_in_pods_but_not_in_templates() -> None:
    spec = {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}}]}
    pod = defaulted("v1", "Pod", {"spec": spec})
    template = defaulted("v1", "PodTemplate", {"template": {"spec": spec}})
    assert pod["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
    assert template["template"]["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}}


def test_a_pods_own_limits_make_it_request_what_its_containers_do() -> None:
    containers = [{"name": name, "image": "i", "resources": {"requests": {"cpu": "200m"}}} for name in "ab"]
    pod = defaulted(
        "v1", "Pod", {"spec": {"containers": containers, "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}}
    )
    assert pod["spec"]["resources"]["requests"] == {"cpu": "400m", "memory": "1Gi"}


def test_limits_of_containers_complete_each_other() -> None:
    limit = {"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "100m", "memory": "1Mi"}}
    completed = defaulted("v1", "LimitRange", {"spec": {"limits": [limit]}})["spec"]["limits"][0]
    assert completed["default"] == {"cpu": "2"}
    assert completed["defaultRequest"] == {"cpu": "2", "memory": "1Mi"}


def test_amounts_finer_than_a_thousandth_are_rounded_up() -> None:
    node = defaulted("v1", "Node", {"status": {"capacity": {"cpu": "100u"}}})
    assert node["status"]["capacity"] == node["status"]["allocatable"] == {"cpu": "1m"}


def test_text_in_secrets_becomes_data() -> None:
    secret = defaulted("v1", "Secret", {"data": {"a": "eA=="}, "stringData": {"a": "y", "b": "z"}})
    assert (secret["type"], secret["data"]) == ("Opaque", {"a": "eQ==", "b": "eg=="})
    assert "stringData" not in secret
