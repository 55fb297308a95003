"""Messages between nodes: latency, and payloads over links."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from wavetank.microservices.engine.events import Event, EventQueue
from wavetank.microservices.model.rules import Rules
from wavetank.network.flows import Flow, FlowNetwork
from wavetank.network.link import Route

Arrived = Callable[[Any], None]


class Topology(Protocol):
    """The ways between the nodes of a cluster."""

    def latency(self, source: str, target: str, random: random.Random) -> float:
        """Draws the latency of one message from node `source` to node `target`, in seconds."""

    def route(self, source: str, target: str) -> Route:
        """Returns the links that a payload crosses from one node to another."""


class Transport:
    """Carries messages: the latency passes first, then the payload flows over its links."""

    def __init__(self, events: EventQueue, topology: Topology, rules: Rules, random: random.Random) -> None:
        self.network = FlowNetwork()
        self._events = events
        self._topology = topology
        self._span = rules.span
        self._random = random
        self._carried: dict[Flow, tuple[Arrived, object]] = {}
        self._planned: Event | None = None

    def carry(self, delay: float, way: tuple[str, str], size: int, arrived: Arrived, argument: object) -> None:
        """Calls `arrived(argument)` when `size` bytes have come from one node to the other.

        `delay` are seconds on top of the latency.
        """
        delay += self._topology.latency(*way, self._random)
        links = self._topology.route(*way) if size else ()
        if links:
            self._events.schedule(self._span(delay), self._send, (size, links, arrived, argument))
        else:
            self._events.schedule(self._span(delay), arrived, argument)

    def _send(self, message: tuple[int, Route, Arrived, object]) -> None:
        size, links, arrived, argument = message
        flow = self.network.send(self._events.now, size, links)
        self._carried[flow] = (arrived, argument)
        self._plan()

    def _plan(self) -> None:
        due = self.network.next_change
        if self._planned is not None:
            if self._planned[0] == due:
                return
            self._events.cancel(self._planned)
        self._planned = None if due is None else self._events.schedule(due - self._events.now, self._advance)

    def _advance(self, _: object) -> None:
        self._planned = None
        for flow in self.network.advance(self._events.now):
            arrived, argument = self._carried.pop(flow)
            self._events.schedule(0, arrived, argument)
        self._plan()
