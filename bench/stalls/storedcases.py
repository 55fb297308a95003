"""More heavy requests: YAML, patches of large objects, custom resources, long lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from objectcases import CASES, LARGEST, MAPS, Case, Step, config_map, dump, filling, meta, pairs, post, removing

YAML = "application/yaml"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CUSTOM = "/apis/stall.io/v1/namespaces/default/heavies"
OBJECTS = 5000

# YAML

post(
    "yaml: many lines",
    MAPS,
    lambda: b"metadata: {name: a}\ndata:\n" + b"".join(b" a%d:\n" % i for i in range(300_000)),
    YAML,
)
post("yaml: many short lines", MAPS, lambda: b"data:\n" + b" - \n" * (LARGEST // 4 - 99), YAML)
post("yaml: a flow", MAPS, lambda: b"data: {a: [" + b"1," * (LARGEST // 2 - 99) + b"]}", YAML)
post("yaml: comments", MAPS, lambda: b"#\n" * (LARGEST // 2 - 99) + b"metadata: {name: a}", YAML)
post("yaml: one long text", MAPS, lambda: b"data: {a: '" + b"x " * (LARGEST // 2 - 99) + b"'}", YAML)
post("yaml: escapes", MAPS, lambda: b'data: {a: "' + b"\\n" * (LARGEST // 2 - 99) + b'"}', YAML)
post("yaml: anchors", MAPS, lambda: b"data:\n" + b"".join(b" - &a%d x\n" % i for i in range(200_000)), YAML)

# patches of a large object


def large_map() -> Iterator[Step]:
    yield Step("POST", MAPS, pairs(lambda i: (f"k{i}", "v"), lambda data: config_map(data=data), 500_000))


def patch(name: str, media: str, body: Any, query: str = "") -> None:
    CASES.append(
        Case(name, lambda: Step("PATCH", f"{MAPS}/heavy{query}", body(), media), large_map, removing(f"{MAPS}/heavy"))
    )


patch("patch: a small merge patch of a large object", MERGE_PATCH, lambda: dump({"data": {"k1": "w"}}))
patch(
    "patch: many keys, merge",
    MERGE_PATCH,
    lambda: pairs(lambda i: (f"n{i}", "v"), lambda data: {"data": data}, 200_000),
)
patch(
    "patch: many keys, strategic",
    STRATEGIC_PATCH,
    lambda: pairs(lambda i: (f"n{i}", "v"), lambda data: {"data": data}, 200_000),
)
patch(
    "patch: 10,000 operations",
    JSON_PATCH,
    lambda: dump([{"op": "add", "path": f"/data/k{i}", "value": "w"} for i in range(10_000)]),
)
patch(
    "patch: many keys, applied",
    APPLY,
    lambda: pairs(
        lambda i: (f"n{i}", "v"),
        lambda data: {"apiVersion": "v1", "kind": "ConfigMap", **meta(), "data": data},
        200_000,
    ),
    "?fieldManager=m",
)

# custom resources


def definition(schema: dict[str, Any], **more: Any) -> bytes:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **more}]
    names = {"plural": "heavies", "kind": "Heavy"}
    spec = {"group": "stall.io", "scope": "Namespaced", "names": names, "versions": versions}
    return dump({**meta("heavies.stall.io"), "spec": spec})


def custom(name: str, items: dict[str, Any], make: Any) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "array", "items": items}}}
    head = {"apiVersion": "stall.io/v1", "kind": "Heavy", **meta()}
    CASES.append(
        Case(
            name,
            lambda: Step("POST", CUSTOM, filling(make, lambda found: {**head, "spec": found})),
            lambda: iter([Step("POST", CRDS, definition(schema))]),
            removing(f"{CRDS}/heavies.stall.io"),
        )
    )


custom("custom: many numbers", {"type": "integer"}, lambda i: i)
custom("custom: anyOf that fails", {"type": "integer", "anyOf": [{"minimum": 9 + i} for i in range(50)]}, lambda i: 1)
custom("custom: anyOf that passes", {"type": "integer", "anyOf": [{"maximum": i} for i in range(50)]}, lambda i: 49)
custom("custom: patterns", {"type": "string", "pattern": "^(a+)+$"}, lambda i: "aaaa")
custom("custom: objects", {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}, lambda i: {})
post(
    "definition: many properties",
    CRDS,
    lambda: pairs(lambda i: (f"p{i}", {"type": "string"}), lambda data: definition_of(data)),
)
post(
    "definition: many alternatives",
    CRDS,
    lambda: filling(lambda i: {"minimum": i}, lambda items: definition_of({"a": {"type": "integer", "anyOf": items}})),
)


def definition_of(properties: dict[str, Any]) -> Any:
    return json.loads(definition({"type": "object", "properties": properties}))


# long lists


def many_maps(namespace: str = "many") -> Iterator[Step]:
    yield Step("POST", "/api/v1/namespaces", dump(meta(namespace)))
    for i in range(OBJECTS):
        document = {**meta(f"m-{i}", labels={f"l{k}": "v" for k in range(10)}), "data": {"a": "b" * 200}}
        yield Step("POST", f"/api/v1/namespaces/{namespace}/configmaps", dump(document))


MANY = "/api/v1/namespaces/many/configmaps"
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
CASES.append(Case("list: JSON", lambda: Step("GET", MANY), many_maps))
CASES.append(
    Case("list: protobuf", lambda: Step("GET", MANY, headers={"Accept": "application/vnd.kubernetes.protobuf"}))
)
CASES.append(Case("list: a table", lambda: Step("GET", MANY, headers=TABLE)))
CASES.append(Case("list: YAML", lambda: Step("GET", MANY, headers={"Accept": YAML})))
CASES.append(
    Case(
        "list: a long selector",
        lambda: Step("GET", f"{MANY}?labelSelector=" + "%2C".join(f"!a{i}" for i in range(900))),
    )
)
CASES.append(
    Case(
        "watch: initial events",
        lambda: Step("GET", f"{MANY}?watch=true&resourceVersion=0&timeoutSeconds=3", whole=False),
    )
)
CASES.append(Case("deletion of a collection", lambda: Step("DELETE", MANY)))
