"""Nobody grants more than they have; messages are those of kube-apiserver (sidebyside/scenarios/roles.py)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

GROUP = "rbac.authorization.k8s.io"
CLUSTER = f"/apis/{GROUP}/v1"
HERE = f"{CLUSTER}/namespaces/default"
BOB = User("bob", ("devs", "system:authenticated"))
ADMIN = User()
BEFORE = (
    'user "bob" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:'
)
PODS = {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "*/log"]}
WRITES = {"verbs": ["create", "update", "patch", "get"], "apiGroups": [GROUP], "resources": ["roles", "rolebindings"]}
EVERYTHING = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}


def ask(api: Api, user: User, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, str]:
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    answer = api.handle(Request(method, path, (), {"content-type": kind}, json.dumps(body or {}).encode(), user))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body).get("message", "")


def a_role(name: str, *rules: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "rules": list(rules), **fields}


def a_binding(name: str, kind: str, role: str, user: str = "bob") -> dict[str, Any]:
    subjects = [{"kind": "User", "name": user, "apiGroup": GROUP}]
    return {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": subjects,
    }


@pytest.fixture
def api() -> Api:
    made = Api(Store(Clock()), rbac=True)
    for path, body in (
        (f"{HERE}/roles", a_role("own", PODS, WRITES)),
        (f"{HERE}/roles", a_role("large", EVERYTHING)),
        (f"{HERE}/rolebindings", a_binding("own", "Role", "own")),
        (f"{HERE}/rolebindings", a_binding("large", "Role", "large", "root")),
        (f"{CLUSTER}/clusterroles", a_role("writer", {**WRITES, "resources": ["clusterroles", "clusterrolebindings"]})),
        (f"{CLUSTER}/clusterrolebindings", a_binding("writer", "ClusterRole", "writer")),
    ):
        assert ask(made, ADMIN, "POST", path, body)[0] == 201
    return made


@pytest.mark.parametrize(
    ("rules", "missing"),
    [
        pytest.param([], [], id="no rules"),
        pytest.param([PODS], [], id="what the user has"),
        pytest.param([{**PODS, "resources": ["nodes/log"]}], [], id="a subresource of anything"),
        pytest.param([{**PODS, "resourceNames": ["a"]}], [], id="one object of all"),
        pytest.param(
            [{**PODS, "verbs": ["get", "delete", "create"]}],
            [
                '{APIGroups:[""], Resources:["*/log"], Verbs:["delete" "create"]}',
                '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
            ],
            id="more verbs",
        ),
        pytest.param(
            [{"verbs": ["get"], "apiGroups": ["apps"], "resources": ["x"], "resourceNames": ["b", "a"]}],
            [
                '{APIGroups:["apps"], Resources:["x"], ResourceNames:["a"], Verbs:["get"]}',
                '{APIGroups:["apps"], Resources:["x"], ResourceNames:["b"], Verbs:["get"]}',
            ],
            id="named objects",
        ),
        pytest.param([EVERYTHING], ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'], id="everything"),
    ],
)
def test_a_role_has_only_rules_that_its_writer_has(api: Api, rules: list[Any], missing: list[str]) -> None:
    status, message = ask(api, BOB, "POST", f"{HERE}/roles", a_role("new", *rules))
    assert status == (403 if missing else 201)
    assert not missing or message == "\n".join([f'roles.{GROUP} "new" is forbidden: {BEFORE}', *missing])
    assert ask(api, BOB, "PUT", f"{HERE}/roles/put", a_role("put", *rules))[0] == status
    assert ask(api, BOB, "PATCH", f"{HERE}/roles/own", {"rules": [PODS, WRITES, *rules]})[0] in (200, status)


def test_a_role_that_has_more_can_only_be_released(api: Api) -> None:
    assert ask(api, BOB, "PATCH", f"{HERE}/roles/large", {"metadata": {"finalizers": ["example.com/a"]}})[0] == 200
    assert ask(api, BOB, "PATCH", f"{HERE}/roles/large", {"metadata": {"labels": {"a": "b"}}})[0] == 403


def test_only_administrators_collect_roles(api: Api) -> None:
    collecting = {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    status, message = ask(api, BOB, "POST", f"{CLUSTER}/clusterroles", a_role("all", **collecting))
    assert status == 403
    assert message.endswith("must have cluster-admin privileges to use the aggregationRule")


@pytest.mark.parametrize(
    ("path", "kind", "role", "status", "message"),
    [
        (f"{HERE}/rolebindings", "Role", "own", 201, ""),
        (
            f"{HERE}/rolebindings",
            "Role",
            "large",
            403,
            f'rolebindings.{GROUP} "new" is forbidden: {BEFORE}\n{{APIGroups:["*"], Resources:["*"], Verbs:["*"]}}',
        ),
        (f"{HERE}/rolebindings", "Role", "absent", 404, f'rolebindings.{GROUP} "absent" not found'),
        (f"{CLUSTER}/clusterrolebindings", "Role", "own", 400, "Namespace parameter required."),
        (f"{CLUSTER}/clusterrolebindings", "ClusterRole", "writer", 201, ""),
        (f"{HERE}/rolebindings", "Odd", "x", 500, 'unsupported role reference kind: "Odd"'),
    ],
)
def test_a_role_is_bound_only_by_users_that_have_its_rules(
    api: Api, path: str, kind: str, role: str, status: int, message: str
) -> None:
    assert ask(api, BOB, "POST", path, a_binding("new", kind, role)) == (status, message)


def test_the_verbs_escalate_and_bind_allow_more(api: Api) -> None:
    rules = [{"verbs": ["escalate"], "apiGroups": [GROUP], "resources": ["roles"], "resourceNames": ["large", "new"]}]
    rules.append({"verbs": ["bind"], "apiGroups": [GROUP], "resources": ["clusterroles"]})
    assert ask(api, ADMIN, "PUT", f"{HERE}/roles/own", a_role("own", PODS, WRITES, *rules))[0] == 200
    assert ask(api, BOB, "PUT", f"{HERE}/roles/large", a_role("large", EVERYTHING, PODS))[0] == 200
    assert ask(api, BOB, "PUT", f"{HERE}/roles/new", a_role("new", EVERYTHING))[0] == 201
    assert ask(api, BOB, "PUT", f"{HERE}/roles/other", a_role("other", EVERYTHING))[0] == 403
    assert ask(api, BOB, "POST", f"{HERE}/rolebindings", a_binding("b", "ClusterRole", "cluster-admin"))[0] == 201
    everywhere = f"{CLUSTER}/clusterrolebindings"
    assert ask(api, BOB, "POST", everywhere, a_binding("b", "ClusterRole", "cluster-admin"))[0] == 403
