"""An HTTP connection to a program's port, written and read piece by piece while the program takes its turns."""

from __future__ import annotations

import socket
import ssl

import httptools

from wavetank.apiserver.webhooks.calls import encode_post

_READ = 1 << 20
_PLAIN_TO_TLS = b"Client sent an HTTP request to an HTTPS server"


class ClosedError(Exception):
    """The program has closed the connection before its answer was complete."""


class Exchange:
    """A connection from the simulator to a program; it never blocks.

    TLS is spoken without checking certificates: the program is one of the run, and its clock is not ours.
    """

    def __init__(self, path: str, tls: bool) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._socket.setblocking(False)
        self._received, self._sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = _unchecked().wrap_bio(self._received, self._sent) if tls else None
        self._waiting = b""  # not yet encrypted
        self._unsent = bytearray()
        self._begin()

    def _begin(self) -> None:
        self.status = 0
        self.body = b""
        self.done = False
        self.keeps = True
        self._parser = httptools.HttpResponseParser(self)

    def send(self, path: str, host: str, body: bytes) -> None:
        """Starts a POST of JSON."""
        self._begin()
        self._waiting += encode_post(path, host, body)

    def flush(self) -> bool:
        """Sends as much as the socket accepts; True if anything was sent."""
        self._encrypt()
        if not self._unsent:
            return False
        try:
            sent = self._socket.send(self._unsent)
        except BlockingIOError:
            return False
        except OSError:
            raise ClosedError from None
        del self._unsent[:sent]
        return sent > 0

    def _encrypt(self) -> None:
        if self._tls is None:
            self._unsent += self._waiting
            self._waiting = b""
            return
        try:
            self._tls.do_handshake()
            while self._waiting:
                self._waiting = self._waiting[self._tls.write(self._waiting) :]
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            raise ClosedError from None
        self._unsent += self._sent.read()

    def read(self) -> bool:
        """Reads what has arrived; True if anything has. ClosedError at the end of the connection."""
        try:
            data = self._socket.recv(_READ)
        except BlockingIOError:
            return False
        except OSError:
            raise ClosedError from None
        if not data:
            raise ClosedError
        self._feed(data)
        return True

    def _feed(self, data: bytes) -> None:
        if self._tls is not None:
            self._received.write(data)
            data = self._decrypt()
        if data:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserError:
                raise ClosedError from None

    def _decrypt(self) -> bytes:
        assert self._tls is not None
        plain = b""
        try:
            self._tls.do_handshake()
            while piece := self._tls.read(_READ):
                plain += piece
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            raise ClosedError from None
        return plain

    @property
    def wants_tls(self) -> bool:
        """Tells whether the program has answered that it speaks TLS only, and closed the connection."""
        return _PLAIN_TO_TLS in self.body

    # callbacks of the parser

    def on_body(self, body: bytes) -> None:
        """Receives a part of the body."""
        self.body += body

    def on_message_complete(self) -> None:
        """Notes that the answer is complete."""
        self.status = self._parser.get_status_code()
        self.keeps = self._parser.should_keep_alive()
        self.done = True

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()


def _unchecked() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
