"""`nodeGroups` and `autoscaler` of an experiment: groups of nodes that grow and shrink, and the flags that rule it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.documents import types
from wavetank.documents.reading import MOST_OBJECTS
from wavetank.documents.rules import OneOf
from wavetank.documents.structure import Structure, field
from wavetank.errors import InputError
from wavetank.experiments.document.structures.values import OBJECT_NAME
from wavetank.kernel.distributions import Distribution, Exponential
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.scaling.scalablegroup import KINDS, MACHINE_DEPLOYMENT, ScalableGroup, Spot
from wavetank.workloads.nodegroups import TAINTS
from wavetank.workloads.nodepower import PowerSpec

_HOUR_S = 3600
_MOST_PER_HOUR = 3600  # interruptions: one per second
PRICE = types.number(0, 1e8)  # results add prices up in millionths, as 64-bit integers


class SpotSpec(Structure):
    """Machines that the cloud takes back when it needs them, each at a random time.

    With the notice the node is cordoned and drained. Afterwards the machine is gone, with the pods that are still on
    it, and another one is ordered in its place.
    """

    rules = (OneOf("rate", "lifetime"),)

    rate: float | None = field(
        types.number(0, _MOST_PER_HOUR),
        default=None,
        doc="interruptions per node and hour; times between them are exponential",
    )
    lifetime: Distribution | None = field(
        types.nullable(types.distribution), default=None, doc="in place of the rate: from a node's start to the notice"
    )
    notice: Nanoseconds = field(types.duration, default="2m", doc="from the notice until the machine is gone")

    def spot(self) -> Spot | None:
        """Returns how machines are interrupted; None if they never are."""
        if self.lifetime is not None:
            return Spot(self.lifetime, self.notice)
        return Spot(Exponential(_HOUR_S / self.rate), self.notice) if self.rate else None


class NodeGroupSpec(Structure):
    """A group of equal nodes whose number the cluster autoscaler changes: a MachineDeployment."""

    name: str = field(OBJECT_NAME, doc="its nodes are called `<name>-001`, `<name>-002`, and so on")
    min: int = field(types.integer(0, MOST_OBJECTS), default=0, doc="the autoscaler keeps at least this many nodes")
    max: int = field(types.integer(1, MOST_OBJECTS), doc="the autoscaler adds nodes up to this number")
    initial: int | None = field(
        types.nullable(types.integer(0, MOST_OBJECTS)),
        default=None,
        otherwise="`min`",
        doc="how many nodes there are when a run begins",
    )
    cpu: int = field(types.amount(CPU, least=1), doc="CPU of a node, all of it allocatable")
    memory: int = field(types.amount(MEMORY, least=1), doc="memory of a node, all of it allocatable")
    pods: int = field(types.integer(1, MOST_OBJECTS), default=110, doc="how many pods fit on a node")
    labels: dict[str, str] = field(types.labels, default={}, doc="labels besides `kubernetes.io/hostname`")
    taints: list[Any] | None = field(
        TAINTS, default=None, otherwise="[]", doc="taints as in a Node: `{key, value, effect}`"
    )
    boot: Distribution = field(types.distribution, default=60, doc="from the request to the ready node")
    halt: Distribution = field(types.distribution, default=0, doc="from the deletion until the node is gone")
    boot_failures: float = field(types.number(0, 1), default=0, doc="the share of machines that never become nodes")
    price: float | None = field(
        types.nullable(PRICE),
        default=None,
        doc="of a node per hour, in any currency, for results and the expander `price`",
    )
    spot: SpotSpec | None = field(
        types.nullable(types.nested(SpotSpec)), default=None, otherwise="on demand", doc="how nodes are interrupted"
    )
    power: PowerSpec | None = field(
        types.nested(PowerSpec),
        default=None,
        otherwise="none",
        doc="watts of a node from its start until it is gone, such as `{idle: 95, full: 190}`",
    )
    kind: str = field(types.choice(KINDS), default=MACHINE_DEPLOYMENT, doc="the Cluster API object that the group is")

    def group(self) -> ScalableGroup:
        """Returns the group for a run."""
        return ScalableGroup(
            self.name,
            self.min,
            self.max,
            self.min if self.initial is None else self.initial,
            format_amounts({CPU: self.cpu, MEMORY: self.memory, PODS: self.pods}),
            self.labels,
            self.taints or (),
            self.boot,
            self.halt,
            self.boot_failures,
            self.price,
            self.spot.spot() if self.spot else None,
            self.kind,
            "" if self.power is None else self.power.annotation(),
        )


def make_groups(specs: Sequence[NodeGroupSpec], path: str) -> tuple[ScalableGroup, ...]:
    """Returns the groups; InputError if two have the same name, or if no size meets the bounds of one."""
    seen: set[str] = set()
    for i, spec in enumerate(specs):
        if spec.name in seen:
            raise InputError(f"a second group {spec.name!r:.60}", path=f"{path}[{i}].name")
        seen.add(spec.name)
        if not spec.min < spec.max:
            raise InputError(f"min {spec.min} must be below max {spec.max}", path=f"{path}[{i}].max")
        if spec.initial is not None and not spec.min <= spec.initial <= spec.max:
            message = f"initial {spec.initial} is not between min {spec.min} and max {spec.max}"
            raise InputError(message, path=f"{path}[{i}].initial")
        if spec.spot is not None and spec.spot.lifetime is not None and spec.spot.lifetime.mean() <= 0:
            raise InputError("expected times above 0", path=f"{path}[{i}].spot.lifetime")  # or a run might never end
    return tuple(spec.group() for spec in specs)


def check_flags(
    flags: Mapping[str, object] | None, horizon: Nanoseconds | None, path: str
) -> Mapping[str, object] | None:
    """Returns the flags of the autoscaler; InputError for one that is not honoured, or without an end of the run."""
    if flags is None:
        return None
    from wavetank.controllers.clusterautoscaler.options import Options  # few experiments need it

    Options.from_flags(flags, path)
    if horizon is None:
        raise InputError("a run with an autoscaler needs an end: state a horizon", path="spec.horizon")
    return flags
