"""Node ports of services: which are taken, and how a new or changed service gets its own."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import invalid
from wavetank.apiserver.strategies.strategy import Document

NODE_PORTS = range(30000, 32768)
_ANYWHERE = ("NodePort", "LoadBalancer")
_OUTSIDE = f"provided port is not in the valid range. The range of valid ports is {NODE_PORTS[0]}-{NODE_PORTS[-1]}"
_TAKEN = "provided port is already allocated"


class NodePorts:
    """The ports that one request reserves; `taken` are those of all services.

    As in the real server, a dry run accepts ports out of range, and chooses ports that mean nothing.
    """

    def __init__(self, taken: Iterable[int], *, dry_run: bool) -> None:
        self._taken = set(taken)
        self._dry_run = dry_run
        self._reserved: set[int] = set()

    def reserve(self, port: int) -> str:
        """Reserves a port; returns the problem, or an empty text."""
        if port not in NODE_PORTS and not self._dry_run:
            return _OUTSIDE
        if port in self._reserved or (port in self._taken and port in NODE_PORTS):
            return _TAKEN
        self._reserved.add(port)
        return ""

    def choose(self) -> int:
        """Reserves any free port."""
        if self._dry_run:
            port = max(self._reserved, default=NODE_PORTS.stop) + 1
        else:
            port = next(port for port in NODE_PORTS if port not in self._taken | self._reserved)
        self._reserved.add(port)
        return port


def assign_ports(service: Document, ports: NodePorts) -> None:
    """Gives a new service its node ports; entries for the same port share one."""
    spec = service["spec"]
    if spec.get("type") in _ANYWHERE:
        chosen: dict[int, int] = {}
        for index, entry in enumerate(spec.get("ports") or ()):
            if entry.get("nodePort") or _automatic(spec):
                _assign_port(service, index, ports, chosen)
    if needs_health_check(spec):
        _assign_health_check(spec, ports)


def reassign_ports(service: Document, before: Document, ports: NodePorts) -> None:
    """Gives a changed service the node ports that it lacks; `before` is its old spec."""
    spec = service["spec"]
    if spec.get("type") in _ANYWHERE:
        known, seen = node_ports(before), set[tuple[str, int]]()
        for index, entry in enumerate(spec.get("ports") or ()):
            wanted = entry.get("nodePort") or 0
            if not wanted and not _automatic(spec):
                continue
            if not wanted:
                entry["nodePort"] = ports.choose()
            elif wanted not in known:
                _reserve(service, index, wanted, ports)
                known.add(wanted)
            _check_repeated(entry, seen)
    if needs_health_check(spec) and not needs_health_check(before):
        _assign_health_check(spec, ports)


def node_ports(spec: Document) -> set[int]:
    """Returns the node ports in a service's spec."""
    return {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}


def needs_health_check(spec: Document) -> bool:
    """Says whether load balancers check the nodes of a service on a port of its own."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _automatic(spec: Document) -> bool:
    return bool(spec["type"] == "NodePort" or spec.get("allocateLoadBalancerNodePorts", True))


def _assign_port(service: Document, index: int, ports: NodePorts, chosen: dict[int, int]) -> None:
    entries = service["spec"]["ports"]
    entry, number = entries[index], entries[index].get("port", 0)
    if number not in chosen:
        wanted = _asked_for(number, entries)
        if wanted:
            _reserve(service, index, wanted, ports)
        entry["nodePort"] = chosen[number] = wanted or ports.choose()
    elif not entry.get("nodePort"):
        entry["nodePort"] = chosen[number]
    elif entry["nodePort"] != chosen[number]:
        _reserve(service, index, entry["nodePort"], ports)


def _asked_for(number: int, entries: list[Document]) -> int:
    """Returns the node port that an entry for the same port asks for, or 0."""
    return next((each["nodePort"] for each in entries if each.get("port", 0) == number and each.get("nodePort")), 0)


def _reserve(service: Document, index: int, port: int, ports: NodePorts) -> None:
    problem = ports.reserve(port)
    if problem:
        mistake = invalid(f"spec.ports[{index}].nodePort", port, problem)
        raise errors.invalid("Service", service["metadata"].get("name", ""), [mistake])


def _assign_health_check(spec: Document, ports: NodePorts) -> None:
    wanted = spec.get("healthCheckNodePort")
    problem = ports.reserve(wanted) if wanted else ""
    if problem:
        raise errors.internal(f"failed to allocate requested HealthCheck NodePort {wanted}: {problem}")
    spec["healthCheckNodePort"] = wanted or ports.choose()


def _check_repeated(entry: Document, seen: set[tuple[str, int]]) -> None:
    pair = entry.get("protocol") or "", entry["nodePort"]
    if pair in seen:
        raise errors.plain(f"duplicate nodePort: {{{pair[0]} {pair[1]}}}")
    seen.add(pair)
