"""Clients that load a server: wrk, and sockets of our own where wrk is not installed or cannot do it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
import threading
import time

WRK = shutil.which("wrk")
CONNECTIONS = 8
RUN_UP_S = 1.0  # the first events of a watch, and a moment to get going


def wrk(port: int, token: str, path: str, seconds: float) -> float:
    """Returns requests per second of a GET."""
    url = f"http://127.0.0.1:{port}{path}"
    load = ["-t1", f"-c{CONNECTIONS}", f"-d{round(seconds)}s"]
    command = [WRK or "wrk", *load, "-H", f"Authorization: Bearer {token}", url]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "Non-2xx" not in done.stdout, done.stdout
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    return float(found[1])


def requests(port: int, token: str, method: str, path: str, body: object, seconds: float) -> float:
    """Returns requests per second; a %d in the body is a number that is never the same."""
    return asyncio.run(_requests(port, token, method, path, body, seconds))


async def _requests(port: int, token: str, method: str, path: str, body: object, seconds: float) -> float:
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    text = json.dumps(body) if body is not None else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    begun = time.perf_counter()
    counts = [_client(port, head, kind, text, begun + seconds, i) for i in range(CONNECTIONS)]
    return sum(await asyncio.gather(*counts)) / (time.perf_counter() - begun)


async def _client(port: int, head: str, kind: str, text: str, until: float, number: int) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    while time.perf_counter() < until:
        body = text.replace("%d", str(count * CONNECTIONS + number)).encode()
        writer.write(f"{head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 20"), answer
        length = re.search(rb"content-length: (\d+)", answer)
        assert length, answer
        await reader.readexactly(int(length[1]))
        count += 1
    writer.close()
    return count


def watch(port: int, token: str, path: str, seconds: float, watchers: int) -> list[float]:
    """Returns events per second of each watcher."""
    rates: list[float] = []
    threads = [threading.Thread(target=_watch, args=(port, token, path, seconds, rates)) for _ in range(watchers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rates) == watchers, "a watcher was dropped"
    return rates


def _watch(port: int, token: str, path: str, seconds: float, rates: list[float]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
        connection.sendall(request.encode())
        _count(connection, RUN_UP_S)
        begun = time.perf_counter()
        events = _count(connection, seconds)
        rates.append(events / (time.perf_counter() - begun))


def _count(connection: socket.socket, seconds: float) -> int:
    events, until = 0, time.perf_counter() + seconds
    while time.perf_counter() < until:
        received = connection.recv(1 << 20)
        assert received, "the server has closed the connection"
        events += received.count(b'{"type":"')
    return events
