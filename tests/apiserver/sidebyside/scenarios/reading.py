"""Lists, watches, Tables and selectors of a few objects, with good and bad options."""

from __future__ import annotations

import random

from tests.apiserver.sidebyside.conversing import JSON, MERGE, PARTIAL_LIST, TABLE, Conversation

_SELECTORS = (
    "a=1",
    "a!=1",
    "a in (1,2)",
    "a notin (1)",
    "a",
    "!a",
    "a=1,b",
    "a==2",
    "a>1",
    "a in",
    "=x",
    "a=1=2",
    "a=",
)
_FIELDS = ("metadata.name=c1", "metadata.name!=c1", "metadata.namespace=x", "spec.x=1", "metadata.name", "a=b,", "=")
_OPTIONS = {
    "limit": ("1", "2", "0", "-1", "x"),
    "resourceVersion": ("0", "", "1", "abc", "999999999"),
    "resourceVersionMatch": ("Exact", "NotOlderThan", "Odd"),
    "continue": ("x", ""),
    "timeoutSeconds": ("1", "x"),
    "sendInitialEvents": ("true", "x"),
    "allowWatchBookmarks": ("true", "x"),
}
_ACCEPT = (
    JSON,
    TABLE,
    PARTIAL_LIST,
    "application/yaml",
    "*/*",
    "text/html",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=Odd;v=v1;g=meta.k8s.io",
)


def reading(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Reads four objects in many ways."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    first = talk.ask("GET", path).body["metadata"]["resourceVersion"]
    for number in range(1, 5):
        labels = {"a": str(number % 3), **({"b": "x"} if number % 2 else {})}
        talk.ask("POST", path, {"metadata": {"name": f"c{number}", "labels": labels}, "data": {"k": str(number)}})
    for selector in _SELECTORS:
        talk.ask("GET", path, query={"labelSelector": selector})
    for selector in _FIELDS:
        talk.ask("GET", path, query={"fieldSelector": selector})
    _pages(talk, path)
    for _ in range(40):
        names = chance.sample(sorted(_OPTIONS), chance.choice((1, 1, 2, 3)))
        query = {name: chance.choice(_OPTIONS[name]) for name in names}
        talk.ask("GET", path, query=query, accept=chance.choice(_ACCEPT))
    talk.ask("PATCH", f"{path}/c1", {"metadata": {"labels": {"a": "7"}}}, content_type=MERGE)
    talk.ask("DELETE", f"{path}/c2")
    _watches(talk, path, first)


def _pages(talk: Conversation, path: str) -> None:
    token = talk.ask("GET", path, query={"limit": 1}).body["metadata"].get("continue", "")
    talk.ask("GET", path, query={"limit": 2, "continue": token})
    talk.ask("GET", path, query={"limit": 2, "continue": token, "labelSelector": "b"})
    talk.ask("GET", path, query={"limit": 1, "continue": token, "resourceVersion": "1"})
    talk.ask("GET", path, query={"limit": 1, "continue": token}, accept=TABLE)


def _watches(talk: Conversation, path: str, first: str) -> None:
    talk.watch(path, {"resourceVersion": first}, 6)
    talk.watch(path, {"resourceVersion": first, "labelSelector": "a=1"}, 2)
    talk.watch(path, {"resourceVersion": first, "fieldSelector": "metadata.name=c2"}, 2)
    talk.watch(path, {"resourceVersion": first}, 3, accept=TABLE)
    talk.watch(
        path, {"resourceVersion": first}, 3, accept="application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    )
    talk.watch(path, {}, 3)
    talk.watch(path, {"resourceVersion": "0", "timeoutSeconds": "1"}, 9, timeout=4)
    for query in (
        {"resourceVersion": "abc"},
        {"sendInitialEvents": "true"},
        {"resourceVersionMatch": "Exact"},
        {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"},
        {"labelSelector": "a in"},
        {"fieldSelector": "x=1"},
        {"timeoutSeconds": "x"},
        {"limit": "x"},
        {"continue": "x"},
    ):
        talk.watch(path, query, 1)
    talk.watch(path, {}, 1, accept="application/yaml")
