from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from wavetank.apiserver.waiting import in_slices
from wavetank.batchoperator.esi.broadcast import Broadcast, Change, Topic, read_topic
from wavetank.batchoperator.esi.stomp.frames import Frame, FrameError, FrameReader
from wavetank.version import __version__

VERSIONS = ("1.2", "1.1", "1.0")
HEARTBEAT_MS = 10_000  # the shortest interval that the server offers and asks for, in both directions
_MOST_SUBSCRIPTIONS = 20_000
_MOST_ALIKE = 100  # subscriptions of one session to one topic: each change is sent to all of them at once
_PREFIX = "/topic/"


class StompSession:
    """One STOMP connection: a client subscribes to topics and receives their changes, as of Spring's simple broker.

    `send` takes encoded frames. A client that has not shown the token before needs it as the passcode of CONNECT;
    `is_token` checks it. After an ERROR or DISCONNECT `closed` is true, and the connection must be closed once
    everything is sent. `send_every_ms` and `expect_every_ms` are the negotiated heart-beats; 0: none.
    """

    def __init__(
        self, broadcast: Broadcast, send: Callable[[bytes], None], is_token: Callable[[str], bool] | None
    ) -> None:
        self.closed = False
        self.send_every_ms = 0
        self.expect_every_ms = 0
        self._broadcast = broadcast
        self._send = send
        self._is_token = is_token
        self._reader = FrameReader()
        self.connected = False
        self._subscriptions: dict[str, Callable[[], None]] = {}
        self._of_topic: Counter[Topic] = Counter()
        self._messages = 0

    def receive(self, data: bytes) -> None:
        """Handles what the client sent; a mistake is answered with an ERROR frame, which ends the session.

        Many frames are handled in slices, if the caller may wait.
        """
        try:
            for frame in in_slices(self._reader.feed(data)):
                self._handle(frame)
                if self.closed:
                    break
        except FrameError as error:
            self._fail(str(error))

    def close(self) -> None:
        """Ends all subscriptions."""
        self.closed = True
        for unsubscribe in self._subscriptions.values():
            unsubscribe()
        self._subscriptions.clear()

    def _handle(self, frame: Frame) -> None:
        handler = _HANDLERS.get(frame.command)
        if handler is None:
            self._fail(f"{frame.command} is not possible here: clients only subscribe to topics", frame)
        elif not self.connected and handler is not StompSession._connect:
            self._fail("the first frame must be CONNECT or STOMP", frame)
        else:
            handler(self, frame)
            if "receipt" in frame.headers and not self._is_failed(frame):
                self._reply("RECEIPT", {"receipt-id": frame.headers["receipt"]})

    def _is_failed(self, frame: Frame) -> bool:
        return self.closed and frame.command != "DISCONNECT"

    def _connect(self, frame: Frame) -> None:
        if self.connected:
            return self._fail("already connected", frame)
        accepted = [each.strip() for each in frame.headers.get("accept-version", "1.0").split(",")]
        version = next((version for version in VERSIONS if version in accepted), None)
        if version is None:
            supported = ",".join(sorted(VERSIONS))
            return self._fail(f"supported versions are {supported}", frame, {"version": supported})
        if self._is_token is not None and not self._is_token(frame.headers.get("passcode", "")):
            return self._fail("CONNECT needs the token as its passcode, or as a bearer token of the handshake", frame)
        offered, wanted = _read_heartbeat(frame.headers.get("heart-beat", "0,0"))
        self.connected = True
        self._reader.version = version
        self._reply("CONNECTED", _greeting(version))
        if version != "1.0":
            self.send_every_ms = max(wanted, HEARTBEAT_MS) if wanted else 0
            self.expect_every_ms = max(offered, HEARTBEAT_MS) if offered else 0
        return None

    def _subscribe(self, frame: Frame) -> None:
        destination = frame.headers.get("destination", "")
        topic = read_topic(destination.removeprefix(_PREFIX)) if destination.startswith(_PREFIX) else None
        key = self._key(frame)
        if topic is None:
            return self._fail(f"there is no destination {destination[:100]!r}", frame)
        if key is None:
            return self._fail("SUBSCRIBE needs the header id", frame)
        if key in self._subscriptions:
            return self._fail(f"there is a subscription with the id {key[:100]!r} already", frame)
        if len(self._subscriptions) >= _MOST_SUBSCRIPTIONS:
            return self._fail(f"a session may have {_MOST_SUBSCRIPTIONS} subscriptions at most", frame)
        if self._of_topic[topic] >= _MOST_ALIKE:
            return self._fail(f"a session may have {_MOST_ALIKE} subscriptions to one destination at most", frame)
        headers = {"destination": destination, "content-type": "application/json"}
        if "id" in frame.headers:
            headers["subscription"] = key
        acknowledged = frame.headers.get("ack", "auto") != "auto"

        def deliver(change: Change) -> None:
            self._deliver(headers, change.full if topic.name else change.brief, acknowledged)

        unsubscribe = self._broadcast.subscribe(topic, deliver)

        def end() -> None:
            self._of_topic[topic] -= 1
            unsubscribe()

        self._of_topic[topic] += 1
        self._subscriptions[key] = end
        return None

    def _deliver(self, headers: Mapping[str, str], body: bytes, acknowledged: bool) -> None:
        self._messages += 1
        number = {"message-id": str(self._messages)}
        if acknowledged:
            number["ack"] = str(self._messages)
        self._reply("MESSAGE", {**headers, **number}, body)

    def _unsubscribe(self, frame: Frame) -> None:
        key = self._key(frame)
        unsubscribe = self._subscriptions.pop(key, None) if key is not None else None
        if unsubscribe is None:
            return self._fail("UNSUBSCRIBE needs the id of a subscription", frame)
        return unsubscribe()

    def _key(self, frame: Frame) -> str | None:
        """Returns what names a subscription: its id, or in STOMP 1.0 its destination if it has none."""
        fallback = frame.headers.get("destination") if self._reader.version == "1.0" else None
        return frame.headers.get("id", fallback)

    def _acknowledge(self, frame: Frame) -> None:
        """Messages are not sent again, so there is nothing to note."""

    def _disconnect(self, frame: Frame) -> None:
        self.close()

    def _fail(self, problem: str, frame: Frame | None = None, headers: Mapping[str, str] | None = None) -> None:
        about = {"receipt-id": frame.headers["receipt"]} if frame and "receipt" in frame.headers else {}
        about |= {"message": problem, "content-type": "text/plain", **(headers or {})}
        self._reply("ERROR", about, problem.encode())
        self.close()

    def _reply(self, command: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        self._send(Frame(command, headers, body).encode(self._reader.version))


def _greeting(version: str) -> dict[str, str]:
    if version == "1.0":
        return {"session": "0"}
    return {"version": version, "heart-beat": f"{HEARTBEAT_MS},{HEARTBEAT_MS}", "server": f"wavetank/{__version__}"}


def _read_heartbeat(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise FrameError(f"heart-beat: expected two numbers of milliseconds, not {text[:40]!r}")
    return int(parts[0]), int(parts[1])


_HANDLERS: dict[str, Callable[[StompSession, Frame], None]] = {
    "CONNECT": StompSession._connect,
    "STOMP": StompSession._connect,
    "SUBSCRIBE": StompSession._subscribe,
    "UNSUBSCRIBE": StompSession._unsubscribe,
    "ACK": StompSession._acknowledge,
    "NACK": StompSession._acknowledge,
    "DISCONNECT": StompSession._disconnect,
}
