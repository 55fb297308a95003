"""Roles and bindings decide what users may do, in the real server's words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

GROUP = "rbac.authorization.k8s.io"
ROLES = f"/apis/{GROUP}/v1/namespaces/demo"
BOB = User("bob", ("devs", "system:authenticated"))
ADMIN = User()


def asked(api: Api, user: User, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    headers = {"content-type": "application/json"}
    answer = api.handle(Request(method, path, (), headers, json.dumps(body).encode() if body else b"", user))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body) if answer.body.startswith(b"{") else answer.body


@pytest.fixture
def api() -> Api:
    made = Api(Store(Clock()), rbac=True)
    named = [("Namespace", "/api/v1/namespaces", {"metadata": {"name": "demo"}})]
    rules = [{"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]}]
    named.append(("Role", f"{ROLES}/roles", {"metadata": {"name": "reader"}, "rules": rules}))
    binding = {"roleRef": {"apiGroup": GROUP, "kind": "Role", "name": "reader"}, "metadata": {"name": "readers"}}
    subjects = [{"kind": "User", "name": "bob", "apiGroup": GROUP}]
    named.append(("RoleBinding", f"{ROLES}/rolebindings", {**binding, "subjects": subjects}))
    for kind, path, document in named:
        version = "v1" if kind == "Namespace" else f"{GROUP}/v1"
        assert asked(made, ADMIN, "POST", path, {"apiVersion": version, "kind": kind, **document})[0] == 201
    return made


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/namespaces/demo/pods", 200),
        ("GET", "/api/v1/namespaces/demo/pods/a", 404),
        ("GET", "/api/v1/namespaces/demo/pods/a/log", 404),
        ("DELETE", "/api/v1/namespaces/demo/pods/a", 403),
        ("GET", "/api/v1/namespaces/default/pods", 403),
        ("GET", "/api/v1/pods", 403),
        ("GET", "/api/v1/nodes", 403),
        ("GET", "/api", 200),
        ("GET", "/api/v1", 200),
        ("GET", "/version", 200),
    ],
)
def test_a_user_may_do_what_his_roles_allow(api: Api, method: str, path: str, status: int) -> None:
    assert asked(api, BOB, method, path)[0] == status
    assert asked(api, ADMIN, method, path)[0] in (200, 404)


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        (
            "GET",
            "/api/v1/nodes",
            'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
        ),
        (
            "GET",
            "/apis/apps/v1/namespaces/demo/deployments/web",
            'deployments.apps "web" is forbidden: User "bob" cannot get resource "deployments" in API group "apps" '
            'in the namespace "demo"',
        ),
        (
            "GET",
            "/api/v1/namespaces/demo",
            'namespaces "demo" is forbidden: User "bob" cannot get resource "namespaces" in API group "" '
            'in the namespace "demo"',
        ),
        (
            "POST",
            "/apis/none/v1/namespaces/demo/odds/x/below/more",
            'odds.none "x" is forbidden: User "bob" cannot create resource "odds/below" in API group "none" in the '
            'namespace "demo"',
        ),
        ("PUT", "/odd/<path>", 'forbidden: User "bob" cannot put path "/odd/&lt;path&gt;"'),
        (
            "DELETE",
            "/api/v1/namespaces/demo/pods",
            'pods is forbidden: User "bob" cannot deletecollection resource "pods" in API group "" in the namespace '
            '"demo"',
        ),
        (
            "GET",
            "/api/v1/watch/nodes",
            'nodes is forbidden: User "bob" cannot watch resource "nodes" in API group "" at the cluster scope',
        ),
    ],
)
def test_refusals_are_told_in_the_real_words(api: Api, method: str, path: str, message: str) -> None:
    status, told = asked(api, BOB, method, path)
    assert (status, told["reason"], told["message"]) == (403, "Forbidden", message)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ((("watch", "1"),), 'nodes is forbidden: User "bob" cannot watch'),
        ((("watch", "false"),), 'nodes is forbidden: User "bob" cannot list'),
        ((("fieldSelector", "metadata.name=n"),), 'nodes "n" is forbidden: User "bob" cannot list'),
        ((("fieldSelector", "metadata.name!=n"),), 'nodes is forbidden: User "bob" cannot list'),
    ],
)
def test_the_query_tells_watches_and_single_names(api: Api, query: tuple[tuple[str, str], ...], words: str) -> None:
    answer = api.handle(Request("GET", "/api/v1/nodes", query, user=BOB))
    assert isinstance(answer, Response)
    assert json.loads(answer.body)["message"].startswith(words)


def test_a_refusal_names_roles_that_are_missing(api: Api) -> None:
    binding = {"apiVersion": f"{GROUP}/v1", "kind": "RoleBinding", "metadata": {"name": "lost"}}
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "gone"}
    subjects = [{"kind": "User", "name": "bob", "apiGroup": GROUP}]
    assert asked(api, ADMIN, "POST", f"{ROLES}/rolebindings", {**binding, "roleRef": reference, "subjects": subjects})
    status, told = asked(api, BOB, "GET", "/api/v1/namespaces/demo/secrets")
    assert (status, told["message"].rpartition('"demo": ')[2]) == (403, f'RBAC: clusterrole.{GROUP} "gone" not found')


def review(api: Api, user: User, kind: str, spec: dict[str, Any]) -> Any:
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec}
    return asked(api, user, "POST", f"/apis/authorization.k8s.io/v1/{kind.lower()}s", body)[1]["status"]


def test_reviews_say_why(api: Api) -> None:
    pods = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "demo"}}
    reason = 'RBAC: allowed by RoleBinding "readers/demo" of Role "reader" to User "bob"'
    assert review(api, BOB, "SelfSubjectAccessReview", pods) == {"allowed": True, "reason": reason}
    assert review(api, ADMIN, "SubjectAccessReview", {**pods, "user": "eve"}) == {"allowed": False}
    paths = {"nonResourceAttributes": {"verb": "get", "path": "/metrics"}}
    assert review(api, BOB, "SelfSubjectAccessReview", paths) == {"allowed": False}


def test_rules_are_those_of_all_roles(api: Api) -> None:
    told = review(api, BOB, "SelfSubjectRulesReview", {"namespace": "demo"})
    assert {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]} in told["resourceRules"]
    assert any("/healthz" in rule["nonResourceURLs"] for rule in told["nonResourceRules"])


def test_a_role_that_collects_others_has_their_rules(api: Api) -> None:
    binding = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "viewers"},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "Group", "name": "devs", "apiGroup": GROUP}],
    }
    assert asked(api, BOB, "GET", "/api/v1/namespaces/demo/configmaps")[0] == 403
    assert asked(api, ADMIN, "POST", f"{ROLES}/rolebindings", binding)[0] == 201
    assert asked(api, BOB, "GET", "/api/v1/namespaces/demo/configmaps")[0] == 200
    assert asked(api, BOB, "GET", "/api/v1/namespaces/demo/secrets")[0] == 403
