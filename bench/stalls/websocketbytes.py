"""Bytes below the level of requests: pipelined HTTP, and frames of WebSockets."""

from __future__ import annotations

import socket
import struct
import threading
from functools import partial

from single import TOKEN

HEAD = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
CLOSE = "Connection: close\r\n"


def exchange(port: int, data: bytes, websocket: str = "") -> object:
    """Sends and reads at the same time; returns the status of the first answer, and the number of bytes read."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        read = bytearray()
        if websocket:
            sock.sendall(upgrade(websocket))
            read += sock.recv(1 << 16)
        sending = threading.Thread(target=partial(send_quietly, sock, data))
        sending.start()
        try:
            while part := sock.recv(1 << 16):
                read += part
        except OSError as error:
            return type(error).__name__
        finally:
            sending.join()
    return f"{bytes(read[9:12]).decode(errors='replace')} and {len(read):,} B"


def send_quietly(sock: socket.socket, data: bytes) -> None:
    try:
        sock.sendall(data)
    except OSError:
        return  # the server has closed the connection


def upgrade(path: str) -> bytes:
    keys = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return f"GET {path} HTTP/1.1\r\n{HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\n{keys}\r\n".encode()


def frame(kind: int, payload: bytes = b"", last: bool = True) -> bytes:
    """Returns a WebSocket frame of a client, masked with zeros."""
    size = len(payload)
    length = (
        bytes([0x80 | size])
        if size < 126
        else b"\xfe" + struct.pack(">H", size)
        if size < 1 << 16
        else b"\xff" + struct.pack(">Q", size)
    )
    return bytes([(0x80 if last else 0) | kind]) + length + bytes(4) + payload


TEXT, CONTINUED, END, PING = 1, 0, 8, 9
END_FRAME = frame(END, struct.pack(">H", 1000))
