"""Documents that are changed at random but in repeatable ways: fields removed, replaced, repeated and added."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from wavetank.apiserver.schemas.schema import Schema

STORED = {"uid": "uid", "resourceVersion": "5", "creationTimestamp": "2024-01-01T00:00:00Z", "generation": 1}
# The server sets these itself, or the part of the API that names objects checks them.
KEPT = frozenset({*STORED, "managedFields", "generateName", "namespace", "name", "deletionTimestamp", "selfLink"})
KEPT_TOO = frozenset({"apiVersion", "kind", "status", "deletionGracePeriodSeconds"})
# Volumes of plugins that are gone, and fields that only alpha features read.
UNUSED = frozenset(
    {
        *("gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "iscsi", "glusterfs", "rbd", "flexVolume", "cinder"),
        *("cephfs", "flocker", "fc", "azureFile", "azureDisk", "vsphereVolume", "quobyte", "photonPersistentDisk"),
        *("portworxVolume", "scaleIO", "storageos", "inlineVolumeSpec", "workloadRef", "stopSignal", "windowsOptions"),
        *("clusterTrustBundle", "podCertificate", "declaredFeatures", "dataSourceRef", "privileged", "configSource"),
        *("extendedResourceClaimStatus", "allocatedResourcesStatus", "hostIP", "user"),
    }
)
WORDS = (
    "",
    "Bad_Name",
    "a b",
    "x" * 300,
    "Foo",
    "a/b/c",
    "-a",
    "ok",
    "..",
    "/abs",
    "127.0.0.1",
    "Always",
    "*.a.b",
    "1",
)
KEYS = ("a", "a b", "cpu", "memory", "x.io/y", "storage", "/", "A_")
SIMPLE: dict[str, tuple[Any, ...]] = {
    "string": WORDS,
    "integer": (-1, 0, 1, 5, 70000),
    "boolean": (True, False),
    "number": (0.5, 1),
    "quantity": ("-1", "0", "1", "500m", "1Gi"),
    "int-or-string": (-1, 0, 1, 80, "25%", "150%", "abc", "http"),
    "time": ("2024-01-01T00:00:00Z",),
    "microtime": ("2024-01-01T00:00:00.000000Z",),
    "bytes": ("eA==",),
    "any": ({"a": 1},),
}
Spoil = Callable[[Any, Any, Schema, random.Random], None]


def invent(schema: Schema, chance: random.Random, depth: int = 0) -> Any:
    """Returns some value of a type, good or bad; lists and maps are never empty, since Go shows those as they came."""
    if schema.type in SIMPLE:
        return chance.choice(SIMPLE[schema.type])
    if schema.type == "object":
        fields = [(name, field) for name, field in schema.fields.items() if name not in KEPT | UNUSED]
        chance.shuffle(fields)
        wanted = chance.choice((1, 2, 3)) if depth < 3 else 0
        return {name: invent(field, chance, depth + 1) for name, field in fields[:wanted]}
    assert schema.items is not None
    if schema.type == "array":
        return [invent(schema.items, chance, depth + 1) for _ in range(chance.choice((1, 2)))]
    return {key: invent(schema.items, chance, depth + 1) for key in chance.sample(KEYS, chance.choice((1, 2)))}


def places(value: Any, schema: Schema, owner: Any = None, key: Any = None) -> Iterator[tuple[Any, Any, Schema]]:
    """Yields everything in a document with the list, map or object that holds it."""
    if owner is not None and key != "metadata":
        yield owner, key, schema
    inner: list[tuple[Any, Schema]] = []
    if schema.type == "object":
        inner = [(name, schema.fields[name]) for name in value if name in schema.fields and name not in KEPT | KEPT_TOO]
    elif schema.items is not None and schema.type in ("array", "map"):
        inner = [(name, schema.items) for name in (range(len(value)) if schema.type == "array" else value)]
    for name, part in inner:
        yield from places(value[name], part, value, name)


def remove(owner: Any, key: Any, schema: Schema, chance: random.Random) -> None:
    """Takes something away, but never the last of a list or map."""
    if len(owner) > 1:
        del owner[key]


def replace(owner: Any, key: Any, schema: Schema, chance: random.Random) -> None:
    """Puts something else in its place."""
    owner[key] = invent(schema, chance)


def repeat(owner: Any, key: Any, schema: Schema, chance: random.Random) -> None:
    """Says something twice."""
    if isinstance(owner, list):
        owner.append(copy.deepcopy(owner[key]))


def extend(owner: Any, key: Any, schema: Schema, chance: random.Random) -> None:
    """Adds a field or an entry."""
    if schema.type == "object":
        added = [name for name in schema.fields if name not in KEPT | KEPT_TOO | UNUSED]
        name = chance.choice(added) if added else ""
        owner[key].update({name: invent(schema.fields[name], chance)} if name else {})
    elif schema.type == "map" and schema.items is not None:
        owner[key][chance.choice(("a b", "x" * 70, "cpu", "B"))] = invent(schema.items, chance)


SPOILS: tuple[Spoil, ...] = (remove, replace, replace, repeat, extend)


def spoil(document: dict[str, Any], schema: Schema, chance: random.Random) -> dict[str, Any]:
    """Returns a document that is changed in one or two places."""
    spoiled = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 2))):
        found = list(places(spoiled, schema))
        if not found:
            break
        owner, key, part = chance.choice(found)
        chance.choice(SPOILS)(owner, key, part, chance)
    return spoiled
