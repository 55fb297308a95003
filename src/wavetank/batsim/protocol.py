"""Messages of Batsim's protocol (3.x and 4.x): JSON, times in seconds."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from wavetank.errors import SchedulerError
from wavetank.kernel.durations import SECOND, Nanoseconds

_FARTHEST = 1e11  # seconds; more does not fit into the nanoseconds that we count in


class ProtocolError(SchedulerError):
    """The program at the other end of the socket has broken the protocol, or is gone."""


class Event(msgspec.Struct):
    """An event of a message; `timestamp` is in seconds."""

    timestamp: float
    type: str
    data: dict[str, Any] = {}


class Message(msgspec.Struct):
    """What one side says at `now`, in seconds."""

    now: float
    events: list[Event]


_decoder = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def in_seconds(time: Nanoseconds) -> float:
    """Returns a time as the protocol writes it."""
    return time / SECOND


def in_nanoseconds(time: float) -> Nanoseconds:
    """Returns a time of the protocol in nanoseconds, rounded."""
    return round(time * SECOND)


def encode(now: Nanoseconds, events: list[Event]) -> bytes:
    """Writes a message."""
    return _encoder.encode(Message(in_seconds(now), events))


def decode(text: bytes, peer: str, since: Nanoseconds) -> Message:
    """Reads a message of `peer`, which may not be from before `since`; ProtocolError says what is wrong with it."""
    try:
        message = _decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ProtocolError(f"{peer}: not a message of Batsim's protocol: {error} (it begins {text!r:.60})") from None
    earliest = since
    for event in message.events:
        earliest = _checked(event.timestamp, earliest, peer, event.type)
    if _checked(message.now, since, peer, "now") < earliest:
        raise ProtocolError(f"{peer}: now is {message.now:g}, before the message's last event")
    return message


def _checked(time: float, earliest: Nanoseconds, peer: str, place: str) -> Nanoseconds:
    if not math.isfinite(time) or time > _FARTHEST:
        raise ProtocolError(f"{peer}: {place}: expected seconds, at most {_FARTHEST:g}, got {time!r}")
    # a peer that counts in microseconds rounds what we said: that is no way back
    if (at := in_nanoseconds(time)) < earliest - 1000:
        raise ProtocolError(f"{peer}: {place}: time goes backwards, from {in_seconds(earliest):.6f} to {time:.6f}")
    return max(at, earliest)
