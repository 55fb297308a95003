"""Batsim's external events: machines that become unavailable for a while, one JSON object per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import CORDON, UNCORDON, Fault
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.platform import BATSIM_ID
from wavetank.workloads.inputfile import InputFile, on_line

_ACTIONS = {"machine_unavailable": CORDON, "machine_available": UNCORDON}
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class Event(NamedTuple):
    """Machines, by Batsim's ids, that take no more jobs (cordon) or take them again (uncordon); jobs go on."""

    time: Nanoseconds
    action: str
    resources: tuple[int, ...]


def read_events(path: Path, lenient: bool = False) -> tuple[Event, ...]:
    """Reads a file of external events, in the order of time; other events than the two of machines are refused."""
    file = InputFile.read(path, lenient=lenient)
    return tuple(sorted(_events(file), key=lambda event: event.time))


def faults_of(events: tuple[Event, ...], cluster: Cluster, source: str = "") -> tuple[Fault, ...]:
    """Turns events into faults of the cluster's nodes: by their Batsim id, else by their order."""
    nodes = [manifest for manifest in cluster.manifests if manifest.get("kind") == Node.kind]
    names = {_batsim_id(node, i): str(node["metadata"]["name"]) for i, node in enumerate(nodes)}
    faults = []
    for event in events:
        for resource in event.resources:
            if resource not in names:
                raise InputError(f"there is no machine {resource}: the cluster has {len(names)}", source=source)
            faults.append(Fault(event.time, event.action, names[resource]))
    return tuple(faults)


def _batsim_id(node: Manifest, order: int) -> int:
    stated = (node.get("metadata", {}).get("annotations") or {}).get(BATSIM_ID, "")
    return int(stated) if re.fullmatch(r"\d{1,9}", str(stated)) else order


def _events(file: InputFile) -> Iterator[Event]:
    for number, line in enumerate(file.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _event(line)
        except InputError as error:
            file.skip(on_line(error, number), "event that cannot be used")


def _event(line: str) -> Event:
    try:
        event = fields.mapping(msgspec.json.decode(line), "")
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}") from None
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise InputError(f"expected one of {', '.join(_ACTIONS)}, got {kind!r:.60}", path="type")
    resources = tuple(_resources(fields.text(event.get("resources"), "resources")))
    return Event(fields.duration(event.get("timestamp"), "timestamp"), _ACTIONS[kind], resources)


def _resources(text: str) -> Iterator[int]:
    for part in text.split():
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + fields.MOST_OBJECTS:
            raise InputError(f'expected ids such as "0-4 6", got {text!r:.60}', path="resources")
        yield from range(first, last + 1)
