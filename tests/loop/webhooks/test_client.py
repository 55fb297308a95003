"""Webhooks of programs in the loop: found by Service or URL, called over plain HTTP or TLS, at one instant."""

from __future__ import annotations

import socketserver
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

import pytest

from wavetank.apiserver.http.tls import Authority
from wavetank.apiserver.webhooks.calls import CallError, endpoint_of
from wavetank.kernel.clock import Clock
from wavetank.loop.turns.participant import Participant
from wavetank.loop.webhooks.client import LockstepWebhooks

SERVICE = {"service": {"namespace": "mine", "name": "hooks", "path": "/h"}}
SERVICES = {"mine/hooks": 9443}


class Program:
    """Stands for a program: a thread that answers; `answers` is false for one that waits for something else."""

    def __init__(self, answers: bool = True) -> None:
        self._answers = answers

    def run_alone(self, now: int) -> None:
        time.sleep(0.002)  # the thread has its own time

    def serve_alone(self, now: int) -> bool:
        return self._answers


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return ""

    def log_message(self, *_: Any) -> None:
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    context: ssl.SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.context is not None:
            if request.recv(1, 2) != b"\x16":  # MSG_PEEK: not the start of TLS
                request.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
                return
            with self.context.wrap_socket(request, server_side=True) as secure:
                Handler(secure, ("", 0), self)  # type: ignore[arg-type]
            return
        Handler(request, ("", 0), self)  # type: ignore[arg-type]


@contextmanager
def listening(folder: Path, certificate: Any = None) -> Iterator[None]:
    server = Server(str(folder / "port-9443"), Handler)
    if certificate is not None:
        server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.context.load_cert_chain(certificate.certificate, certificate.key)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def webhooks(folder: Path, program: Program | None = None) -> tuple[LockstepWebhooks, list[str]]:
    woken: list[str] = []
    client = LockstepWebhooks(Clock(), lambda: woken.append("woken"))
    client.add(cast(Participant, program or Program()), folder, SERVICES)
    client.open()
    return client, woken


@pytest.mark.parametrize("config", [SERVICE, {"url": "https://127.0.0.1:9443/h"}], ids=["a Service", "a URL"])
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_webhook_is_called(tmp_path: Path, config: dict[str, Any], tls: bool) -> None:
    certificate = Authority().issue(tmp_path) if tls else None
    with listening(tmp_path, certificate):
        client, woken = webhooks(tmp_path)
        for number in range(3):
            body = b"%d" % number * 100_000
            assert client.post(endpoint_of(config, 10), body) == (200, body)
        client.close()
    assert woken == ["woken"] * 3


def test_one_that_waits_for_time_to_pass_has_timed_out(tmp_path: Path) -> None:
    with listening(tmp_path):
        client, _ = webhooks(tmp_path, Program(answers=False))
        (tmp_path / "port-9443").rename(tmp_path / "gone")
        silent = socketserver.UnixStreamServer(str(tmp_path / "port-9443"), Handler)  # accepts, and never answers
        with pytest.raises(CallError, match="context deadline exceeded"):
            client.post(endpoint_of(SERVICE, 10), b"{}")
        silent.server_close()


@pytest.mark.parametrize(
    ("config", "reached"),
    [
        (SERVICE, True),
        ({"service": {"namespace": "mine", "name": "other"}}, False),
        ({"url": "https://127.0.0.1:9444/h"}, False),
        ({"url": "https://example.com/h"}, False),
    ],
)
def test_only_programs_of_the_run_are_reached(tmp_path: Path, config: dict[str, Any], reached: bool) -> None:
    client, _ = webhooks(tmp_path)
    assert client.reaches(endpoint_of(config, 10)) is reached


def test_a_program_that_does_not_listen_refuses_the_connection(tmp_path: Path) -> None:
    client, _ = webhooks(tmp_path)
    with pytest.raises(CallError, match="connection refused"):
        client.post(endpoint_of(SERVICE, 10), b"{}")
