from __future__ import annotations

import json

import pytest

from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.external import ExternalBatchJob
from wavetank.batchoperator.esi.stomp.frames import Frame, FrameReader
from wavetank.batchoperator.esi.stomp.session import StompSession


class Dialogue:
    """A session, and the frames that it sent."""

    def __init__(self, token: str = "", version: str = "1.2") -> None:
        self.broadcast = Broadcast()
        self.sent: list[bytes] = []
        self._version = version
        self.session = StompSession(self.broadcast, self.sent.append, token.__eq__ if token else None)

    def say(self, command: str, body: bytes = b"", **headers: str) -> Frame | None:
        """Sends a frame and returns the first answer, if there is one."""
        frame = Frame(command, {name.replace("_", "-"): value for name, value in headers.items()}, body)
        return self.say_bytes(frame.encode(self._version))

    def say_bytes(self, data: bytes) -> Frame | None:
        self.sent.clear()
        self.session.receive(data)
        return next(iter(self.heard()), None)

    def heard(self) -> list[Frame]:
        reader = FrameReader()
        reader.version = self._version
        return list(reader.feed(b"".join(self.sent)))

    def publish(self, name: str, state: str = "ReadyState", action: str = "ADDED") -> list[Frame]:
        self.sent.clear()
        self.broadcast.publish("jobs", action, ExternalBatchJob(name, state))
        return self.heard()


def connected(version: str = "1.2") -> Dialogue:
    dialogue = Dialogue(version=version)
    dialogue.say("CONNECT", accept_version=version, host="localhost")
    return dialogue


@pytest.mark.parametrize(
    ("accepted", "version"),
    [("1.2", "1.2"), ("1.0,1.1,1.2", "1.2"), ("1.1,1.0", "1.1"), ("1.1,3.0", "1.1")],
)
def test_the_highest_common_version_is_chosen(accepted: str, version: str) -> None:
    answer = Dialogue().say("CONNECT", accept_version=accepted, host="localhost")
    assert answer is not None
    assert (answer.command, answer.headers["version"]) == ("CONNECTED", version)


def test_a_client_without_versions_speaks_1_0() -> None:
    answer = Dialogue().say("CONNECT")
    assert answer is not None
    assert answer.command == "CONNECTED"
    assert "version" not in answer.headers


def test_no_common_version_is_an_error_that_lists_the_supported_ones() -> None:
    dialogue = Dialogue()
    answer = dialogue.say("CONNECT", accept_version="2.0")
    assert answer is not None
    assert (answer.command, answer.headers["version"]) == ("ERROR", "1.0,1.1,1.2")
    assert dialogue.session.closed


@pytest.mark.parametrize(
    ("asked", "send", "expect"),
    [("0,0", 0, 0), ("5000,5000", 10_000, 10_000), ("60000,30000", 30_000, 60_000), ("0,20000", 20_000, 0)],
)
def test_heartbeats_are_as_rare_as_the_rarer_side_wants_them(asked: str, send: int, expect: int) -> None:
    dialogue = Dialogue()
    dialogue.say("CONNECT", accept_version="1.2", heart_beat=asked)
    assert (dialogue.session.send_every_ms, dialogue.session.expect_every_ms) == (send, expect)


def test_a_topic_has_the_names_of_changed_resources() -> None:
    dialogue = connected()
    dialogue.say("SUBSCRIBE", id="sub-0", destination="/topic/jobs")
    [message] = dialogue.publish("spark-pi")
    assert message.command == "MESSAGE"
    assert message.headers["subscription"] == "sub-0"
    assert message.headers["destination"] == "/topic/jobs"
    assert message.headers["content-type"] == "application/json"
    assert json.loads(message.body) == {"action": "ADDED", "resource": "spark-pi"}


def test_the_topic_of_one_resource_has_all_of_it() -> None:
    dialogue = connected()
    dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs/spark-pi")
    assert dialogue.publish("another") == []
    [message] = dialogue.publish("spark-pi", "RunningState")
    assert json.loads(message.body)["resource"]["state"] == "RunningState"
    [message] = dialogue.publish("spark-pi", "CompletedState", "MODIFIED")
    assert json.loads(message.body)["action"] == "MODIFIED"


def test_nothing_is_sent_after_unsubscribing_or_disconnecting() -> None:
    dialogue = connected()
    dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs")
    dialogue.say("UNSUBSCRIBE", id="0")
    assert dialogue.publish("a") == []
    dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs")
    receipt = dialogue.say("DISCONNECT", receipt="77")
    assert receipt == Frame("RECEIPT", {"receipt-id": "77"})
    assert dialogue.session.closed
    assert dialogue.publish("b") == []


def test_message_ids_differ_and_are_the_ids_to_acknowledge() -> None:
    dialogue = connected()
    dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs", ack="client")
    messages = dialogue.publish("a") + dialogue.publish("b")
    assert [message.headers["ack"] for message in messages] == ["1", "2"]
    assert dialogue.say("ACK", id="1") is None
    assert not dialogue.session.closed


def test_subscriptions_of_1_0_need_no_id() -> None:
    dialogue = connected("1.0")
    dialogue.say("SUBSCRIBE", destination="/topic/jobs")
    assert "subscription" not in dialogue.publish("a")[0].headers
    dialogue.say("UNSUBSCRIBE", destination="/topic/jobs")
    assert dialogue.publish("b") == []


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        pytest.param(Frame("CONNECT"), "already connected", id="CONNECT twice"),
        pytest.param(
            Frame("SEND", {"destination": "/topic/jobs"}, b"{}"), "SEND is not possible", id="clients send nothing"
        ),
        pytest.param(Frame("BEGIN", {"transaction": "t"}), "BEGIN is not possible", id="transactions"),
        pytest.param(Frame("SUBSCRIBE", {"destination": "/topic/jobs"}), "needs the header id", id="no id"),
        pytest.param(Frame("SUBSCRIBE", {"id": "1"}), "there is no destination ''", id="no destination"),
        pytest.param(
            Frame("SUBSCRIBE", {"id": "1", "destination": "/topic/pods"}), "there is no destination", id="no topic"
        ),
        pytest.param(
            Frame("SUBSCRIBE", {"id": "1", "destination": "/topic/jobs/a/b"}), "there is no destination", id="too deep"
        ),
        pytest.param(
            Frame("SUBSCRIBE", {"id": "0", "destination": "/topic/jobs"}), "a subscription with the id", id="id twice"
        ),
        pytest.param(Frame("UNSUBSCRIBE", {"id": "9"}), "the id of a subscription", id="not subscribed"),
    ],
)
def test_a_mistake_ends_the_session_with_an_error(frame: Frame, problem: str) -> None:
    dialogue = connected()
    dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs")
    answer = dialogue.say_bytes(Frame(frame.command, {**frame.headers, "receipt": "7"}, frame.body).encode())
    assert answer is not None
    assert answer.command == "ERROR"
    assert problem in answer.headers["message"]
    assert answer.headers["receipt-id"] == "7"
    assert dialogue.session.closed
    assert dialogue.publish("a") == []


def test_bytes_that_are_no_frame_end_the_session_with_an_error() -> None:
    dialogue = connected()
    answer = dialogue.say_bytes(b"GET / HTTP/1.1\r\n\r\n")
    assert answer is not None
    assert answer.command == "ERROR"
    assert dialogue.session.closed


def test_the_first_frame_must_be_connect() -> None:
    dialogue = Dialogue()
    answer = dialogue.say("SUBSCRIBE", id="0", destination="/topic/jobs")
    assert answer is not None
    assert answer.headers["message"] == "the first frame must be CONNECT or STOMP"


@pytest.mark.parametrize(("passcode", "command"), [("secret", "CONNECTED"), ("guess", "ERROR"), ("", "ERROR")])
def test_connect_needs_the_token_as_its_passcode(passcode: str, command: str) -> None:
    answer = Dialogue(token="secret").say("CONNECT", accept_version="1.2", login="me", passcode=passcode)
    assert answer is not None
    assert answer.command == command


def test_a_session_has_some_subscriptions_to_one_topic_and_no_more() -> None:
    dialogue = connected()
    for number in range(100):
        assert dialogue.say("SUBSCRIBE", id=str(number), destination="/topic/jobs") is None
    assert dialogue.say("UNSUBSCRIBE", id="0") is None
    assert dialogue.say("SUBSCRIBE", id="100", destination="/topic/jobs") is None
    assert dialogue.say("SUBSCRIBE", id="101", destination="/topic/jobs/a") is None
    answer = dialogue.say("SUBSCRIBE", id="102", destination="/topic/jobs")
    assert answer is not None
    assert answer.headers["message"] == "a session may have 100 subscriptions to one destination at most"
