from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from wavetank.apiserver.webhooks.calls import Endpoint, failed_post, timed_out, unreachable
from wavetank.kernel.clock import Clock
from wavetank.loop.turns.participant import Participant
from wavetank.loop.webhooks.exchange import ClosedError, Exchange

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MOST_TURNS = 10_000  # for one call


@dataclass
class _Port:
    """A port on which a program listens, and the connections to it that are free."""

    participant: Participant
    path: Path
    tls: bool = False
    idle: list[Exchange] = field(default_factory=list)


class LockstepWebhooks:
    """Calls webhooks of programs in lockstep: the program gets turns at this instant until it has answered.

    Its other requests wait for their own turn, unless it needs them for its answer. A webhook that waits for time to
    pass, or for another program, has timed out: no time passes during a call. `wake` requests a turn for what else the
    program has done. Ports can be called once all programs have started (`open`).
    """

    def __init__(self, clock: Clock, wake: Callable[[], None]) -> None:
        self._clock = clock
        self._wake = wake
        self._programs: list[tuple[Participant, Path, Mapping[str, int]]] = []
        self._ports: dict[Path, _Port] = {}
        self._open = False

    def add(self, participant: Participant, folder: Path, services: Mapping[str, int]) -> None:
        """Adds a program, with the Services whose webhooks it serves and the ports on which it listens."""
        self._programs.append((participant, folder, services))

    def open(self) -> None:
        """Allows calls: all programs are in lockstep now."""
        self._open = True

    def reaches(self, endpoint: Endpoint) -> bool:
        """Tells whether a program of the run serves it."""
        return self._find(endpoint) is not None

    def post(self, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Calls a webhook; CallError if no program serves it or it does not answer at this instant."""
        port = self._find(endpoint)
        if port is None:
            raise unreachable(endpoint)
        if not self._open or not port.path.exists():
            raise failed_post(endpoint, "dial tcp: connect: connection refused")
        try:
            return self._exchange(port, endpoint, body)
        finally:
            self._wake()

    def _find(self, endpoint: Endpoint) -> _Port | None:
        host = urlsplit(endpoint.url).hostname
        for participant, folder, services in self._programs:
            number = services.get(endpoint.service)
            if number is None and not endpoint.service and host in _LOOPBACK:
                number = endpoint.port if (folder / f"port-{endpoint.port}").exists() else None
            if number is not None:
                path = folder / f"port-{number}"
                return self._ports.setdefault(path, _Port(participant, path))
        return None

    def _exchange(self, port: _Port, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Makes one call, on a free connection; again on a new one if that was closed, or if TLS is spoken there."""
        for exchange in (*port.idle[-1:], None, None):
            if exchange is not None:
                port.idle.pop()
            used = exchange or Exchange(str(port.path), port.tls)
            try:
                answer = self._run(port, used, endpoint, body)
            except ClosedError:
                port.tls = port.tls or used.wants_tls
                used.close()
                continue
            port.idle.append(used) if used.keeps else used.close()
            return answer
        raise failed_post(endpoint, "EOF")

    def _run(self, port: _Port, exchange: Exchange, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Gives the program turns until it has answered."""
        exchange.send(endpoint.path, urlsplit(endpoint.url).netloc, body)
        for _ in range(_MOST_TURNS):
            proceeds = exchange.flush()
            port.participant.run_alone(self._clock.now)
            proceeds = exchange.read() or proceeds
            if exchange.done:
                return exchange.status, exchange.body
            if not proceeds and not port.participant.serve_alone(self._clock.now):
                break
        exchange.close()
        raise timed_out(endpoint)

    def close(self) -> None:
        """Closes all connections."""
        for port in self._ports.values():
            for exchange in port.idle:
                exchange.close()
