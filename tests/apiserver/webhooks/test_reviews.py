"""What webhooks are asked, as recorded side by side with a real server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.webhooks.hooks import Hooked, allow, patch

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
SPEC = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE, "replicas": 2}


@pytest.fixture
def hooked() -> Hooked:
    made = Hooked()
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}
    made.add("mutating", allow, rules=[rule])
    made.add("validating", allow, mutating=False, rules=[rule])
    return made


def reviews(hooked: Hooked, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
    hooked.asked.clear()
    answer = hooked.ask(*arguments, **options)
    assert answer.status < 300, answer.body
    return [request for _, request in hooked.asked]


def test_a_review_has_the_options_and_the_managers_of_a_write(hooked: Hooked) -> None:
    for review in reviews(
        hooked,
        "POST",
        f"{CONFIG_MAPS}?fieldManager=m&fieldValidation=Strict",
        {"metadata": {"name": "c"}, "data": {"k": "v"}},
    ):
        assert review["options"] == {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "fieldManager": "m",
            "fieldValidation": "Strict",
        }
        assert [entry["manager"] for entry in review["object"]["metadata"]["managedFields"]] == ["m"]


def test_those_that_check_an_object_see_its_generated_name(hooked: Hooked) -> None:
    changing, checking = reviews(hooked, "POST", CONFIG_MAPS, {"metadata": {"generateName": "c-"}})
    assert "name" not in changing
    assert checking["name"] == checking["object"]["metadata"]["name"]


def test_a_deletion_is_reviewed_with_its_options_and_without_the_name_if_it_is_one_of_many(hooked: Hooked) -> None:
    for name in ("c", "d"):
        hooked.ask("POST", CONFIG_MAPS, {"metadata": {"name": name}})
    one = reviews(hooked, "DELETE", f"{CONFIG_MAPS}/c", {"propagationPolicy": "Background"})
    assert [(each["name"], each["options"]["propagationPolicy"]) for each in one] == [("c", "Background")] * 2
    assert all("name" not in each for each in reviews(hooked, "DELETE", CONFIG_MAPS))


def test_an_eviction_is_no_deletion_for_webhooks(hooked: Hooked) -> None:
    pods = "/api/v1/namespaces/default/pods"
    hooked.ask("POST", pods, {"metadata": {"name": "p"}, "spec": TEMPLATE["spec"]})
    asked = reviews(hooked, "POST", f"{pods}/p/eviction", {"metadata": {"name": "p"}})
    assert {each["operation"] for each in asked} == {"CREATE"}


def test_scaling_shows_the_scale_and_its_manager(hooked: Hooked) -> None:
    hooked.ask("POST", DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": SPEC})
    changing, checking = reviews(
        hooked, "PUT", f"{DEPLOYMENTS}/d/scale", {"metadata": {"name": "d"}, "spec": {"replicas": 3}}
    )
    assert [each["kind"]["kind"] for each in (changing, checking)] == ["Scale", "Scale"]
    assert changing["object"]["metadata"]["managedFields"][0]["subresource"] == "scale"
    assert (checking["object"]["spec"], checking["oldObject"]["spec"]) == ({"replicas": 3}, {"replicas": 2})
    assert "managedFields" not in checking["object"]["metadata"]


@pytest.mark.parametrize(
    ("operation", "status"),
    [
        ({"op": "replace", "path": "/spec/replicas", "value": 5}, 200),
        ({"op": "remove", "path": "/spec"}, 200),
        ({"op": "replace", "path": "/spec", "value": 5}, 500),
        ({"op": "replace", "path": "/spec/replicas", "value": "5"}, 500),
        ({"op": "replace", "path": "", "value": []}, 500),
    ],
)
def test_a_patch_makes_no_other_object_of_a_scale(hooked: Hooked, operation: dict[str, Any], status: int) -> None:
    hooked.ask("POST", DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": SPEC})
    hooked.hooks["mutating"] = patch(operation)
    scale = {"metadata": {"name": "d"}, "spec": {"replicas": 3}}
    assert hooked.ask("PUT", f"{DEPLOYMENTS}/d/scale", scale).status == status
