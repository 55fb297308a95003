"""A program that plays its turns by the book, in Python: a small scheduler whose misbehaviour can be chosen.

usage: puppet.py BEHAVIOUR [--config=...] [...]
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from contextlib import suppress

NEVER = (1 << 63) - 1


class Turns:
    """Our end of the clock: quiet, then resumed."""

    def __init__(self) -> None:
        fd, now, *_ = os.environ["WAVETANK_TIME"].split(":")
        self._control = socket.socket(fileno=int(fd))
        self.now = int(now)

    def quiet(self, timer: int = NEVER) -> None:
        self._control.sendall(struct.pack("=qq", self.now, timer))
        told = self._control.recv(8, socket.MSG_WAITALL)
        if len(told) < 8:
            os._exit(97)
        self.now = max(self.now, *struct.unpack("=q", told))


class Client:
    """One connection to the API, which waits for an answer by being quiet."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(os.path.join(os.environ["WAVETANK_DOORS"], "127.87.0.1"))
        self._socket.setblocking(False)
        self._unread = b""

    def send(self, method: str, path: str, body: object = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: x",
            "Content-Type: application/json",
            f"Content-Length: {len(data)}",
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode() + data)

    def ask(self, method: str, path: str, body: object = None) -> int:
        self.send(method, path, body)
        while b"\r\n\r\n" not in self._unread:
            self._turns.quiet()
            self.read()
        status = int(self._unread.split(b" ", 2)[1])
        self._unread = b""
        return status

    def read(self) -> bytes:
        with suppress(BlockingIOError):
            self._unread += self._socket.recv(1 << 20)
        return self._unread

    def lines(self) -> list[dict[str, object]]:
        """Returns the events of a watch that have come; chunks are whole lines here."""
        self.read()
        whole, _, self._unread = self._unread.rpartition(b"\n")
        return [json.loads(line) for line in whole.splitlines() if line.startswith(b"{")]


def run(behaviour: str) -> None:
    turns = Turns()
    if behaviour == "exits":
        print("I do not like it here")
        sys.exit(4)
    if behaviour == "panics":
        print("starting\npanic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()", flush=True)
        sys.exit(2)
    watch, client = Client(turns), Client(turns)
    while behaviour == "asks for what is not there":
        client.ask("GET", "/apis/example.org/v1/things?watch=true")
        turns.quiet(turns.now + 10**9)
    if behaviour == "loses its lease":
        lose_lease(turns, client)
    while behaviour == "never syncs":
        turns.quiet(turns.now + 10**9)
    watch.send("GET", "/api/v1/pods?watch=true&resourceVersion=0")
    while True:
        pods = [line["object"] for line in watch.lines() if line["type"] == "ADDED"]
        for pod in pods:
            handle(pod, behaviour, client, turns)
        turns.quiet()


def lose_lease(turns: Turns, client: Client) -> None:
    """Renews a lease every two seconds, as client-go does, until another instance has taken it."""
    leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "puppet"}, "spec": {}}
    for holder in ("puppet", "another"):
        client.ask("POST", leases, {**lease, "spec": {"holderIdentity": holder}})
        turns.quiet(turns.now + 2 * 10**9)
    print("leader election lost", flush=True)
    sys.exit(1)


def handle(pod: dict[str, object], behaviour: str, client: Client, turns: Turns) -> None:
    metadata = pod["metadata"]
    print("pod", metadata["name"], flush=True)
    while behaviour == "loops":
        pass
    while behaviour == "connects forever":
        Client(turns)
    while behaviour == "asks forever":
        client.ask("GET", "/version")
    while behaviour == "sets timers forever":
        turns.quiet(turns.now + 1)
    if behaviour == "ignores pods":
        return
    if behaviour == "leaves":
        os._exit(0)
    node = "nowhere" if behaviour == "binds to nowhere" else "node-0"
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
        "target": {"kind": "Node", "name": node},
    }
    for _ in range(2 if behaviour == "binds twice" else 1):
        client.ask("POST", path, binding)


if __name__ == "__main__":
    run(sys.argv[1])
