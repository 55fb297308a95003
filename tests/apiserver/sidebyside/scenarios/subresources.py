"""Subresources, reviews and paths that are no objects."""

from __future__ import annotations

import random

from tests.apiserver.sidebyside.conversing import JSON, MERGE, PATCH, STRATEGIC, TABLE, Conversation, Document

_CONTAINER: Document = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}}
_TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [_CONTAINER]}}
_SCALABLE = {
    "apps/v1/namespaces/{}/deployments": {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE},
    "apps/v1/namespaces/{}/replicasets": {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE},
    "apps/v1/namespaces/{}/statefulsets": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": _TEMPLATE,
        "serviceName": "s",
    },
}
_GROUPS = ("authorization.k8s.io/v1", "authentication.k8s.io/v1")
_PATHS = (
    *("/", "/api", "/apis", "/version", "/healthz", "/livez", "/readyz", "/api/v1/", "/api/v2", "/apis/apps"),
    *("/apis/apps/v1", "/apis/apps/v9", "/apis/none", "/apis/none/v1", "/api/v1/odd", "/odd", "/.well-known"),
    *("/.well-known/openid-configuration", "/openid/v1/jwks", "/openapi", "/openapi/v3", "/openapi/v4", "/metrics/odd"),
    *("/api/v1/namespaces/default/odd", "/api/v1/namespaces/none", "/api/v1/namespaces/none/pods", "/api/v1/watch/odd"),
    *("/api/v1/nodes/none/proxy", "/api/v1/componentstatuses/none", "/apis/metrics.k8s.io/v1beta1"),
)


def subresources(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Scales, binds, evicts, resizes, asks for tokens and reviews."""
    for path, spec in _SCALABLE.items():
        _scale(talk, f"/apis/{path.format(namespace)}", {**spec, "replicas": 2})
    _pods(talk, f"/api/v1/namespaces/{namespace}")
    _accounts(talk, f"/api/v1/namespaces/{namespace}/serviceaccounts")
    _reviews(talk, namespace)


def paths(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Asks for paths with all methods."""
    for path in _PATHS:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            talk.ask(method, path, {} if method != "GET" else None)
        talk.ask("GET", path, accept="text/html")
        talk.ask("GET", path, accept="application/yaml")


def _scale(talk: Conversation, path: str, spec: Document) -> None:
    talk.ask("POST", path, {"metadata": {"name": "w"}, "spec": spec})
    one = f"{path}/w/scale"
    scale = talk.ask("GET", one).body
    talk.ask("GET", one, accept=TABLE)
    talk.ask("PUT", one, {**scale, "spec": {"replicas": 3}})
    talk.ask("PUT", one, {**scale, "spec": {"replicas": 4}})
    talk.ask("PUT", one, {**scale, "metadata": {"name": "w"}, "spec": {"replicas": -1}})
    talk.ask("PUT", one, {**scale, "metadata": {"name": "x"}})
    talk.ask("PUT", one, {"spec": {"replicas": 1}})
    talk.ask("PUT", one, {**scale, "kind": "Odd"})
    talk.ask("PATCH", one, {"spec": {"replicas": 5}}, content_type=MERGE)
    talk.ask("PATCH", one, {"spec": {"replicas": "x"}}, content_type=MERGE)
    talk.ask("PATCH", one, {"spec": {"odd": 1}}, {"fieldValidation": "Strict"}, content_type=MERGE)
    talk.ask("PATCH", one, {"spec": {"replicas": 6}}, {"dryRun": "All"}, content_type=STRATEGIC)
    talk.ask("PATCH", one, [{"op": "replace", "path": "/spec/replicas", "value": 7}], content_type=PATCH)
    talk.ask("POST", one, scale)
    talk.ask("DELETE", one)
    talk.ask("GET", f"{path}/none/scale")
    talk.ask("GET", f"{path}/w")


def _pods(talk: Conversation, base: str) -> None:
    path = f"{base}/pods"
    for name in ("a", "b", "c"):
        talk.ask("POST", path, {"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"containers": [_CONTAINER]}})
    bind = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n1"}}
    for body in (
        {**bind, "target": {}},
        {**bind, "target": {"kind": "Odd", "name": "n"}},
        {**bind, "metadata": {"name": "b"}},
        {**bind, "metadata": {"name": "a", "uid": "00000001-1111-1111-1111-111111111111"}},
        bind,
        bind,
    ):
        talk.ask("POST", f"{path}/a/binding", body)
    talk.ask("POST", f"{path}/none/binding", bind)
    talk.ask("GET", f"{path}/a/binding")
    debug = {"name": "d", "image": "busybox"}
    for spec in ([debug], [{**debug, "name": "c"}], [{**debug, "image": ""}], [debug, {**debug, "name": "e"}], []):
        talk.ask(
            "PATCH", f"{path}/a/ephemeralcontainers", {"spec": {"ephemeralContainers": spec}}, content_type=STRATEGIC
        )
        talk.ask("PATCH", f"{path}/a/ephemeralcontainers", {"spec": {"ephemeralContainers": spec}}, content_type=MERGE)
    for resources in (
        {"requests": {"cpu": "2"}},
        {"requests": {"cpu": "2"}, "limits": {"memory": "2Gi"}},
        {"requests": {"cpu": "-1"}},
        {"requests": {"gpu": "1"}},
        {},
    ):
        spec = {"containers": [{"name": "c", "resources": resources}]}
        talk.ask("PATCH", f"{path}/a/resize", {"spec": spec}, content_type=STRATEGIC)
    talk.ask(
        "PATCH",
        f"{path}/a",
        {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}},
        content_type=STRATEGIC,
    )
    _evictions(talk, base)


def _evictions(talk: Conversation, base: str) -> None:
    path = f"{base}/pods"
    head = {"apiVersion": "policy/v1", "kind": "Eviction"}
    talk.ask("POST", f"{path}/b/eviction", {**head, "metadata": {"name": "x"}})
    talk.ask("POST", f"{path}/b/eviction", {**head, "metadata": {"name": "b"}}, {"dryRun": "All"})
    talk.ask("POST", f"{path}/b/eviction", {"metadata": {"name": "b"}, "deleteOptions": {"dryRun": ["Odd"]}})
    talk.ask("POST", f"{path}/b/eviction", {**head, "apiVersion": "policy/v1beta1", "metadata": {"name": "b"}})
    talk.ask("POST", f"{path}/b/eviction", {**head, "metadata": {"name": "b"}})
    budget = {"metadata": {"name": "p"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}}
    talk.ask("POST", base.replace("/api/v1", "/apis/policy/v1") + "/poddisruptionbudgets", budget)
    talk.ask("POST", f"{path}/a/eviction", {**head, "metadata": {"name": "a"}})
    talk.ask(
        "POST", f"{path}/c/eviction", {**head, "metadata": {"name": "c"}, "deleteOptions": {"gracePeriodSeconds": 3}}
    )
    talk.ask("POST", f"{path}/none/eviction", head)
    talk.ask("GET", f"{path}/a/eviction")
    for query in ({}, {"container": "x"}, {"tailLines": "-1"}, {"follow": "x"}, {"sinceSeconds": "0"}):
        talk.ask("GET", f"{path}/c/log", query=query)
        talk.ask("GET", f"{path}/none/log", query=query)
    talk.ask("DELETE", f"{path}/a", {"gracePeriodSeconds": 7})
    talk.ask("GET", path, accept=TABLE)


def _accounts(talk: Conversation, path: str) -> None:
    talk.ask("POST", path, {"metadata": {"name": "robot"}})
    one = f"{path}/robot/token"
    for spec in (
        {"expirationSeconds": 600},
        {"expirationSeconds": 3600, "audiences": ["x"]},
        {"expirationSeconds": 1},
        {"expirationSeconds": 2**33},
        {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "none"}},
        {"boundObjectRef": {"kind": "Odd", "apiVersion": "v1", "name": "none"}},
        {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "none", "uid": "x"}},
        {},
    ):
        talk.ask("POST", one, {"spec": spec})
    talk.ask("POST", one, {"metadata": {"name": "x"}, "spec": {}})
    talk.ask("POST", f"{path}/none/token", {"spec": {}})
    talk.ask("GET", one)


def _reviews(talk: Conversation, namespace: str) -> None:
    base, attributes = "/apis/authorization.k8s.io/v1", {"verb": "get", "resource": "pods", "namespace": namespace}
    url = {"path": "/healthz", "verb": "get"}
    for plural in ("selfsubjectaccessreviews", "subjectaccessreviews"):
        for spec in (
            {"resourceAttributes": attributes},
            {"nonResourceAttributes": url},
            {"resourceAttributes": attributes, "nonResourceAttributes": url},
            {"user": "u", "resourceAttributes": attributes},
            {"groups": ["g"], "nonResourceAttributes": url},
            {"user": "u", "resourceAttributes": {**attributes, "labelSelector": {"rawSelector": "a=b"}}},
            {},
        ):
            talk.ask("POST", f"{base}/{plural}", {"spec": spec})
            talk.ask("POST", f"{base}/{plural}", {"metadata": {"name": "x"}, "spec": spec})
    local = f"{base}/namespaces/{namespace}/localsubjectaccessreviews"
    for spec in ({"user": "u", "resourceAttributes": attributes}, {"user": "u", "nonResourceAttributes": url}, {}):
        talk.ask("POST", local, {"metadata": {"namespace": namespace}, "spec": spec})
    talk.ask("POST", local, {"spec": {"user": "u", "resourceAttributes": {**attributes, "namespace": "other"}}})
    for spec in ({"namespace": namespace}, {"namespace": ""}, {}):
        talk.ask("POST", f"{base}/selfsubjectrulesreviews", {"spec": spec})
    base = "/apis/authentication.k8s.io/v1"
    for spec in ({"token": "x"}, {"token": ""}, {}, {"token": "x", "audiences": ["a"]}):
        talk.ask("POST", f"{base}/tokenreviews", {"spec": spec})
    talk.ask("POST", f"{base}/selfsubjectreviews", {})
    talk.ask("GET", f"{base}/selfsubjectreviews", accept=JSON)
