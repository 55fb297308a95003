"""Lists at a version, in pages while objects change, and watches that begin with the present objects."""

from __future__ import annotations

import random
from itertools import product

from tests.apiserver.sidebyside.conversing import MERGE, PARTIAL_LIST, TABLE, Conversation

_PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


def lists(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Lists and watches six objects, some of which change meanwhile."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    versions = [talk.ask("GET", path).body["metadata"]["resourceVersion"]]
    for number in range(6):
        labels = {"part": str(number % 2)}
        made = talk.ask("POST", path, {"metadata": {"name": f"s{number}", "labels": labels}, "stringData": {"k": "v"}})
        versions.append(made.body["metadata"]["resourceVersion"])
    _matches(talk, path, versions)
    _pages(talk, path, versions)
    _streams(talk, path, versions)
    _deletes(talk, path)


def _matches(talk: Conversation, path: str, versions: list[str]) -> None:
    some = ("", "0", versions[2], versions[-1], "1", "x", "-1", "99999999")
    for version, match, limit in product(some, ("", "Exact", "NotOlderThan"), ("", "2")):
        if version == "99999999" and match != "Exact":  # the real server waits for it
            continue
        query = {"resourceVersion": version, "resourceVersionMatch": match, "limit": limit}
        talk.ask("GET", path, query={name: value for name, value in query.items() if value})
    for version in some[:-1]:
        talk.ask("GET", f"{path}/s1", query={"resourceVersion": version})


def _pages(talk: Conversation, path: str, versions: list[str]) -> None:
    """Continues lists whose objects have been changed, deleted and created."""
    token = talk.ask("GET", path, query={"limit": 2}).body["metadata"].get("continue", "")
    old = talk.ask("GET", path, query={"limit": 2, "resourceVersion": versions[4], "resourceVersionMatch": "Exact"})
    talk.ask("PATCH", f"{path}/s3", {"metadata": {"labels": {"part": "9"}}}, content_type=MERGE)
    talk.ask("DELETE", f"{path}/s4")
    talk.ask("POST", path, {"metadata": {"name": "s33"}})
    talk.ask("GET", path, query={"limit": 2, "continue": old.body["metadata"].get("continue", "")})
    for query in (
        {"limit": 2},
        {"limit": 500},
        {},
        {"limit": 2, "labelSelector": "part=1"},
        {"limit": 2, "resourceVersion": "0"},
        {"limit": 2, "resourceVersion": versions[1]},
        {"limit": 2, "resourceVersionMatch": "Exact"},
        {"limit": 2, "resourceVersion": versions[1], "resourceVersionMatch": "Exact"},
    ):
        talk.ask("GET", path, query={"continue": token, **query})
    talk.ask("GET", path, query={"continue": token, "limit": 1}, accept=TABLE)
    talk.ask("GET", path, query={"continue": token, "limit": 1}, accept=PARTIAL_LIST)
    talk.ask("GET", path, query={"continue": token[:-4], "limit": 1})
    talk.ask("GET", path.replace("secrets", "configmaps"), query={"continue": token, "limit": 1})
    talk.ask("GET", path, query={"limit": 2, "labelSelector": "part=1"})
    talk.ask("GET", path, query={"limit": 1, "fieldSelector": "metadata.name!=s0"})


def _streams(talk: Conversation, path: str, versions: list[str]) -> None:
    initial = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    for query in (
        initial,
        {**initial, "resourceVersion": "0"},
        {**initial, "resourceVersion": versions[-1]},
        {**initial, "labelSelector": "part=1"},
        {**initial, "fieldSelector": "metadata.name=s1"},
        {**initial, "allowWatchBookmarks": "false"},
        {**initial, "resourceVersion": "x"},
        {**initial, "resourceVersionMatch": "Exact"},
        {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan", "resourceVersion": versions[3]},
        {"sendInitialEvents": "false"},
        {"resourceVersion": versions[3], "resourceVersionMatch": "NotOlderThan"},
        {"resourceVersion": versions[3], "limit": 1},
        {"resourceVersion": versions[3], "labelSelector": "part=9"},
        {"resourceVersion": versions[3], "labelSelector": "part=1"},
        {"resourceVersion": versions[3], "fieldSelector": "metadata.name!=s5"},
    ):
        for accept in ("application/json", TABLE, _PARTIAL):
            talk.watch(path, query, 8, timeout=0.4, accept=accept)


def _deletes(talk: Conversation, path: str) -> None:
    talk.ask("DELETE", path, query={"labelSelector": "part=1", "dryRun": "All"})
    talk.ask("DELETE", path, query={"limit": 1, "resourceVersion": "0"})
    talk.ask("DELETE", path, {"preconditions": {"uid": "x"}})
    talk.ask("DELETE", path, query={"labelSelector": "part in"})
    talk.ask("DELETE", path, {"propagationPolicy": "Odd"})
    talk.ask("DELETE", path, accept=TABLE)
    talk.ask("GET", path)
