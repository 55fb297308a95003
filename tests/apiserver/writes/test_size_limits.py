"""What etcd and its client refuse to store, with the sizes that kube-apiserver 1.35.8 and etcd have for the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, MERGE, PODS, Answer, Caller

Document = dict[str, Any]

AGENT = {"user_agent": "compare/1"}  # field managers are stored too
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
TOO_LARGE = "etcdserver: request is too large"
LARGEST = 1_572_346  # characters of the variable in `a_pod("heavy")` that the real server stores
REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"
ENDPOINTS = "/api/v1/namespaces/default/endpoints"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HEAVIES = "/apis/stall.io/v1/namespaces/default/heavies"


def a_pod(name: str, characters: int) -> Document:
    variable = {"name": "A", "value": "x" * characters}
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i", "env": [variable]}]}}


def a_deployment(name: str, characters: int) -> Document:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod("", characters)["spec"]}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}


def endpoints(name: str, characters: int) -> Document:
    address = {"ip": "1.2.3.4", "targetRef": {"kind": "x" * characters}}
    return {"metadata": {"name": name}, "subsets": [{"addresses": [address], "ports": [{"port": 1}]}]}


def a_role(name: str, characters: int) -> Document:
    rule = {"apiGroups": [""], "resources": ["x" * characters], "verbs": ["get"]}
    return {"metadata": {"name": name}, "rules": [rule]}


def a_revision(name: str, characters: int, **metadata: Any) -> Document:
    return {"metadata": {"name": name, **metadata}, "revision": 1, "data": {"a": "x" * characters}}


def refusal(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["message"]


@pytest.mark.parametrize(
    ("path", "document", "size"),
    [
        pytest.param(PODS, a_pod("heavy", 2_500_000), 2_500_508, id="a pod"),
        pytest.param(PODS, a_pod("h" * 60, 2_500_000), 2_500_673, id="a pod with a long name"),
        pytest.param(
            "/apis/apps/v1/namespaces/default/deployments",
            a_deployment("many1000", 2_500_000),
            2_500_472,
            id="a deployment",
        ),
        pytest.param(REVISIONS, a_revision("many2000", 2_500_000), 2_500_258, id="a revision"),
        pytest.param(ENDPOINTS, endpoints("many3000", 2_500_000), 2_500_276, id="endpoints"),
        pytest.param(
            "/apis/rbac.authorization.k8s.io/v1/clusterroles", a_role("roles", 2_500_000), 2_500_223, id="a role"
        ),
    ],
)
def test_requests_of_over_two_mebibytes_are_not_sent(path: str, document: Document, size: int) -> None:
    answer = Caller().ask("POST", path, document, **AGENT)
    why = f"trying to send message larger than max ({size} vs. 2097152)"
    assert refusal(answer) == (500, f"rpc error: code = ResourceExhausted desc = {why}")
    assert "reason" not in answer.body


@pytest.mark.parametrize(("characters", "status"), [(LARGEST, 201), (LARGEST + 1, 500)])
def test_requests_of_over_a_mebibyte_and_a_half_are_refused(characters: int, status: int) -> None:
    answer = Caller().ask("POST", PODS, a_pod("heavy", characters), **AGENT)
    assert answer.status == status
    assert status == 201 or refusal(answer) == (500, TOO_LARGE)


def test_config_maps_have_a_limit_of_their_own() -> None:
    answer = Caller().ask("POST", MAPS, {"metadata": {"name": "heavy"}, "data": {"a": "x" * 1_048_577}})
    why = 'ConfigMap "heavy" is invalid: []: Too long: may not be more than 1048576 bytes'
    assert refusal(answer) == (422, why)


def test_dry_runs_have_no_limit() -> None:
    assert Caller().ask("POST", f"{PODS}?dryRun=All", a_pod("heavy", 2_500_000)).status == 201


def test_changes_that_make_an_object_too_large_are_refused() -> None:
    caller = Caller()
    caller.ask("POST", REVISIONS, a_revision("upd", 1_400_000, annotations={"a": ""}), **AGENT)
    path, large = f"{REVISIONS}/upd", {"metadata": {"annotations": {"b": "y" * 200_000}}}
    applied = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 1, **large}
    put = a_revision("upd", 1_400_000, annotations={"a": "y" * 200_000})
    assert refusal(caller.ask("PUT", path, put)) == (500, TOO_LARGE)
    assert refusal(caller.ask("PATCH", path, large, content_type=MERGE)) == (500, TOO_LARGE)
    assert refusal(caller.ask("PATCH", f"{path}?fieldManager=m", applied, content_type=APPLY)) == (500, TOO_LARGE)
    assert caller.ask("PATCH", f"{path}?dryRun=All", large, content_type=MERGE).status == 200
    assert caller.ask("GET", path).body["metadata"]["annotations"] == {"a": ""}


def test_a_status_counts() -> None:
    caller = Caller()
    caller.ask("POST", PODS, a_pod("heavy", 1_400_000))
    answer = caller.ask("PATCH", f"{PODS}/heavy/status", {"status": {"message": "x" * 200_000}}, content_type=MERGE)
    assert refusal(answer) == (500, TOO_LARGE)


def test_an_object_does_not_grow_beyond_the_limit_by_small_patches() -> None:
    caller = Caller()
    caller.ask("POST", ENDPOINTS, endpoints("grown", 1))
    part = {"op": "add", "path": "/subsets/-", "value": endpoints("", 30_000)["subsets"][0]}
    answers = [caller.ask("PATCH", f"{ENDPOINTS}/grown", [part], content_type=JSON_PATCH) for _ in range(53)]
    assert [answer.status for answer in answers] == [200] * 52 + [500]


@pytest.mark.parametrize(("characters", "managers"), [(LARGEST - 1_000, 1), (LARGEST, 0)])
def test_what_fits_only_without_managed_fields_is_stored_without(characters: int, managers: int) -> None:
    answer = Caller().ask("POST", PODS, a_pod("heavy", characters), **AGENT)
    assert len(answer.body["metadata"].get("managedFields", [])) == managers


@pytest.mark.parametrize(("characters", "status"), [(1_571_000, 201), (1_572_800, 500)])
def test_custom_resources_are_stored_as_json(characters: int, status: int) -> None:
    caller = Caller()
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"plural": "heavies", "kind": "Heavy"}
    spec = {"group": "stall.io", "scope": "Namespaced", "names": names, "versions": versions}
    assert caller.ask("POST", CRDS, {"metadata": {"name": "heavies.stall.io"}, "spec": spec}).status == 201
    body = {"apiVersion": "stall.io/v1", "kind": "Heavy", "metadata": {"name": "a"}, "spec": "x" * characters}
    assert caller.ask("POST", HEAVIES, body).status == status
