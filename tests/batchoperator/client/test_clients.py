"""Both clients, in the process and over HTTP, behave in the same way."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.serving import serving
from tests.support.waiting import eventually
from wavetank.batchoperator.client.client import Change, Client
from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.client.remote.client import RemoteClient
from wavetank.batchoperator.client.remote.connection import Connection
from wavetank.batchoperator.client.remote.kubeconfig import read_server
from wavetank.batchoperator.resources.batchjob import BatchJob, read_batchjob
from wavetank.batchoperator.resources.definitions import definitions
from wavetank.batchoperator.resources.groups import ESI
from wavetank.cluster.store.errors import AlreadyExistsError, ConflictError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework import storeclient
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock

Deliver = Callable[[], None]


def a_job(name: str = "job", **metadata: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default", **metadata}
    return {"apiVersion": ESI.api_version, "kind": "BatchJob", "metadata": metadata, "spec": {"flinkSpec": {"a": 1}}}


@pytest.fixture(params=["in the process", "over HTTP"], scope="module")
def made(request: Any, tmp_path_factory: Any) -> Iterator[tuple[Client, Deliver]]:
    if request.param == "in the process":
        store = Store(Clock())
        yield StoreClient(store, storeclient.StoreClient(store, random.Random(1), lambda pod: None)), lambda: None
        return
    with serving(tmp_path_factory.mktemp("served")) as served:
        client = RemoteClient(Connection(read_server(served.kubeconfig)))
        for definition in definitions():
            client.create(definition)
        yield client, client.deliver
        client.close()


@pytest.fixture
def client(made: tuple[Client, Deliver]) -> Client:
    return made[0]


def test_an_object_that_exists_is_not_created_again(client: Client) -> None:
    client.create(a_job("once"))
    with pytest.raises(AlreadyExistsError):
        client.create(a_job("once"))


def test_a_write_from_an_old_version_is_a_conflict(client: Client) -> None:
    old = client.create(a_job("old"))
    client.patch_labels(old, {"a": "b"})
    for write in (
        lambda: client.patch_labels(old, {"a": "c"}),
        lambda: client.update(old, {"flinkSpec": {}}),
        lambda: client.update_status(old, {"state": "ReadyState"}),
    ):
        with pytest.raises(ConflictError):
            write()


def test_spec_status_and_labels_are_written_apart(client: Client) -> None:
    first = client.create(a_job("parts", labels={"keep": "1", "drop": "1"}))
    second = client.update_status(first, {"state": "InQueueState"})
    third = client.update(second, {"flinkSpec": {"b": 2}})
    last = client.patch_labels(third, {"drop": None, "new": "1"}, {"note": "x"})
    assert last.spec == {"flinkSpec": {"b": 2}}
    assert last.status == {"state": "InQueueState"}
    assert last.labels == {"keep": "1", "new": "1"}
    assert last.annotations["note"] == "x"


def test_objects_are_listed_by_namespace_and_labels(client: Client) -> None:
    client.create(a_job("listed", labels={"set": "here"}))
    client.create(a_job("other", labels={"set": "there"}))
    assert [each.name for each in client.list(ESI.batchjob, "default", {"set": "here"})] == ["listed"]
    assert client.list(ESI.batchjob, "elsewhere") == []


def test_deleting_what_is_gone_does_nothing(client: Client) -> None:
    job = client.create(a_job("gone"))
    client.delete(job)
    client.delete(job)
    assert client.get(ESI.batchjob, "default", "gone") is None


def test_deleting_does_not_hit_another_object_of_the_same_name(client: Client) -> None:
    first = client.create(a_job("again"))
    client.delete(first)
    second = client.create(a_job("again"))
    client.delete(first)
    found = client.get(ESI.batchjob, "default", "again")
    assert found is not None
    assert found.uid == second.uid


def test_a_subscription_begins_with_what_exists_and_goes_on_with_changes(made: tuple[Client, Deliver]) -> None:
    client, deliver = made
    seen: list[tuple[str, str]] = []

    def note(change: Change) -> None:
        if change.object.name == "watched":
            seen.append((change.action, change.object.status.get("state", "")))

    def told(action: str) -> bool:
        deliver()
        return bool(seen) and seen[-1][0] == action

    job = client.create(a_job("watched", labels={"l": "1"}))
    client.subscribe(ESI.batchjob, note, label="l")
    eventually(lambda: told("ADDED"))
    client.delete(client.update_status(job, {"state": "ReadyState"}))
    eventually(lambda: told("DELETED"))
    assert [action for action, _ in seen] == ["ADDED", "MODIFIED", "DELETED"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: 1", "expected a kubeconfig", id="another document"),
        pytest.param("clusters: [{name: c}]\ncurrent-context: x", "there is no context 'x'", id="no such context"),
        pytest.param(
            "clusters: [{name: c, cluster: {server: nowhere}}]\ncontexts: [{name: x, context: {cluster: c}}]\n"
            "current-context: x",
            "expected a URL, got 'nowhere'",
            id="no URL",
        ),
    ],
)
def test_a_bad_kubeconfig_is_one_message(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_server(file)


def test_versions_that_were_replaced_are_freed_without_a_collection() -> None:
    store = Store(Clock())
    client = StoreClient(store, storeclient.StoreClient(store, random.Random(1), lambda pod: None))
    gc.collect()
    gc.disable()
    try:
        jobs = _jobs()
        last = client.create(a_job())
        for i in range(10):
            read_batchjob(last)
            last = client.update_status(last, {"state": "ReadyState", "replication": i})
        assert _jobs() <= jobs + 1
    finally:
        gc.enable()


def _jobs() -> int:
    return sum(isinstance(each, BatchJob) for each in gc.get_objects())
