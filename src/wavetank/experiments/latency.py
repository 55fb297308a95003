"""Latency models by name: how long the control plane and the nodes take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.cluster.resources import MEMORY, parse_amounts
from wavetank.errors import InputError
from wavetank.experiments.k3s import K3S
from wavetank.kernel.distributions import Distribution, parse_distribution
from wavetank.nodes.latency import NodeLatency
from wavetank.scheduling.latency import SchedulerLatency


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency model; `name` goes into every result."""

    name: str
    scheduler: SchedulerLatency = field(default_factory=SchedulerLatency)
    nodes: NodeLatency = field(default_factory=NodeLatency)


_SCHEDULER = ("attempt", "bind", "patch", "delete")
_NODES = ("sync", "pull_check", "start", "finish")
_FIELDS = (*_SCHEDULER, *_NODES, "bandwidth", "image_bytes")

IDEAL = Latency("ideal")


def parse_latency(value: object, path: str) -> Latency:
    """Reads a preset's name, or a mapping of the model's fields: {sync: {uniform: [0.4, 0.6]}, start: 0.1, ...}."""
    if isinstance(value, str):
        if value not in PRESETS:
            raise InputError(f"unknown latency preset {value!r}: expected one of {', '.join(PRESETS)}", path=path)
        return PRESETS[value]
    if not isinstance(value, Mapping):
        raise InputError(f"expected a preset ({', '.join(PRESETS)}) or a mapping, got {value!r}", path=path)
    return _custom("custom", value, path)


def _custom(name: str, value: Mapping[str, object], path: str) -> Latency:
    for unknown in value.keys() - set(_FIELDS):
        raise InputError(f"unknown field {unknown!r}: expected some of {', '.join(_FIELDS)}", path=path)
    times: dict[str, Distribution] = {
        field: parse_distribution(value[field], path=f"{path}.{field}")
        for field in (*_SCHEDULER, *_NODES)
        if field in value
    }
    amounts = {
        field: _bytes(value[field], f"{path}.{field}") for field in ("bandwidth", "image_bytes") if field in value
    }
    return Latency(
        name,
        SchedulerLatency(**{field: times[field] for field in _SCHEDULER if field in times}),
        NodeLatency(**{field: times[field] for field in _NODES if field in times}, **amounts),  # type: ignore[arg-type]
    )


def _bytes(value: object, path: str) -> int:
    try:
        amount = parse_amounts({MEMORY: value})[MEMORY]
    except InputError as error:
        raise InputError(error.message, path=path) from None
    if not amount:
        raise InputError("expected more than 0 bytes", path=path)
    return amount


PRESETS: dict[str, Latency] = {"ideal": IDEAL, "k3s": _custom("k3s", K3S, "k3s")}
