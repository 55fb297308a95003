from __future__ import annotations

import json
from typing import Any

import pytest

from wavetank.batchoperator.esi import mailbox
from wavetank.batchoperator.esi.broadcast import Broadcast, Topic
from wavetank.batchoperator.esi.external import ExternalBatchJob
from wavetank.batchoperator.esi.streams import EventStream, read_kinds
from wavetank.errors import InputError


def publish(broadcast: Broadcast, name: str, state: str, action: str = "MODIFIED") -> None:
    broadcast.publish("jobs", action, ExternalBatchJob(name, state))


def events(stream: EventStream) -> list[Any]:
    return [json.loads(line[5:]) for line in stream.take().split(b"\n") if line.startswith(b"data:")]


def test_a_stream_begins_with_what_is_there() -> None:
    broadcast = Broadcast()
    publish(broadcast, "a", "ReadyState")
    publish(broadcast, "a", "RunningState")
    stream = EventStream(broadcast, ["jobs"])
    added, bookmark = events(stream)
    assert (added["action"], added["resource"]["state"]) == ("ADDED", "RunningState")
    assert bookmark == {"action": "BOOKMARK"}


def test_a_change_that_external_schedulers_do_not_see_is_left_out() -> None:
    broadcast = Broadcast()
    stream = EventStream(broadcast, ["jobs"])
    publish(broadcast, "a", "ReadyState")
    publish(broadcast, "a", "ReadyState")
    publish(broadcast, "unknown", "ReadyState", "DELETED")
    publish(broadcast, "a", "ReadyState", "DELETED")
    assert [event["action"] for event in events(stream)] == ["BOOKMARK", "ADDED", "DELETED"]


def test_a_stream_that_nobody_reads_is_emptied_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "LARGEST", 1000)
    broadcast = Broadcast()
    stream = EventStream(broadcast, ["jobs"])
    for number in range(20):
        publish(broadcast, "a", str(number))
    assert (stream.closed, stream.overflowed, stream.take()) == (True, True, b"")
    stream.close()
    assert not broadcast.has_subscribers(Topic("jobs"))


@pytest.mark.parametrize(
    ("values", "kinds"),
    [([], ("testbeds", "jobs", "schedulings")), (["jobs"], ["jobs"]), (["jobs,testbeds"], ["jobs", "testbeds"])],
)
def test_topics_are_chosen(values: list[str], kinds: Any) -> None:
    assert read_kinds(values) == kinds


def test_an_unknown_topic_is_refused() -> None:
    with pytest.raises(InputError, match="topic: expected testbeds, jobs, schedulings, not 'pods'"):
        read_kinds(["pods"])
