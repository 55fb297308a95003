"""The generated table of kinds: what is served, under which names, and what its types are."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.apiserver.transcripts import TRANSCRIPTS
from tests.support.paths import absent
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.schemas.schema import Schema

TABLE = KindTable.builtin()


@pytest.mark.parametrize(
    ("group", "version", "plural", "kind", "table", "resource"),
    [
        pytest.param("", "v1", "pods", "Pod", "Pod", "pods", id="core"),
        pytest.param("apps", "v1", "deployments", "Deployment", "Deployment.apps", "deployments.apps", id="a group"),
        pytest.param(
            "autoscaling",
            "v1",
            "horizontalpodautoscalers",
            "HorizontalPodAutoscaler",
            "HorizontalPodAutoscaler.autoscaling",
            "horizontalpodautoscalers.autoscaling",
            id="two versions of a kind share a table",
        ),
    ],
)
def test_a_path_finds_its_kind(group, version, plural, kind, table, resource):
    found = TABLE.find(group, version, plural)
    assert found is not None
    assert (found.kind, found.group_kind, found.resource) == (kind, table, resource)
    assert TABLE.named(found.api_version, kind) is found


def test_what_is_not_served_is_not_found_but_may_be_known():
    assert TABLE.find("apps", "v1beta1", "deployments") is None
    assert TABLE.knows("apps/v1beta1", "Deployment")
    assert TABLE.knows("v1", "PodList")
    assert not TABLE.knows("v1", "Foo")


def test_groups_have_their_preferred_version_first():
    assert TABLE.groups()["autoscaling"] == ["v2", "v1"]
    assert next(iter(TABLE.groups())) == ""


@pytest.mark.parametrize(
    ("plural", "subresource", "api_version", "kind"),
    [
        ("pods", "eviction", "policy/v1", "Eviction"),
        ("pods", "binding", "v1", "Binding"),
        ("replicationcontrollers", "scale", "autoscaling/v1", "Scale"),
        ("serviceaccounts", "token", "authentication.k8s.io/v1", "TokenRequest"),
        ("pods", "status", "v1", "Pod"),
    ],
)
def test_a_subresource_may_have_documents_of_another_kind(plural, subresource, api_version, kind):
    found = TABLE.find("", "v1", plural).subresources[subresource]
    assert (found.api_version, found.kind) == (api_version, kind)
    assert found.schema.fields


@pytest.mark.parametrize(
    ("path", "type_", "merge_key", "list_type", "list_map_keys"),
    [
        ("spec.containers", "array", "name", "map", ("name",)),
        ("spec.topologySpreadConstraints", "array", "topologyKey", "map", ("topologyKey", "whenUnsatisfiable")),
        ("spec.tolerations", "array", "", "atomic", ()),
        ("metadata.finalizers", "array", "", "set", ()),
        ("spec.overhead", "map", "", "", ()),
        ("metadata.creationTimestamp", "time", "", "", ()),
    ],
)
def test_a_type_says_how_its_lists_merge(path, type_, merge_key, list_type, list_map_keys):
    schema = TABLE.find("", "v1", "pods").schema
    for name in path.split("."):
        schema = schema.fields[name]
    assert (schema.type, schema.merge_key) == (type_, merge_key)
    assert (schema.list_type, schema.list_map_keys) == (list_type, list_map_keys)


def test_every_type_has_the_fields_that_openapi_describes():
    described = _described()
    kinds = {kind.schema.structure.name: kind.schema for kind in TABLE}
    for name, schema in kinds.items():
        _compare(name, schema, described, set())


def _compare(name: str, schema: Schema, described: dict[str, Any], seen: set[str]) -> None:
    if name in seen or name not in described:
        return
    seen.add(name)
    assert set(schema.fields) == set(described[name].get("properties", {})), name
    for field in schema.fields.values():
        inner = field.items or field
        if inner.type == "object":
            _compare(inner.structure.name, inner, described, seen)


def _described() -> dict[str, Any]:
    files = sorted((TRANSCRIPTS / "openapi").glob("v3-api*__v*.json.gz"))
    if not files:
        pytest.skip(absent(TRANSCRIPTS / "openapi"))
    described: dict[str, Any] = {}
    for file in files:
        for name, definition in json.loads(gzip.decompress(file.read_bytes()))["components"]["schemas"].items():
            described[".".join(name.split(".")[-3:])] = definition
    return described
