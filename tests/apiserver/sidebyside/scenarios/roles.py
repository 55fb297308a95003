"""What users may do by their roles, and which roles they may grant; both servers run with RBAC."""

from __future__ import annotations

import random
import time

from tests.apiserver.sidebyside.conversing import APPLY, JSON, MERGE, Conversation, Document, Step

GROUP = "rbac.authorization.k8s.io"
_ALL = f"/apis/{GROUP}/v1"
_PATHS = (
    *("/", "/apis", "/healthz", "/healthz/ping", "/livez/etcd", "/metrics", "/odd", "/odd/two"),
    *("/api/v1", "/api/v2", "/api/v1/odd", "/api/v1/odd/name", "/api/v2/pods", "/apis/none/v1", "/apis/none/v1/odds"),
    *("/apis/apps", "/apis/apps/v1", "/apis/apps/v9/deployments", "/apis/apps/v1/odd", "/api/v1/nodes/n/proxy/a/b"),
    *("/api/v1/namespaces/{}/odd", "/api/v1/namespaces/{}/odd/name/below/more", "/api/v1/namespaces/{}"),
    *("/api/v1/namespaces/{}/status", "/api/v1/namespaces/{}/finalize", "/api/v1/namespaces/{}/pods/p/log"),
    *("/api/v1/namespaces/{}/pods/p/odd", "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/pods/p"),
    *("/api/v1/watch/namespaces/{}/configmaps", "/api/v1/watch/namespaces/{}/configmaps/c", "/api/v1/pods"),
    *(
        "/api/v1/namespaces/{}/configmaps",
        "/api/v1/namespaces/{}/configmaps/a%20b",
        "/api/v1/namespaces/{}/secrets/x%26y",
    ),
    *("/apis/apps/v1/namespaces/{}/deployments/d/scale", "/openapi/v9", "/.well-known/odd"),
)


def rule(verbs: str, groups: str, resources: str, *names: str) -> Document:
    """Returns a rule; several words are separated by spaces, the core group is -."""
    made: Document = {"verbs": verbs.split(), "apiGroups": ["" if each == "-" else each for each in groups.split()]}
    return {**made, "resources": resources.split(), **({"resourceNames": list(names)} if names else {})}


_HELD = [
    rule("get list", "-", "pods pods/log configmaps"),
    rule("*", GROUP, "roles rolebindings"),
    rule("get", "-", "*/scale"),
]
_WANTED: dict[str, list[Document]] = {
    "held": [rule("get", "-", "pods")],
    "held-two": [rule("list get", "-", "pods/log pods"), rule("get", "-", "configmaps", "a", "b")],
    "scale": [rule("get", "-", "replicationcontrollers/scale")],
    "none": [rule("list", "-", "pods")],
    "verb": [rule("get delete", "-", "pods")],
    "verbs": [rule("delete create", "-", "pods"), rule("patch", "-", "pods"), rule("patch", "-", "secrets")],
    "star": [rule("*", "*", "*")],
    "groups": [rule("get", "- apps batch", "pods jobs")],
    "names": [rule("get delete", "-", "secrets", "a", "b"), rule("update", "-", "secrets", "a")],
    "own": [rule("*", GROUP, "roles")],
    "own-star": [rule("*", GROUP, "*")],
}


def roles(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Asks for paths, writes roles and bindings as users with few rights."""
    here = f"{_ALL}/namespaces/{namespace}"
    _role(talk, f"{here}/roles", "held", _HELD)
    _bind(talk, f"{here}/rolebindings", "bob", "bob", "Role", "held")
    _bind(talk, f"{here}/rolebindings", "eve", "eve", "Role", "missing")
    _bind(talk, f"{_ALL}/clusterrolebindings", f"{namespace}-eve", "eve", "ClusterRole", "gone")
    time.sleep(1)  # until the real server's informers have seen them
    for user in ("bob", "eve", 'odd"<name>&'):
        _ask_paths(talk, namespace, user)
    _write_roles(talk, here, "bob")
    _write_bindings(talk, here, namespace)
    _write_cluster_roles(talk, namespace)
    _write_with_permission(talk, here, namespace)
    _impersonate(talk, here, namespace)


def _as(talk: Conversation, user: str, method: str, path: str, body: object = None, content: str = JSON) -> Step:
    return talk.ask(method, path, body, content_type=content, Impersonate_User=user, Impersonate_Group="devs")


def _role(talk: Conversation, path: str, name: str, rules: list[Document]) -> Step:
    return talk.ask("POST", path, {"metadata": {"name": name}, "rules": rules})


def _bind(talk: Conversation, path: str, name: str, user: str, kind: str, role: str) -> Step:
    return talk.ask("POST", path, _binding(name, user, kind, role))


def _binding(name: str, user: str, kind: str, role: str) -> Document:
    subjects = [{"kind": "User", "name": user, "apiGroup": GROUP}]
    return {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": subjects,
    }


def _ask_paths(talk: Conversation, namespace: str, user: str) -> None:
    for path in _PATHS:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if not (path.startswith("/api/v1/watch") and method == "GET" and user == "bob"):
                _as(talk, user, method, path.format(namespace), {} if method != "GET" else None)
    maps = f"/api/v1/namespaces/{namespace}/configmaps"
    for query in ("watch=1&timeoutSeconds=1", "fieldSelector=metadata.name%3Da", "fieldSelector=metadata.name!%3Da"):
        _as(talk, user, "GET", f"/api/v1/nodes?{query}")
        _as(talk, user, "GET", f"{maps.replace('configmaps', 'secrets')}?{query}")
        _as(talk, user, "DELETE", f"{maps}?{query}")
    review = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": namespace}}}
    _as(talk, user, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    paths = {"spec": {"nonResourceAttributes": {"verb": "get", "path": "/odd"}}}
    _as(talk, user, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", paths)


def _write_roles(talk: Conversation, here: str, user: str) -> None:
    for name, rules in _WANTED.items():
        _as(talk, user, "POST", f"{here}/roles", {"metadata": {"name": name}, "rules": rules})
        _as(talk, user, "PUT", f"{here}/roles/put-{name}", {"metadata": {"name": f"put-{name}"}, "rules": rules})
        _as(talk, user, "PUT", f"{here}/roles/put-none", {"metadata": {"name": "put-none"}, "rules": rules})
        _as(talk, user, "PATCH", f"{here}/roles/none", {"rules": rules}, MERGE)
        applied = {"apiVersion": f"{GROUP}/v1", "kind": "Role", "metadata": {"name": "applied"}, "rules": rules}
        _as(talk, user, "PATCH", f"{here}/roles/applied?fieldManager=m&force=true", applied, APPLY)
    _as(talk, user, "POST", f"{here}/roles", {"metadata": {"generateName": "x-gen-"}, "rules": _WANTED["verb"]})
    _as(talk, user, "POST", f"{here}/roles", {"metadata": {"name": "Bad_"}, "rules": [{"verbs": ["get"]}]})
    _as(
        talk, user, "POST", f"{here}/roles", {"metadata": {"name": "wrong"}, "rules": [rule("get", "-", "secrets"), {}]}
    )
    talk.ask("POST", f"{here}/roles", {"metadata": {"name": "large"}, "rules": _WANTED["star"]})
    for change in ({"labels": {"a": "b"}}, {"finalizers": ["example.com/a"]}, {"finalizers": None}):
        _as(talk, user, "PATCH", f"{here}/roles/large", {"metadata": change}, MERGE)
    kept = talk.ask("GET", f"{here}/roles/large").body
    _as(talk, user, "PUT", f"{here}/roles/large", kept)
    _as(talk, user, "DELETE", f"{here}/roles/large")


def _write_bindings(talk: Conversation, here: str, namespace: str) -> None:
    path = f"{here}/rolebindings"
    _role(talk, f"{here}/roles", "strong", _WANTED["verbs"])
    time.sleep(1)
    for kind, role in (
        ("Role", "held"),
        ("Role", "strong"),
        ("Role", "absent"),
        ("ClusterRole", "absent"),
        ("Odd", "x"),
    ):
        name = f"b-{kind.lower()}-{role}"
        _as(talk, "bob", "POST", path, _binding(name, "jane", kind, role))
        _as(talk, "bob", "PUT", f"{path}/put-{name}", _binding(f"put-{name}", "jane", kind, role))
    _as(talk, "bob", "POST", path, _binding("all", "jane", "ClusterRole", "system:controller:job-controller"))
    talk.ask("POST", path, _binding("given", "jane", "Role", "strong"))
    more = [{"kind": "User", "name": each, "apiGroup": GROUP} for each in ("jane", "bob")]
    _as(talk, "bob", "PATCH", f"{path}/given", {"subjects": more}, MERGE)
    _as(talk, "bob", "PATCH", f"{path}/b-role-held", {"subjects": more}, MERGE)
    _as(talk, "bob", "PATCH", f"{path}/given", {"metadata": {"finalizers": ["example.com/a"]}}, MERGE)


def _write_cluster_roles(talk: Conversation, namespace: str) -> None:
    _role(talk, f"{_ALL}/clusterroles", f"{namespace}-rbac", [rule("*", GROUP, "clusterroles clusterrolebindings")])
    _bind(talk, f"{_ALL}/clusterrolebindings", f"{namespace}-carl", "carl", "ClusterRole", f"{namespace}-rbac")
    time.sleep(1)
    paths = [{"verbs": ["get", "post"], "nonResourceURLs": ["/odd", "/odd/*"]}]
    collected = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    for name, body in {
        "own": {"rules": [rule("get", GROUP, "clusterroles")]},
        "paths": {"rules": paths},
        "known-paths": {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/version/", "/version/x"]}]},
        "mixed": {"rules": [*paths, rule("get", "-", "nodes")]},
        "collected": {"aggregationRule": collected},
        "not-collected": {"aggregationRule": {}},
    }.items():
        made = {"metadata": {"name": f"{namespace}-{name}"}, **body}
        _as(talk, "carl", "POST", f"{_ALL}/clusterroles", made)
    talk.ask("POST", f"{_ALL}/clusterroles", {"metadata": {"name": f"{namespace}-c"}, "aggregationRule": collected})
    _as(talk, "carl", "PATCH", f"{_ALL}/clusterroles/{namespace}-c", {"metadata": {"labels": {"x": "y"}}}, MERGE)
    for role in (f"{namespace}-rbac", f"{namespace}-c", "cluster-admin", "absent"):
        _as(
            talk,
            "carl",
            "POST",
            f"{_ALL}/clusterrolebindings",
            _binding(f"{namespace}-{role}", "x", "ClusterRole", role),
        )
    _as(talk, "carl", "POST", f"{_ALL}/clusterrolebindings", _binding(f"{namespace}-role", "x", "Role", "held"))


def _write_with_permission(talk: Conversation, here: str, namespace: str) -> None:
    """Users that may escalate one role, and bind another."""
    rules = [
        rule("create get update patch", GROUP, "roles rolebindings"),
        rule("escalate", GROUP, "roles", "large", "new"),
    ]
    _role(
        talk,
        f"{here}/roles",
        "delegate",
        [*rules, rule("bind", GROUP, "roles clusterroles", "strong", "cluster-admin")],
    )
    _bind(talk, f"{here}/rolebindings", "dora", "dora", "Role", "delegate")
    talk.ask("POST", f"{here}/roles", {"metadata": {"name": "large"}, "rules": _WANTED["held"]})
    time.sleep(1)
    for name in ("large", "other", "new"):
        _as(talk, "dora", "PUT", f"{here}/roles/{name}", {"metadata": {"name": name}, "rules": _WANTED["star"]})
        _as(talk, "dora", "POST", f"{here}/roles", {"metadata": {"name": name}, "rules": _WANTED["star"]})
    for number, (kind, role) in enumerate((("Role", "strong"), ("Role", "held"), ("ClusterRole", "cluster-admin"))):
        _as(talk, "dora", "POST", f"{here}/rolebindings", _binding(f"d-{number}", "jane", kind, role))
    _as(
        talk,
        "dora",
        "POST",
        f"{_ALL}/clusterrolebindings",
        _binding(f"{namespace}-d", "jane", "ClusterRole", "cluster-admin"),
    )


def _impersonate(talk: Conversation, here: str, namespace: str) -> None:
    """A service account impersonates what it may and what it may not."""
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    talk.ask("POST", accounts, {"metadata": {"name": "actor"}})
    spec = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = talk.ask("POST", f"{accounts}/actor/token", spec).body["status"]["token"]
    allowed = [
        rule("impersonate", "-", "users", "bob"),
        rule("impersonate", "-", "groups", "devs", "system:authenticated"),
    ]
    more = [rule("impersonate", "authentication.k8s.io", "uids userextras/scopes", "1", "view")]
    _role(talk, f"{_ALL}/clusterroles", f"{namespace}-imp", [*allowed, *more])
    binding = _binding(f"{namespace}-imp", "x", "ClusterRole", f"{namespace}-imp")
    subjects = [{"kind": "ServiceAccount", "name": "actor", "namespace": namespace}]
    talk.ask("POST", f"{_ALL}/clusterrolebindings", {**binding, "subjects": subjects})
    time.sleep(1)
    users: tuple[Document, ...] = (
        {"User": "bob"},
        {"User": "eve"},
        {"User": "bob", "Group": "devs"},
        {"User": "bob", "Group": "ops"},
        {"User": "bob", "Uid": "1", "Extra-Scopes": "view"},
        {"User": "bob", "Uid": "2"},
        {"User": "bob", "Extra-Scopes": "edit"},
        {"User": f"system:serviceaccount:{namespace}:actor"},
        {"User": f"system:serviceaccount:{namespace}:a:b"},
        {"User": "system:anonymous"},
        {"Group": "devs"},
        {"Uid": "1"},
        {"Extra-Scopes": "view"},
    )
    for named in users:
        headers = {f"Impersonate-{key}": value for key, value in named.items()}
        for path in (f"/api/v1/namespaces/{namespace}/pods", "/api/v1/nodes"):
            talk.ask("GET", path, Authorization=f"Bearer {token}", **headers)
            talk.ask("GET", path, **headers)
