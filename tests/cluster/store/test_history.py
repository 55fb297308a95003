"""A store remembers its last writes: so many of each kind, and so many bytes of all."""

from __future__ import annotations

import pytest

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ExpiredError
from wavetank.cluster.store.history import ADDED, DELETED, MODIFIED, History


def a_map(text: str, kind: str = "ConfigMap") -> Resource:
    return Resource({"apiVersion": "v1", "kind": kind, "metadata": {"name": "a"}, "data": {"text": text}})


def versions(history: History, since: int, present: int) -> list[int]:
    return [event.version for event in history.since(since, present, None)]


def test_large_objects_are_forgotten_earlier() -> None:
    history = History(1000, most_bytes=10_000)
    for version in range(1, 101):
        history.remember(MODIFIED, "ConfigMap", a_map("x" * 900), a_map(""), version)
    assert versions(history, 91, 100) == list(range(92, 101))
    with pytest.raises(ExpiredError, match="too old resource version: 50"):
        history.since(50, 100, "ConfigMap")


def test_the_kind_with_most_bytes_forgets_first() -> None:
    history = History(1000, most_bytes=10_000)
    history.remember(ADDED, "Pod", a_map("", kind="Pod"), None, 1)
    for version in range(2, 100):
        history.remember(ADDED, "ConfigMap", a_map("x" * 2000), None, version)
    assert [event.version for event in history.since(0, 99, "Pod")] == [1]


def test_the_present_write_is_kept_however_large_it_is() -> None:
    history = History(1000, most_bytes=10_000)
    for version in range(1, 4):
        history.remember(DELETED, "ConfigMap", a_map("x" * 50_000), a_map(""), version)
        assert versions(history, version - 1, version) == [version]


def test_versions_that_share_their_manifest_count_once() -> None:
    history, large = History(1000, most_bytes=10_000), a_map("x" * 9_000)
    history.remember(ADDED, "ConfigMap", large, None, 1)
    for version in range(2, 500):
        history.remember(MODIFIED, "ConfigMap", large.copy(), large, version)
    assert versions(history, 0, 499) == list(range(1, 500))
