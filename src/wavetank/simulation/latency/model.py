"""Latency models by name: how long the control plane and the nodes take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.cluster.fields.resources import MEMORY, parse_amounts
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import LATENCY
from wavetank.kernel.distributions import Distribution
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.simulation.latency.k3s import K3S


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency model; `name` goes into every result."""

    name: str
    scheduler: SchedulerLatency = field(default_factory=SchedulerLatency)
    nodes: NodeLatency = field(default_factory=NodeLatency)


_SCHEDULER = ("attempt", "bind", "patch", "delete")
_NODES = ("sync", "pull_check", "start", "finish")

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
    fields.mapping(value, path, LATENCY)
    times: dict[str, Distribution] = {
        step: fields.distribution(value[step], f"{path}.{step}") for step in (*_SCHEDULER, *_NODES) if step in value
    }
    amounts = {item: _bytes(value[item], f"{path}.{item}") for item in ("bandwidth", "image_bytes") if item in value}
    return Latency(
        name,
        SchedulerLatency(**{step: times[step] for step in _SCHEDULER if step in times}),
        NodeLatency(**{step: times[step] for step in _NODES if step in times}, **amounts),  # type: ignore[arg-type]
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
