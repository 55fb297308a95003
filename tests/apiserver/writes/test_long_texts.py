"""Megabytes that clients send must not stay in the caches of the server, which count entries."""

from __future__ import annotations

import gc
from functools import _lru_cache_wrapper
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, PODS, Caller, a_map
from wavetank.apiserver.codec.protobufencoding import _Remembered
from wavetank.nodes.commands import command_of
from wavetank.textcache import Kept, length_of

_MEGABYTE = 1_000_000
LONG = "x" * _MEGABYTE
SPACES = " " * _MEGABYTE
NINES = "9" * _MEGABYTE
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def _pod(**fields: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox", **fields}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}, "spec": {"containers": [container]}}


def _definition(**fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"text": fields["text"]}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    columns = {"additionalPrinterColumns": [{"name": "Text", "type": "string", "jsonPath": fields["path"]}]}
    names = {"plural": "longs", "singular": "long", "kind": "Long", "listKind": "LongList"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version | columns]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**head, "metadata": {"name": "longs.example.com"}, "spec": spec}


def _cron_job(schedule: str) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": {**_pod()["spec"], "restartPolicy": "Never"}}}}
    spec = {"schedule": schedule, "jobTemplate": template}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"generateName": "a-"}, "spec": spec}


def _managed(**fields: str) -> list[dict[str, Any]]:
    entry = {"manager": "me", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}
    return [entry | fields]


def _long_keys() -> list[int]:
    """Returns how many characters of long texts each cache of the process has."""
    found = gc.get_objects()
    kept = [[*cache, *cache.old] for cache in found if isinstance(cache, Kept)]
    assert len(kept) > 10
    kept += [list(cache) for cache in found if isinstance(cache, _Remembered)]
    caches = [gc.get_referents(cache) for cache in found if isinstance(cache, _lru_cache_wrapper)]
    kept += [list(part) for parts in caches for part in parts if isinstance(part, dict)]
    lengths = [sum(length for length in map(length_of, keys) if length > _MEGABYTE // 2) for keys in kept]
    return [length for length in lengths if length]


@pytest.fixture(autouse=True)
def without_earlier_ones() -> None:
    for cache in gc.get_objects():
        if isinstance(cache, Kept):
            cache.clear()
            cache.old = {}


@pytest.mark.parametrize(
    ("collection", "document", "headers"),
    [
        pytest.param(PODS, _pod(resources={"limits": {"cpu": f"1{SPACES}"}}), {}, id="a quantity"),
        pytest.param(PODS, _pod(env=[{"name": "A", "value": LONG}]), {"accept": PROTOBUF}, id="protobuf"),
        pytest.param(PODS, _pod(ports=[{"containerPort": 1, "protocol": LONG}]), {}, id="the key of an item"),
        pytest.param(
            MAPS, a_map("a", creationTimestamp=f"2030-01-01T00:00:00.{NINES}Z"), {}, id="the fraction of a second"
        ),
        pytest.param(
            MAPS,
            a_map("a", ownerReferences=[{"apiVersion": LONG, "kind": "Pod", "name": "a", "uid": "u"}]),
            {},
            id="the kind of an owner",
        ),
        pytest.param(MAPS, a_map("a", managedFields=_managed(manager=LONG)), {}, id="a manager"),
        pytest.param(MAPS, a_map("a", managedFields=_managed(subresource=LONG)), {}, id="a subresource"),
        pytest.param(MAPS, a_map("a"), {"user_agent": LONG}, id="a program"),
        pytest.param(MAPS, a_map("a"), {"accept": f"application/json;x={LONG}"}, id="a media type"),
        pytest.param(
            CLAIMS,
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": {"name": "a"},
                "spec": {
                    "devices": {
                        "requests": [
                            {
                                "name": "a",
                                "exactly": {
                                    "deviceClassName": "a",
                                    "selectors": [{"cel": {"expression": f"true || '{LONG}' == ''"}}],
                                },
                            }
                        ]
                    }
                },
            },
            {},
            id="an expression",
        ),
    ],
)
def test_no_cache_keeps_a_long_text(collection: str, document: dict[str, Any], headers: dict[str, str]) -> None:
    caller = Caller()
    caller.ask("POST", collection, document, **headers)
    caller.ask("GET", collection, **headers)
    assert not _long_keys()


@pytest.mark.parametrize("times", [1, 12])
@pytest.mark.parametrize("what", ["pattern", "path", "schedule", "script"])
def test_of_texts_that_take_long_to_read_a_few_are_kept(what: str, times: int) -> None:
    caller = Caller()
    for number in range(times):
        long = f"{number}{'0' * _MEGABYTE}"
        if what == "script":
            command_of({"command": ["sh", "-c", f"seq 1 {100_000 + number} # {long[: _MEGABYTE * 3 // 4]}"]})
            continue
        if what == "schedule":
            caller.ask("POST", JOBS, _cron_job(f"{','.join(['0'] * 400_000)},{number % 60} * * * *"))
            continue
        pattern, path = (f"[{long}]", ".spec.text") if what == "pattern" else ("a", f".spec['{long}']")
        text = {"type": "string", "pattern": pattern}
        caller.ask("POST", DEFINITIONS, _definition(text=text, path=path))
        caller.ask("DELETE", f"{DEFINITIONS}/longs.example.com")
    assert max(_long_keys(), default=0) < 10 * _MEGABYTE
