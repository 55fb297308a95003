"""Frames of the STOMP 1.2 specification, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.batchoperator.esi.stomp.frames import LARGEST_FRAME, Frame, FrameError, FrameReader


def read(data: bytes, version: str = "1.2") -> list[Frame]:
    reader = FrameReader()
    reader.version = version
    return list(reader.feed(data))


# The examples of https://stomp.github.io/stomp-specification-1.2.html, ^@ as NUL.
SPECIFICATION = [
    pytest.param(
        b"CONNECT\naccept-version:1.2\nhost:stomp.github.org\n\n\0",
        Frame("CONNECT", {"accept-version": "1.2", "host": "stomp.github.org"}),
        id="CONNECT",
    ),
    pytest.param(
        b"CONNECT\naccept-version:1.0,1.1,2.0\nhost:stomp.github.org\n\n\0",
        Frame("CONNECT", {"accept-version": "1.0,1.1,2.0", "host": "stomp.github.org"}),
        id="CONNECT of several versions",
    ),
    pytest.param(
        b"SEND\ndestination:/queue/a\ncontent-type:text/plain\n\nhello queue a\n\0",
        Frame("SEND", {"destination": "/queue/a", "content-type": "text/plain"}, b"hello queue a\n"),
        id="SEND",
    ),
    pytest.param(
        b"SUBSCRIBE\nid:0\ndestination:/queue/foo\nack:client\n\n\0",
        Frame("SUBSCRIBE", {"id": "0", "destination": "/queue/foo", "ack": "client"}),
        id="SUBSCRIBE",
    ),
    pytest.param(b"UNSUBSCRIBE\nid:0\n\n\0", Frame("UNSUBSCRIBE", {"id": "0"}), id="UNSUBSCRIBE"),
    pytest.param(
        b"ACK\nid:12345\ntransaction:tx1\n\n\0", Frame("ACK", {"id": "12345", "transaction": "tx1"}), id="ACK"
    ),
    pytest.param(b"DISCONNECT\nreceipt:77\n\n\0", Frame("DISCONNECT", {"receipt": "77"}), id="DISCONNECT"),
    pytest.param(
        b"MESSAGE\nsubscription:0\nmessage-id:007\ndestination:/queue/a\ncontent-type:text/plain\n\nhello queue a\0",
        Frame(
            "MESSAGE",
            {"subscription": "0", "message-id": "007", "destination": "/queue/a", "content-type": "text/plain"},
            b"hello queue a",
        ),
        id="MESSAGE",
    ),
    pytest.param(
        b"MESSAGE\nfoo:World\nfoo:Hello\n\n\0", Frame("MESSAGE", {"foo": "World"}), id="of repeated headers the first"
    ),
]


@pytest.mark.parametrize(("data", "frame"), SPECIFICATION)
def test_frames_of_the_specification_are_read(data: bytes, frame: Frame) -> None:
    assert read(data) == [frame]


@pytest.mark.parametrize(("data", "frame"), SPECIFICATION)
def test_lines_may_end_with_a_carriage_return(data: bytes, frame: Frame) -> None:
    head, _, body = data.partition(b"\n\n")
    assert read(head.replace(b"\n", b"\r\n") + b"\r\n\r\n" + body) == [frame]


@pytest.mark.parametrize(
    ("header", "version", "value"),
    [
        pytest.param(rb"a\cb", "1.2", "a:b", id="colon"),
        pytest.param(rb"a\nb", "1.2", "a\nb", id="line feed"),
        pytest.param(rb"a\rb", "1.2", "a\rb", id="carriage return"),
        pytest.param(rb"a\\nb", "1.2", r"a\nb", id="backslash"),
        pytest.param(b"a:b", "1.2", "a:b", id="a colon in a value needs no escape"),
        pytest.param(rb"a\nb", "1.0", r"a\nb", id="1.0 has no escapes"),
        pytest.param(b" a ", "1.2", " a ", id="white space belongs to the value"),
        pytest.param(b"", "1.2", "", id="an empty value"),
    ],
)
def test_headers_are_unescaped(header: bytes, version: str, value: str) -> None:
    assert read(b"SUBSCRIBE\nid:" + header + b"\n\n\0", version)[0].headers == {"id": value}


def test_headers_of_connect_are_not_unescaped() -> None:
    assert read(rb"CONNECT" + b"\npasscode:" + rb"a\tb" + b"\n\n\0")[0].headers == {"passcode": r"a\tb"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(b"HELLO\n\n\0", "unknown command 'HELLO'", id="unknown command"),
        pytest.param(b"subscribe\nid:1\n\n\0", "unknown command 'subscribe'", id="commands are upper case"),
        pytest.param(b"SUBSCRIBE\nid\n\n\0", "expected a header, name:value, not 'id'", id="no colon"),
        pytest.param(b"SUBSCRIBE\n:x\n\n\0", "expected a header, name:value, not ':x'", id="no name"),
        pytest.param(b"SUBSCRIBE\nid:\\t\n\n\0", "undefined escape sequence", id="undefined escape"),
        pytest.param(b"SUBSCRIBE\nid:x\\\n\n\0", "undefined escape sequence", id="a lone backslash"),
        pytest.param(b"SUBSCRIBE\nid:1\0", "an empty line after its headers", id="no empty line"),
        pytest.param(b"SUBSCRIBE\nid:1\n\nbody\0", "SUBSCRIBE must not have a body", id="body"),
        pytest.param(b"SEND\ncontent-length:x\n\n\0", "content-length: expected a number", id="length is no number"),
        pytest.param(b"SEND\ncontent-length:-1\n\n\0", "content-length: expected a number", id="negative length"),
        pytest.param(b"SEND\ncontent-length:2\n\nabc\0", "longer than its content-length", id="body too long"),
        pytest.param(b"SUBSCRIBE\nid:\xff\n\n\0", "headers must be UTF-8", id="no UTF-8"),
        pytest.param(b"SEND\n" + b"x" * LARGEST_FRAME, "bytes at most", id="too long"),
        pytest.param(b"SEND\n" + b"a:b\n" * 101 + b"\n\0", "100 headers at most", id="too many headers"),
        pytest.param(b"\x00", "an empty line", id="only a NUL"),
    ],
)
def test_what_is_no_frame_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(FrameError, match=problem):
        read(data)


def test_line_ends_between_frames_are_heartbeats() -> None:
    assert read(b"\n\r\n\nUNSUBSCRIBE\nid:1\n\n\0\n\n") == [Frame("UNSUBSCRIBE", {"id": "1"})]


def test_a_body_with_a_length_may_contain_nul() -> None:
    assert read(b"SEND\ncontent-length:3\n\na\0b\0")[0].body == b"a\0b"


_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=10)
_FRAMES = st.builds(
    Frame,
    st.sampled_from(["SEND", "MESSAGE", "ERROR"]),
    st.dictionaries(_TEXT.filter(bool).filter(lambda name: name != "content-length"), _TEXT, max_size=3),
    st.binary(max_size=20),
)


@given(st.lists(_FRAMES, max_size=4), st.integers(1, 7))
def test_what_is_written_is_read_again_in_pieces_of_any_size(frames: list[Frame], size: int) -> None:
    data = b"".join(frame.encode() for frame in frames)
    reader, found = FrameReader(), []
    for start in range(0, len(data), size):
        found += reader.feed(data[start : start + size])
    assert [(each.command, each.body) for each in found] == [(each.command, each.body) for each in frames]
    assert [{**each.headers, "content-length": ""} for each in found] == [
        {**each.headers, "content-length": ""} for each in frames
    ]
