"""Batsim's external events: machines that become unavailable for a while, one JSON object per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import CORDON, UNCORDON, Fault
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.intervals import parse_intervals
from wavetank.workloads.formats.batsim.platform import BATSIM_ID
from wavetank.workloads.inputfile import InputFile, on_line

MACHINE_EVENTS = {"machine_unavailable": CORDON, "machine_available": UNCORDON}

Timed = TypeVar("Timed", "Event", "ExternalEvent")


class Event(NamedTuple):
    """Machines, by Batsim's ids, that take no more jobs (cordon) or take them again (uncordon); jobs go on."""

    time: Nanoseconds
    action: str
    resources: tuple[int, ...]


class ExternalEvent(NamedTuple):
    """A line of a file of external events, as it is written."""

    time: Nanoseconds
    kind: str
    data: Mapping[str, Any]


def read_events(path: Path, lenient: bool = False) -> tuple[Event, ...]:
    """Reads a file of external events, in the order of time; other events than the two of machines are refused."""
    return _read(path, lenient, _machine_event)


def read_external_events(path: Path) -> tuple[ExternalEvent, ...]:
    """Reads a file of external events of any type, in the order of time."""
    return _read(path, False, lambda event: event)


def machines_of(event: ExternalEvent) -> tuple[int, ...]:
    """Returns Batsim's ids of the machines that become available or unavailable; none with other events."""
    if event.kind not in MACHINE_EVENTS:
        return ()
    return parse_intervals(fields.text(event.data.get("resources"), "resources"), "resources")


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


def _read(path: Path, lenient: bool, convert: Callable[[ExternalEvent], Timed]) -> tuple[Timed, ...]:
    file = InputFile.read(path, lenient=lenient)
    return tuple(sorted(_events(file, convert), key=lambda event: event.time))


def _events(file: InputFile, convert: Callable[[ExternalEvent], Timed]) -> Iterator[Timed]:
    for number, line in enumerate(file.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield convert(_event(line))
        except InputError as error:
            file.skip(on_line(error, number), "event that cannot be used")


def _event(line: str) -> ExternalEvent:
    try:
        event = fields.mapping(msgspec.json.decode(line), "")
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}") from None
    kind = event.get("type")
    if not isinstance(kind, str):
        raise InputError(f"expected a type of event, got {kind!r:.60}", path="type")
    return ExternalEvent(fields.duration(event.get("timestamp"), "timestamp"), kind, event)


def _machine_event(event: ExternalEvent) -> Event:
    if event.kind not in MACHINE_EVENTS:
        raise InputError(f"expected one of {', '.join(MACHINE_EVENTS)}, got {event.kind!r:.60}", path="type")
    return Event(event.time, MACHINE_EVENTS[event.kind], machines_of(event))
