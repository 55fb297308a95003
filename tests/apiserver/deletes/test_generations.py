"""Generations that can grow no more."""

from __future__ import annotations

from tests.apiserver.inprocess import MAPS, Caller

LARGEST = 2**63 - 1


def test_the_largest_generation_stays_when_an_object_is_deleted_in_the_foreground() -> None:
    caller = Caller()
    metadata = {"name": "a", "generation": LARGEST, "finalizers": ["example.com/wait"]}
    caller.ask("POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    deleted = caller.ask("DELETE", f"{MAPS}/a", {"propagationPolicy": "Foreground"})
    assert (deleted.status, deleted.body["metadata"]["generation"]) == (200, LARGEST)
    assert caller.ask("GET", f"{MAPS}/a").body["metadata"]["generation"] == LARGEST
