"""STOMP frames on the wire: versions 1.0, 1.1 and 1.2 of the protocol (https://stomp.github.io)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LARGEST_FRAME = 64 * 1024  # bytes of a frame from a client; Spring's default
_MOST_HEADERS = 100
_WITH_BODY = frozenset({"SEND", "MESSAGE", "ERROR"})
_UNESCAPED = frozenset({"CONNECT", "CONNECTED"})  # as in 1.0, so that the version can be negotiated
_OF_CLIENTS = ("CONNECT", "STOMP", "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "NACK", "BEGIN", "COMMIT", "ABORT")
_COMMANDS = frozenset({*_OF_CLIENTS, "DISCONNECT", "CONNECTED", "MESSAGE", "RECEIPT", "ERROR"})
_ESCAPES = {"\\": "\\\\", "\r": "\\r", "\n": "\\n", ":": "\\c"}
_ESCAPES_1_1 = {"\\": "\\\\", "\n": "\\n", ":": "\\c"}
_BLANK = re.compile(rb"\n\r?\n")  # with the end of the line before
_LINE_ENDS = re.compile(rb"[\r\n]+")
HEARTBEAT = b"\n"


class FrameError(ValueError):
    """Bytes that are no STOMP frame; the message says why."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: a command, headers (of repeated ones the first), a body."""

    command: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def encode(self, version: str = "1.2") -> bytes:
        """Returns the frame as bytes, with content-length if it has a body."""
        headers = dict(self.headers)
        if self.body:
            headers["content-length"] = str(len(self.body))
        escapes = {} if self.command in _UNESCAPED else _escapes(version)
        lines = [f"{_escape(name, escapes)}:{_escape(value, escapes)}\n" for name, value in headers.items()]
        return f"{self.command}\n{''.join(lines)}\n".encode() + self.body + b"\0"


class FrameReader:
    """Splits what a client sends into frames; a frame may come in several pieces.

    `version` is the negotiated one and decides how headers are unescaped. FrameError for anything that is no frame, and
    for a frame of more than LARGEST_FRAME bytes.
    """

    def __init__(self) -> None:
        self.version = "1.2"
        self._pending = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yields the frames that are complete now; line ends between frames are heart-beats."""
        data, at = self._pending + data, 0
        while (found := self._next(data, at)) is not None:
            frame, at = found
            yield frame
        self._pending = data[_after_line_ends(data, at) :]
        if len(self._pending) > LARGEST_FRAME:
            raise FrameError(f"a frame may have {LARGEST_FRAME} bytes at most")

    def _next(self, data: bytes, start: int) -> tuple[Frame, int] | None:
        """Returns the frame that begins after a position, and where it ends; None if it is not complete."""
        at = _after_line_ends(data, start)
        blank = _BLANK.search(data, at)
        if blank is None:
            if data.find(b"\0", at) >= 0:
                raise FrameError("a frame needs an empty line after its headers")
            return None
        command, headers = self._head(data[at : blank.start()].removesuffix(b"\r"))
        end = _end_of_body(data, blank.end(), headers)
        if end < 0:
            return None
        body = data[blank.end() : end]
        if body and command not in _WITH_BODY:
            raise FrameError(f"{command} must not have a body")
        return Frame(command, headers, body), end + 1

    def _head(self, head: bytes) -> tuple[str, dict[str, str]]:
        try:
            command, *lines = head.decode().replace("\r\n", "\n").split("\n")
        except UnicodeDecodeError:
            raise FrameError("headers must be UTF-8") from None
        if command not in _COMMANDS:
            raise FrameError(f"unknown command {command[:40]!r}")
        if len(lines) > _MOST_HEADERS:
            raise FrameError(f"a frame may have {_MOST_HEADERS} headers at most")
        headers: dict[str, str] = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not name:
                raise FrameError(f"expected a header, name:value, not {line[:40]!r}")
            if command not in _UNESCAPED:
                name, value = _unescape(name, self.version), _unescape(value, self.version)
            headers.setdefault(name, value)
        return command, headers


def _after_line_ends(data: bytes, at: int) -> int:
    found = _LINE_ENDS.match(data, at)
    return found.end() if found else at


def _end_of_body(data: bytes, start: int, headers: Mapping[str, str]) -> int:
    """Returns the position of the NUL that ends the body; -1 if it is not there yet."""
    length = headers.get("content-length")
    if length is None:
        return data.find(b"\0", start)
    if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > LARGEST_FRAME:
        raise FrameError(f"content-length: expected a number up to {LARGEST_FRAME}, not {length[:40]!r}")
    end = start + int(length)
    if end >= len(data):
        return -1
    if data[end] != 0:
        raise FrameError("the body is longer than its content-length")
    return end


def _escapes(version: str) -> Mapping[str, str]:
    return {"1.0": {}, "1.1": _ESCAPES_1_1}.get(version, _ESCAPES)


def _escape(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


def _unescape(text: str, version: str) -> str:
    meanings = {escape: character for character, escape in _escapes(version).items()}
    if not meanings or "\\" not in text:
        return text
    parts, rest = [], iter(text)
    for character in rest:
        escape = character if character != "\\" else character + next(rest, "")
        if character == "\\" and escape not in meanings:
            raise FrameError(f"undefined escape sequence {escape!r} in a header")
        parts.append(meanings.get(escape, escape))
    return "".join(parts)
