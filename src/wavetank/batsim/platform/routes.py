"""Routes between the hosts of a SimGrid platform: zones with explicit routes, clusters, zones in zones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.network.link import Link
from wavetank.workloads.formats.batsim.hosts import cluster_names

_ZONES = ("zone", "AS")
_QUANTITY = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)\s*([A-Za-zµ]*)")
_BANDWIDTHS = {
    f"{prefix}{unit}": scale * size
    for prefix, scale in {
        "": 1,
        "k": 1e3,
        "K": 1e3,
        "M": 1e6,
        "G": 1e9,
        "T": 1e12,
        "Ki": 2**10,
        "Mi": 2**20,
        "Gi": 2**30,
    }.items()
    for unit, size in {"Bps": 1.0, "bps": 0.125}.items()
} | {"": 1.0}
_LATENCIES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}
_DEEPEST = 100  # zones in zones


@dataclass(eq=False)
class _Zone:
    """A zone: its own points (hosts and routers), the zones in it, and routes among both by their names."""

    name: str
    outer: _Zone | None
    depth: int
    routes: dict[tuple[str, str], tuple[Link, ...]] = field(default_factory=dict)
    zone_routes: dict[tuple[str, str], tuple[str, tuple[Link, ...], str]] = field(default_factory=dict)
    star: dict[str, tuple[Link, Link]] = field(default_factory=dict)  # of a cluster: up and down by host
    backbone: tuple[Link, ...] = ()
    router: str = ""

    def between(self, source: str, target: str) -> Sequence[Link] | None:
        """Returns the links between two points of this zone, or None."""
        if source == target:
            return self.routes.get((source, target), ())
        if self.star:
            up = (self.star[source][0],) if source in self.star else ()
            down = (self.star[target][1],) if target in self.star else ()
            return (*up, *self.backbone, *down)
        return self.routes.get((source, target))


class Routes:
    """Finds the links between two hosts."""

    def __init__(self, zone_of: dict[str, _Zone]) -> None:
        self._zone_of = zone_of
        self._found: dict[tuple[str, str], Sequence[Link] | None] = {}

    def between(self, source: str, target: str) -> Sequence[Link] | None:
        """Returns the links from one host to another in their order, or None if there is no route."""
        key = source, target
        if key not in self._found:
            self._found[key] = self._search(source, target, _DEEPEST)
        return self._found[key]

    def _search(self, source: str, target: str, most: int) -> Sequence[Link] | None:
        if source not in self._zone_of or target not in self._zone_of or not most:
            return None
        common, first, second = _meeting(self._zone_of[source], self._zone_of[target])
        if first is second:
            return common.between(source, target)
        joint = common.zone_routes.get((first.name, second.name))
        if joint is None:
            return None
        leaving, links, entering = joint
        begin, end = self._search(source, leaving, most - 1), self._search(entering, target, most - 1)
        return None if begin is None or end is None else (*begin, *links, *end)


def _meeting(first: _Zone, second: _Zone) -> tuple[_Zone, _Zone, _Zone]:
    """Returns the innermost zone around both, and its children that the two are in (or itself)."""
    below_first, below_second = first, second
    while first is not second:
        if first.depth >= second.depth and first.outer:
            below_first, first = first, first.outer
        elif second.outer:
            below_second, second = second, second.outer
        else:
            break
    if below_first is below_second:
        return first, first, first
    return first, below_first, below_second


def routes_of(root: Element) -> Routes | None:
    """Reads the links and routes of a platform; None if it has no links."""
    builder = _Builder(root)
    return Routes(builder.zone_of) if builder.links else None


class _Builder:
    """Reads zones from the outermost inwards; links are known everywhere by their ids."""

    def __init__(self, root: Element) -> None:
        self.links: dict[str, tuple[Link, Link]] = {}  # by id, one for each direction
        self.zone_of: dict[str, _Zone] = {}
        for element in root.iter("link"):
            self._link(element)
        for name, zone in self._zones(root):
            self._read(name, zone)

    def _link(self, element: Element) -> None:
        name = element.get("id", "")
        self.links[name] = _pair(
            name,
            _bandwidth(element.get("bandwidth", ""), f'link "{name:.60}".bandwidth'),
            _latency(element.get("latency", "0"), f'link "{name:.60}".latency'),
            element.get("sharing_policy", "SHARED"),
        )

    def _zones(self, root: Element) -> Iterator[tuple[Element, _Zone]]:
        waiting: list[tuple[Element, _Zone | None]] = [(element, None) for element in root if element.tag in _ZONES]
        while waiting:
            element, outer = waiting.pop()
            zone = _Zone(element.get("id", ""), outer, outer.depth + 1 if outer else 0)
            if zone.depth > _DEEPEST:
                raise InputError(f"zones are nested more than {_DEEPEST} deep")
            yield element, zone
            waiting += [(inner, zone) for inner in element if inner.tag in (*_ZONES, "cluster")]

    def _read(self, element: Element, zone: _Zone) -> None:
        if element.tag == "cluster":
            self._cluster(element, zone)
        for inner in element:
            if inner.tag in ("host", "router"):
                self.zone_of[inner.get("id", "")] = zone
            elif inner.tag == "route":
                self._route(inner, zone)
            elif inner.tag in ("zoneRoute", "ASroute"):
                self._zone_route(inner, zone)

    def _cluster(self, element: Element, zone: _Zone) -> None:
        if not element.get("bw"):
            return
        path = f'cluster "{zone.name:.60}"'
        bandwidth, latency = (
            _bandwidth(element.get("bw", ""), f"{path}.bw"),
            _latency(element.get("lat", "0"), f"{path}.lat"),
        )
        zone.router = f"{element.get('prefix', '')}{zone.name}_router{element.get('suffix', '')}"
        self.zone_of[zone.router] = zone
        for name in cluster_names(element):
            zone.star[name] = _pair(f"{name}_link", bandwidth, latency, element.get("sharing_policy", "SPLITDUPLEX"))
            self.zone_of[name] = zone
            self.links[f"{name}_link"] = zone.star[name]
        if element.get("bb_bw"):
            backbone = _bandwidth(element.get("bb_bw", ""), f"{path}.bb_bw")
            delay, policy = (
                _latency(element.get("bb_lat", "0"), f"{path}.bb_lat"),
                element.get("bb_sharing_policy", "SHARED"),
            )
            zone.backbone = (_pair(f"{zone.name}_backbone", backbone, delay, policy)[0],)

    def _route(self, element: Element, zone: _Zone) -> None:
        source, target = element.get("src", ""), element.get("dst", "")
        forth, back = self._directions(element)
        zone.routes[source, target] = forth
        if _symmetric(element):
            zone.routes.setdefault((target, source), back)

    def _zone_route(self, element: Element, zone: _Zone) -> None:
        source, target = element.get("src", ""), element.get("dst", "")
        leaving, entering = element.get("gw_src", ""), element.get("gw_dst", "")
        forth, back = self._directions(element)
        zone.zone_routes[source, target] = leaving, forth, entering
        if _symmetric(element):
            zone.zone_routes.setdefault((target, source), (entering, back, leaving))

    def _directions(self, element: Element) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
        forth: list[Link] = []
        back: list[Link] = []
        for part in element.findall("link_ctn"):
            name = part.get("id", "")
            if name not in self.links:
                raise InputError(f"there is no link {name!r:.60}", path=f"{element.tag}.link_ctn")
            up, down = self.links[name]
            there, here = (down, up) if part.get("direction") == "DOWN" else (up, down)
            forth.append(there)
            back.insert(0, here)
        return tuple(forth), tuple(back)


def _symmetric(element: Element) -> bool:
    return element.get("symmetrical", "YES").upper() not in ("NO", "FALSE", "0")


def _pair(name: str, bandwidth: float, latency: int, policy: str) -> tuple[Link, Link]:
    """Returns the link in either direction: two links if it is duplex, else one."""
    link = Link(name, bandwidth, latency, shared=policy != "FATPIPE")
    return (link, Link(name, bandwidth, latency)) if policy in ("SPLITDUPLEX", "FULLDUPLEX") else (link, link)


def _bandwidth(text: str, path: str) -> float:
    return _quantity(text, _BANDWIDTHS, path, "a bandwidth above 0 such as 125MBps")


def _latency(text: str, path: str) -> int:
    return round(_quantity(text, _LATENCIES, path, "a latency such as 50us", least=-1.0) * SECOND)


def _quantity(text: str, units: dict[str, float], path: str, expected: str, least: float = 0.0) -> float:
    match = _QUANTITY.fullmatch(text.strip())
    value = float(match[1]) * units[match[2]] if match and match[2] in units else math.nan
    if not least < value < 1e15:
        raise InputError(f"expected {expected}, got {text!r:.60}", path=path)
    return value
