from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.apiserver.serving import TOKEN
from tests.batchoperator.esi.serving import ServedInterface, serving
from wavetank.batchoperator.esi.client import ExternalSchedulerClient, ExternalSchedulerError


@pytest.fixture(scope="module")
def served() -> Iterator[ServedInterface]:
    with serving() as served:
        yield served


@pytest.fixture
def client(served: ServedInterface) -> ExternalSchedulerClient:
    return ExternalSchedulerClient(f"http://127.0.0.1:{served.port}", TOKEN)


def test_resources_are_typed(client: ExternalSchedulerClient) -> None:
    [testbed] = client.testbeds()
    assert testbed == client.testbed("testbed")
    assert [slot.position for slot in testbed.slots] == [0, 1, 2, 3]
    assert client.jobs()["spark-pi"] == client.job("spark-pi")


def test_data_is_stored_with_a_job(client: ExternalSchedulerClient) -> None:
    client.store("spark-pi", {"profiler": [{"runtime": "24"}]})
    assert client.job("spark-pi").external_scheduler == {"profiler": [{"runtime": "24"}]}


def test_schedulings_are_created_extended_and_deleted(client: ExternalSchedulerClient) -> None:
    client.queue("q", "testbed", ["spark-pi"])
    client.queue("q", "testbed", ["spark-pi", "word-count"])
    client.assign("s", "testbed", {"word-count": [0, 1]}, "relaxed")
    assert client.scheduling("q").queue == ["spark-pi", "word-count"]
    assert [each.name for each in client.schedulings()] == ["q", "s"]
    deleted = client.delete("s")
    assert deleted is not None
    assert deleted.slots is not None
    assert deleted.slots.mode == "relaxed"
    assert client.delete("s") is None
    assert client.delete("q") is not None


def test_a_refusal_is_an_error_with_its_place(client: ExternalSchedulerClient) -> None:
    with pytest.raises(ExternalSchedulerError, match="there is no job 'x'") as refused:
        client.queue("q", "testbed", ["spark-pi", "x"])
    assert (refused.value.status, refused.value.field) == (422, "queue[1]")


def test_a_wrong_token_is_refused(served: ServedInterface) -> None:
    client = ExternalSchedulerClient(f"http://127.0.0.1:{served.port}", "guess")
    with pytest.raises(ExternalSchedulerError) as refused:
        client.jobs()
    assert refused.value.status == 401
    with pytest.raises(ExternalSchedulerError):
        next(client.events())


def test_a_client_waits_for_a_state(served: ServedInterface, client: ExternalSchedulerClient) -> None:
    found: list[str] = []
    waiting = threading.Thread(
        target=lambda: found.append(client.wait("jobs", "word-count", lambda job: job.state == "RunningState").name)
    )
    waiting.start()
    served.call(lambda: served.cluster.set_status("BatchJob", "word-count", {"state": "RunningState"}))
    waiting.join()
    assert found == ["word-count"]


def test_waiting_for_a_deleted_resource_is_an_error(client: ExternalSchedulerClient) -> None:
    client.queue("gone", "testbed", ["spark-pi"])
    deleting = threading.Thread(target=lambda: client.delete("gone"))
    with pytest.raises(ExternalSchedulerError, match="gone was deleted"):
        client.wait("schedulings", "gone", lambda scheduling: bool(deleting.start()))
    deleting.join()


def test_events_tell_what_happens(client: ExternalSchedulerClient) -> None:
    client.queue("gone", "testbed", ["spark-pi"])
    events = client.events("schedulings")
    assert next(events).name == "gone"
    client.delete("gone")
    assert [next(events).action for _ in range(2)] == ["BOOKMARK", "DELETED"]
    events.close()  # type: ignore[attr-defined]


def test_a_url_is_needed() -> None:
    with pytest.raises(ValueError, match="expected a URL"):
        ExternalSchedulerClient("localhost:8082")
