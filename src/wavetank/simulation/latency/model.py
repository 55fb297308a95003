"""Latency models: how long the control plane and the nodes take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from wavetank.cluster.fields.resources import MEMORY
from wavetank.documents import reading, types
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.simulation.latency import presets
from wavetank.simulation.latency.presets import PRESETS


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency model; `name` goes into every result."""

    name: str
    scheduler: SchedulerLatency = dataclass_field(default_factory=SchedulerLatency)
    nodes: NodeLatency = dataclass_field(default_factory=NodeLatency)


def _read_bytes(value: object, path: str) -> int:
    amount = reading.amount(value, path, MEMORY)
    if not amount:
        raise InputError("expected more than 0 bytes", path=path)
    return amount


_bytes = Type("quantity", _read_bytes, types.amount(MEMORY).schema)


class LatencySpec(Structure, rename=str):
    """How long each step takes, if it is not a preset."""

    attempt: Distribution = field(
        types.distribution, default=0, doc="a scheduling attempt; the next one begins after it"
    )
    bind: Distribution = field(
        types.distribution, default=0, doc="a binding at the API server; the scheduler goes on meanwhile"
    )
    patch: Distribution = field(types.distribution, default=0, doc="a status patch, which the scheduler waits for")
    delete: Distribution = field(types.distribution, default=0, doc="a deletion, in preemption")
    sync: Distribution = field(
        types.distribution, default=0, doc="from the binding until the kubelet begins with the pod"
    )
    pull_check: Distribution = field(types.distribution, default=0, doc="asking the registry for an image")
    start: Distribution = field(types.distribution, default=0, doc="creating and starting the containers")
    finish: Distribution = field(types.distribution, default=0, doc="from their end until it is in the pod's status")
    bandwidth: int | None = field(
        _bytes, default=None, unit="bytes per second", doc="of a missing image; without it a pull takes no time"
    )
    image_bytes: int = field(_bytes, default="100Mi", unit="bytes", doc="size of an image that no node lists")

    def model(self, name: str) -> Latency:
        """Returns the latency model."""
        return Latency(
            name,
            SchedulerLatency(attempt=self.attempt, bind=self.bind, patch=self.patch, delete=self.delete),
            NodeLatency(
                sync=self.sync,
                pull_check=self.pull_check,
                start=self.start,
                finish=self.finish,
                bandwidth=self.bandwidth,
                image_bytes=self.image_bytes,
            ),
        )


IDEAL = Latency(presets.IDEAL)


def parse_latency(value: object, path: str) -> Latency:
    """Reads a preset's name, or a mapping of the model's fields: {sync: {uniform: [0.4, 0.6]}, start: 0.1, ...}."""
    if isinstance(value, str):
        if value not in PRESETS:
            raise InputError(f"unknown latency preset {value!r}: expected one of {', '.join(PRESETS)}", path=path)
        return LatencySpec.read(PRESETS[value], value).model(value)
    if not isinstance(value, Mapping):
        raise InputError(f"expected a preset ({', '.join(PRESETS)}) or a mapping, got {value!r}", path=path)
    return LatencySpec.read(value, path).model("custom")


LATENCY = Type(
    "text or mapping",
    parse_latency,
    lambda definitions: {"anyOf": [{"enum": list(PRESETS)}, LatencySpec.refer(definitions)]},
    [("", LatencySpec)],
)
