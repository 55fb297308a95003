"""SimGrid platforms as Batsim reads them, of which the hosts become nodes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.objects.node import SPEED
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest

BATSIM_ID = "wavetank.dev/batsim-id"  # annotation: the host's number in Batsim's protocol and results
DEFAULT_MEMORY = "4Gi"  # of a host without a `memory` property: SimGrid itself knows no memory

_LONGEST_NAME = 253
_MASTER = "master_host"
_ROLES = ("compute_node", "master", "storage")
_VERSIONS = ("4", "4.1")
_SPEED = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)(?:([kMGTPE]?)(?:f|flops))?")
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class _Host(NamedTuple):
    name: str
    speed: str
    cores: str
    properties: Mapping[str, str]


def is_platform(file: InputFile) -> bool:
    """Tells whether a file looks like XML, of which platforms are the only kind that is read."""
    return file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def read_platform(file: InputFile) -> list[Manifest]:
    """Makes a node of each compute host, in the order of Batsim's resource ids.

    Cores and memory are the host's properties `core` and `memory`, else its attribute `core` (1) and 4Gi; the
    speed of a core in flop/s, in the first of several states, and the id become annotations. Hosts of role
    master or storage, and `master_host`, are left out. A node is named like its host, in lower case.
    """
    try:
        hosts = [host for host in _hosts(_parse(file.text)) if _computes(host)]
        hosts.sort(key=lambda host: _numeric(host.name))
        return [_node(host, i) for i, host in enumerate(hosts)]
    except InputError as error:
        raise error.inside(source=file.source) from None


def _parse(text: str) -> ElementTree.Element:
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


def _hosts(root: ElementTree.Element) -> Iterator[_Host]:
    for element in root.iter():
        if element.tag in ("host", "peer"):
            yield _host(element, element.get("id", ""))
        elif element.tag in ("cluster", "cabinet"):
            for number in _radical(element):
                yield _host(element, f"{element.get('prefix', '')}{number}{element.get('suffix', '')}")


def _host(element: ElementTree.Element, name: str) -> _Host:
    if not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(f"expected a name of 1 to {_LONGEST_NAME} characters, got {name!r:.60}", path=element.tag)
    properties = {prop.get("id", ""): prop.get("value", "") for prop in element.findall("prop")}
    return _Host(name, element.get("speed", ""), element.get("core", "1"), properties)


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


def _computes(host: _Host) -> bool:
    role = host.properties.get("role") or "compute_node"
    if role not in _ROLES:
        raise InputError(f"unknown role {role!r:.60}: expected one of {', '.join(_ROLES)}", path=_at(host))
    return role == "compute_node" and host.name != _MASTER


def _numeric(name: str) -> list[tuple[int, int]]:
    """Returns a key that sorts as Batsim does: numbers by value, everything else by character."""
    parts = re.findall(r"[0-9]+|[^0-9]", name)
    # no other character lies between the digits, so any digit's code places a number among characters
    return [(ord("0"), int(part)) if part[0] in "0123456789" else (ord(part), 0) for part in parts]


def _node(host: _Host, number: int) -> Manifest:
    properties = host.properties
    capacity = {CPU: properties.get("core", host.cores), MEMORY: properties.get("memory", DEFAULT_MEMORY)}
    try:
        name = read_node_name(re.sub(r"[^a-z0-9.-]", "-", host.name.lower()))
        amounts = fields.amounts(capacity, "") | {PODS: MOST_PODS}
        annotations = {BATSIM_ID: str(number), SPEED: repr(_speed(host.speed))}
    except InputError as error:
        raise error.inside(path=_at(host)) from None
    return node_manifest(name, {}, format_amounts(amounts), annotations=annotations)


def _speed(states: str) -> float:
    first = states.split(",")[0].strip()
    match = _SPEED.fullmatch(first)
    speed = float(match[1]) * _SCALES[match[2] or ""] if match else 0.0
    if not 0 < speed < math.inf:
        raise InputError(f"expected a speed above 0 such as 100Mf or 16.673E9f, got {first!r:.60}", path="speed")
    return speed


def _at(host: _Host) -> str:
    return f'host "{host.name:.60}"'
