"""The WebSockets of the batch operator's interface: STOMP, SockJS and the stream of events."""

from __future__ import annotations

import base64
import json
import socket
import struct
import subprocess
import tempfile
import time
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

from tests.attack.campaign.outcome import Budget, Outcome
from tests.attack.campaign.servers import OPERATOR, running

_PATIENCE_S = 10.0
_MOST_MB = 100  # that the server may grow by
_PATHS = ("/scheduler", "/scheduler/websocket", "/scheduler/000/abc/websocket", "/external/stream", "/nowhere", "/")
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_CONNECT = b"CONNECT\naccept-version:1.2\nhost:x\nheart-beat:0,0\n\n\0"
_STOMP = (
    _CONNECT,
    b"CONNECT\n\n\0" * 3,
    b"SEND\ndestination:/x\n\n" + b"x" * 100_000 + b"\0",
    b"SUBSCRIBE\nid:0\ndestination:/topics/job\n\n\0",
    b"SUBSCRIBE\nid:0\ndestination:" + b"/" * 60_000 + b"\n\n\0",
    b"SUBSCRIBE\nid:1\ndestination:/x\nack:client\n\n\0",
    b"UNSUBSCRIBE\nid:99\n\n\0",
    b"ACK\nid:-1\n\n\0",
    b"BEGIN\ntransaction:1\n\n\0" * 50,
    b"SEND\ncontent-length:999999999999\n\n\0",
    b"CONNECT\nheart-beat:99999999999999999999,-1\naccept-version:1.2\n\n\0",
    b"a:b\n" * 1000,
    b"SEND\nbad\\xescape:1\n\n\0",
    b"\0\0\0",
    b"\n" * 10_000,
    b"\xff\xfe\0",
)


def attack(random: Random, budget: Budget) -> Outcome:
    """Opens hostile WebSockets; after them the server goes on, and has printed no traceback."""
    outcome = Outcome("hostile WebSockets")
    with tempfile.TemporaryDirectory() as name, running(OPERATOR, Path(name), outcome, "operator") as (port, process):
        before = _rss_mb(process)
        for origin in ("http://evil.example", "null", "http://["):
            status = _shake_hands(port, "/scheduler", [f"Origin: {origin}"])[1]
            outcome.check(status in (400, 401, 403), f"a handshake of {origin} was answered by {status}")
        while budget.left():
            outcome.ran += 1
            with suppress(OSError):
                _talk(random, port)
            if outcome.ran % 10 == 0:
                _check_served(port, outcome)
        _check_slow_readers(port, outcome)
        grown = _rss_mb(process) - before
        outcome.figures["MB more"] = grown
        outcome.check(grown < _MOST_MB, f"the operator has grown by {grown} MB")
    return outcome


def _check_served(port: int, outcome: Outcome) -> None:
    begun = time.monotonic()
    connection, status = _shake_hands(port, "/scheduler")
    with connection:
        connection.sendall(_frame(_TEXT, _CONNECT))
        answer = connection.recv(1000)
    outcome.check(status == 101 and b"CONNECTED" in answer, f"another client was answered by {status}, {answer!r:.80}")
    waited = time.monotonic() - begun
    outcome.check(waited < _PATIENCE_S, f"another client waited for {waited:.1f} s")


def _check_slow_readers(port: int, outcome: Outcome) -> None:
    """Clients that never read, and send pings and frames that are answered."""
    silent = [_shake_hands(port, "/scheduler")[0] for _ in range(20)]
    for connection in silent:
        connection.settimeout(0.5)
        with suppress(OSError):
            connection.sendall(_frame(_TEXT, _CONNECT))
            for _ in range(2000):
                connection.sendall(_frame(_PING, b"x" * 125))
    _check_served(port, outcome)
    for connection in silent:
        connection.close()


def _talk(random: Random, port: int) -> None:
    """Sends some hostile frames over one connection, and leaves without a word."""
    compressed = random.random() < 0.3
    wanted = ["Sec-WebSocket-Extensions: permessage-deflate"] if compressed else []
    connection, status = _shake_hands(port, random.choice(_PATHS), wanted)
    with connection:
        connection.settimeout(1)
        if status != 101:
            return
        if random.random() < 0.6:
            connection.sendall(_frame(_TEXT, _CONNECT))
        for _ in range(random.randint(1, 4)):
            connection.sendall(_hostile(random, compressed))
        if random.random() < 0.5:
            connection.recv(1 << 16)


def _hostile(random: Random, compressed: bool) -> bytes:
    if compressed and random.random() < 0.7:
        return _frame(_TEXT, _bomb(), reserved=0x40)
    text = random.choice(_STOMP)
    pieces = [text[i : i + 3] for i in range(0, min(len(text), 3000), 3)]
    return random.choice(
        [
            _frame(_TEXT, text),
            _frame(_BINARY, text),
            _frame(_TEXT, json.dumps([text.decode("latin-1")]).encode()),
            _frame(_TEXT, b"[" * 100_000),
            b"".join(_frame(_TEXT if not i else 0, piece, fin=False) for i, piece in enumerate(pieces)),
            _frame(_TEXT, b"x", fin=False) * 2,
            _frame(0, b"never begun"),
            _head(_TEXT, 1 << 63) + bytes(4),
            _head(_TEXT, (1 << 63) - 1) + bytes(4),
            _head(_BINARY, 1 << 40) + bytes(4) + b"x" * 10_000,
            _frame(_TEXT, b"x" * (3 << 20)),
            _frame(_PING, b"x" * 126),
            _frame(_PING, b"x", fin=False),
            _frame(_PING, b"x" * 125) * 500,
            _frame(_PONG, b"x") * 500,
            _frame(_CLOSE, b"\x00"),
            _frame(_CLOSE, struct.pack(">H", 9999) + b"\xff"),
            _frame(_TEXT, b"\xc3\x28\xff"),
            _frame(_TEXT, text, reserved=0x70),
            _frame(15, b"x"),
            bytes([0x81, len(text) & 0x7F]) + text[:100],  # not masked
            _frame(_TEXT, text)[: random.randint(1, 20)],
            random.randbytes(200),
        ]
    )


@cache
def _bomb() -> bytes:
    """Returns 64 MB, compressed to 64 kB."""
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(bytes(64 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
    return packed.removesuffix(b"\0\0\xff\xff")


def _frame(kind: int, payload: bytes, fin: bool = True, reserved: int = 0) -> bytes:
    """Returns a frame of a client; the mask is zero."""
    return _head(kind, len(payload), fin, reserved) + bytes(4) + payload


def _head(kind: int, length: int, fin: bool = True, reserved: int = 0) -> bytes:
    first = bytes([(0x80 if fin else 0) | reserved | kind])
    if length < 126:
        return first + bytes([0x80 | length])
    return first + (struct.pack(">BH", 0xFE, length) if length < 1 << 16 else struct.pack(">BQ", 0xFF, length))


def _shake_hands(port: int, path: str, more: list[str] | None = None) -> tuple[socket.socket, int]:
    """Asks for a WebSocket; returns the connection and the status of the answer."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S)
    key = base64.b64encode(b"0123456789abcdef").decode()
    usual = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
    lines = [f"GET {path} HTTP/1.1", f"Host: localhost:{port}", *usual, *(more or [])]
    connection.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
    answer = b""
    while b"\r\n\r\n" not in answer and (data := connection.recv(1)):
        answer += data
    return connection, int(answer.split()[1]) if answer else 0


def _rss_mb(process: subprocess.Popen[str]) -> int:
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) // 1024
