"""Whatever clients send: an answer, never a failure."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.batchoperator.esi.serving import SmallCluster
from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.stomp.frames import FrameReader
from wavetank.batchoperator.esi.stomp.session import StompSession

_COMMANDS = st.sampled_from(["CONNECT", "STOMP", "SUBSCRIBE", "UNSUBSCRIBE", "SEND", "ACK", "DISCONNECT", "X"])
_HEADERS = st.sampled_from(
    ["id:1", "destination:/topic/jobs", "accept-version:1.2", "heart-beat:1,x", "receipt:r", "a\\c", "content-length:3"]
)
_FRAMES = st.builds(
    lambda command, headers, body: "\n".join([command, *headers, "", ""]).encode() + body + b"\0",
    _COMMANDS,
    st.lists(_HEADERS, max_size=4),
    st.binary(max_size=5),
)


@given(st.lists(st.one_of(_FRAMES, st.binary(max_size=30)), max_size=6))
def test_a_stomp_session_answers_with_frames_and_ends_after_an_error(messages: list[bytes]) -> None:
    sent: list[bytes] = []
    session = StompSession(Broadcast(), sent.append, None)
    for message in messages:
        if not session.closed:
            session.receive(message)
    frames, reader = [], FrameReader()
    for frame in reader.feed(b"".join(sent)):
        frames.append(frame)
        if frame.command == "CONNECTED":
            reader.version = frame.headers.get("version", "1.0")
    assert [frame.command for frame in frames].count("ERROR") <= 1
    assert not any(frame.command == "ERROR" for frame in frames[:-1])


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["testbed", "spark-pi", "relaxed", ""]),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "slots", "mode", "jobs", "queue"]), values, max_size=3)
    ),
    max_leaves=8,
)
_SCHEDULINGS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("name", "testBed", "queue", "slots", "state"), _VALUES)
)


@given(_SCHEDULINGS)
def test_a_scheduling_is_created_or_refused_with_a_reason(body: dict[str, object]) -> None:
    answer = SmallCluster().ask("POST", "/external/schedulings", body)
    assert answer.status in (200, 400, 422)
    assert answer.json["name" if answer.status == 200 else "message"]
    json.dumps(answer.json)
