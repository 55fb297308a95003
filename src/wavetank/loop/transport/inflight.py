"""Bytes that the kernel has accepted at one end of a TCP connection and not yet delivered to the other.

On a busy machine they can be on their way for milliseconds. Linux tells of the other end's socket through netlink
(sock_diag), which takes some microseconds per connection.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address

from wavetank.loop.transport.connection import Address, Connection, Ends
from wavetank.loop.transport.listener import Listener

_SOCK_DIAG, _BY_FAMILY, _REQUEST, _DUMP, _ERROR, _DONE = 4, 20, 0x1, 0x301, 2, 3
_INFO = 2  # attribute with the struct tcp_info
_RECEIVED = 128  # place of tcpi_bytes_received in it
_ESTABLISHED, _SYN_SENT = 1, 2
_OPEN = 1 << _ESTABLISHED | 1 << _SYN_SENT
_HEAD = struct.Struct("=IHHII")
_QUERY = struct.Struct("=BBBxI")
_ENDS = struct.Struct("!HH16s16s")
_QUEUES = struct.Struct("=II")
_MESSAGE = 72  # bytes of an answer, before its attributes
_ANSWER = 1 << 16


@dataclass(frozen=True)
class _Peer:
    """The other end's socket: its state, bytes that it has not read, not had acknowledged, and ever received."""

    state: int
    unread: int
    unacknowledged: int
    received: int


class InFlight:
    """Tells whether anything is on its way between listeners of this process and the programs that use them."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG)
        self._counters = os.open("/proc/self/net/snmp", os.O_RDONLY)
        self._opened = -1  # connections of this machine when all of them had last arrived

    def close(self) -> None:
        """Closes its files."""
        self._netlink.close()
        os.close(self._counters)

    def any(self) -> bool:
        """Tells whether a connection, the end of one, or bytes of one have not arrived yet."""
        return self._connecting() or any(
            self._closing(listener) or any(map(self._sends, listener)) for listener in self._listeners
        )

    def _connecting(self) -> bool:
        """Tells whether a connection to a listener is not accepted; looks only if any was opened on this machine."""
        opened = self._count_opened()
        for listener in self._listeners:
            listener.accept()
        if opened == self._opened:
            return False
        ports = {listener.socket.getsockname()[1] for listener in self._listeners}
        known = {connection.ends[1] for listener in self._listeners for connection in listener if connection.ends}
        if any(peer not in known for port in ports for peer in self._clients(port)):
            return True
        self._opened = opened
        return False

    def _count_opened(self) -> int:
        names, values = (
            line.split() for line in os.pread(self._counters, 1 << 14, 0).splitlines() if line[:4] == b"Tcp:"
        )
        return int(values[names.index(b"ActiveOpens")])

    def _closing(self, listener: Listener) -> bool:
        """Tells whether a client has not noticed yet that its connection was closed."""
        for ends in listener.closed:
            peer = self._peer(ends)
            if peer is not None and peer.state == _ESTABLISHED:
                return True
        listener.closed.clear()
        return False

    def _sends(self, connection: Connection) -> bool:
        """Tells whether bytes of a connection are in flight, without which its reader would have nothing to read."""
        peer = self._peer(connection.ends) if connection.ends else None
        if peer is None:
            return False
        if peer.state == _ESTABLISHED and peer.received < connection.sent and not peer.unread:
            return True
        if not peer.unacknowledged or _unread(connection):
            return False
        connection.acknowledge()
        peer = self._peer(connection.ends) if connection.ends else None
        return peer is not None and peer.unacknowledged > 0 and not _unread(connection)

    def _peer(self, ends: Ends) -> _Peer | None:
        """Returns the other end of a connection; None if it is gone."""
        own, peer = ends
        asked = _ENDS.pack(peer[1], own[1], _packed(peer), _packed(own))
        self._ask(_REQUEST, socket.AF_INET, asked, 0xFFFF_FFFF, 1 << _INFO - 1)
        answer = self._netlink.recv(_ANSWER)
        if _HEAD.unpack_from(answer)[1] == _ERROR:
            return None
        unread, unacknowledged = _QUEUES.unpack_from(answer, _HEAD.size + 56)
        return _Peer(answer[_HEAD.size + 1], unread, unacknowledged, _received(answer))

    def _clients(self, port: int) -> Iterator[Address]:
        """Returns the ends of connections to a port of this machine that exist or are being made."""
        for family in (socket.AF_INET, socket.AF_INET6):
            self._ask(_DUMP, family, _ENDS.pack(0, port, bytes(16), bytes(16)), _OPEN, 0)
            yield from [peer for peer, there in self._dumped() if there == port]

    def _dumped(self) -> list[tuple[Address, int]]:
        found: list[tuple[Address, int]] = []
        while True:
            answer, place = self._netlink.recv(_ANSWER), 0
            while place < len(answer):
                length, kind = _HEAD.unpack_from(answer, place)[:2]
                if kind in (_DONE, _ERROR):
                    return found
                own, there, source, _ = _ENDS.unpack_from(answer, place + _HEAD.size + 4)
                found.append(((_host(source, answer[place + _HEAD.size]), own), there))
                place += length + 3 & ~3

    def _ask(self, flags: int, family: int, ends: bytes, states: int, attributes: int) -> None:
        body = _QUERY.pack(family, socket.IPPROTO_TCP, attributes, states) + ends + bytes(4) + b"\xff" * 8
        self._netlink.send(_HEAD.pack(_HEAD.size + len(body), _BY_FAMILY, flags, 1, 0) + body)


def _received(answer: bytes) -> int:
    place = _HEAD.size + _MESSAGE
    while place < len(answer):
        length, kind = struct.unpack_from("=HH", answer, place)
        if kind == _INFO:
            return int(struct.unpack_from("=Q", answer, place + 4 + _RECEIVED)[0])
        place += length + 3 & ~3
    return 1 << 62  # a kernel that does not tell


def _packed(address: Address) -> bytes:
    return socket.inet_aton(address[0])


def _host(packed: bytes, family: int) -> str:
    if family == socket.AF_INET:
        return socket.inet_ntoa(packed[:4])
    address = IPv6Address(packed)
    return str(address.ipv4_mapped or address)


def _unread(connection: Connection) -> int:
    return int(struct.unpack("=i", fcntl.ioctl(connection.fileno(), termios.FIONREAD, bytes(4)))[0])
