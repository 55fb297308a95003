"""The hosts of a SimGrid platform, as Batsim reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile

MASTER_HOST = "master_host"  # Batsim's default name of the host that it runs on itself
COMPUTE_NODE, MASTER, STORAGE = ROLES = ("compute_node", "master", "storage")

_LONGEST_NAME = 253
_VERSIONS = ("4", "4.1")
_SPEED = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)(?:([kMGTPE]?)(?:f|flops))?")
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class Host(NamedTuple):
    """A host as it is written: `speed` may list several power states; `zone_properties` are those of its zones."""

    name: str
    speed: str
    cores: str
    properties: Mapping[str, str]
    zone_properties: Mapping[str, str]
    pstate: str = "0"

    @property
    def path(self) -> str:
        """Returns its place in the file, for errors."""
        return f'host "{self.name:.60}"'

    def speeds(self) -> tuple[float, ...]:
        """Returns the speed of a core in flop/s in each power state."""
        return tuple(parse_speed(speed.strip()) for speed in self.speed.split(","))

    def role(self, master: str = MASTER_HOST) -> str:
        """Returns one of ROLES; the host named `master` is the master whatever it says."""
        role = self.properties.get("role") or COMPUTE_NODE
        if role not in ROLES:
            raise InputError(f"unknown role {role!r:.60}: expected one of {', '.join(ROLES)}", path=self.path)
        return MASTER if self.name == master else role


def parse_platform(file: InputFile) -> ElementTree.Element:
    """Reads the XML of a platform of version 4 or 4.1."""
    text = file.text
    if "<!ENTITY" in text:  # entities can make a small file explode, and no platform needs them
        raise InputError("entity declarations are not accepted")
    try:
        root = ElementTree.fromstring(text.strip())  # Batsim's own examples begin with an empty line
    except ElementTree.ParseError as error:
        raise InputError(f"not valid XML: {error}") from None
    version = root.get("version")
    if root.tag != "platform" or version not in _VERSIONS:
        expected = " or ".join(_VERSIONS)
        raise InputError(
            f"expected a <platform> of version {expected}, got <{root.tag:.60}> of version {version!r:.60}"
        )
    return root


def hosts_of(root: ElementTree.Element) -> list[Host]:
    """Returns all hosts in the order of Batsim's ids: by name, numbers in names by their value."""
    return sorted(_hosts(root), key=lambda host: _numeric(host.name))


def _hosts(root: ElementTree.Element) -> Iterator[Host]:
    zones: list[tuple[ElementTree.Element, Mapping[str, str]]] = [(root, {})]
    while zones:
        zone, outer = zones.pop()
        inner = {**outer, **properties_of(zone)}
        for element in zone:
            if element.tag in ("host", "peer"):
                yield _host(element, element.get("id", ""), inner)
            elif element.tag in ("cluster", "cabinet"):
                yield from (_host(element, name, inner) for name in cluster_names(element))
            else:
                zones.append((element, inner))


def properties_of(element: ElementTree.Element) -> dict[str, str]:
    """Returns the <prop> of an element."""
    return {prop.get("id", ""): prop.get("value", "") for prop in element.findall("prop")}


def cluster_names(element: ElementTree.Element) -> Iterator[str]:
    """Yields the names of the hosts of a <cluster>."""
    for number in _radical(element):
        yield f"{element.get('prefix', '')}{number}{element.get('suffix', '')}"


def _host(element: ElementTree.Element, name: str, zone_properties: Mapping[str, str]) -> Host:
    if not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(f"expected a name of 1 to {_LONGEST_NAME} characters, got {name!r:.60}", path=element.tag)
    speed, cores, pstate = element.get("speed", ""), element.get("core", "1"), element.get("pstate", "0")
    return Host(name, speed, cores, properties_of(element), zone_properties, pstate)


def _radical(cluster: ElementTree.Element) -> Iterator[int]:
    path = f'cluster "{cluster.get("id", "")}".radical'
    for part in cluster.get("radical", "").split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise InputError(f'expected numbers such as "0-15,20", got {part!r:.60}', path=path)
        first, last = int(match[1]), int(match[2] or match[1])
        if last - first >= fields.MOST_OBJECTS:
            raise InputError(f"expected at most {fields.MOST_OBJECTS} hosts, got {part!r}", path=path)
        yield from range(first, last + 1)


def _numeric(name: str) -> list[tuple[int, int]]:
    """Returns a key that sorts as Batsim does: numbers by value, everything else by character."""
    parts = re.findall(r"[0-9]+|[^0-9]", name)
    # no other character lies between the digits, so any digit's code places a number among characters
    return [(ord("0"), int(part)) if part[0] in "0123456789" else (ord(part), 0) for part in parts]


def parse_speed(text: str) -> float:
    """Reads a speed in flop/s: 100Mf, 16.673E9f."""
    match = _SPEED.fullmatch(text)
    speed = float(match[1]) * _SCALES[match[2] or ""] if match else 0.0
    if not 0 < speed < math.inf:
        raise InputError(f"expected a speed above 0 such as 100Mf or 16.673E9f, got {text!r:.60}", path="speed")
    return speed
