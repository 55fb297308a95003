"""`nodePools` and `provisioner` of an experiment: pools of nodes as Karpenter's, and its settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, Amounts
from wavetank.cluster.objects.karpenter import ARCH, INSTANCE_TYPE, OS
from wavetank.cluster.rules.cron import ScheduleError, parse_schedule
from wavetank.controllers.karpenter.budgets import REASONS, Budget
from wavetank.controllers.karpenter.instancetypes import TABLES, InstanceType, offerings
from wavetank.controllers.karpenter.nodepools import NODES, POLICIES, WHEN_UNDERUTILIZED, NodePool
from wavetank.controllers.karpenter.requirements import NUMERIC, OPERATORS, Requirement
from wavetank.controllers.karpenter.settings import Settings
from wavetank.documents import patterns, reading, types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.reading import MOST_OBJECTS
from wavetank.documents.rules import Needs, OneOf
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.experiments.document.structures.nodegroups import PRICE, SpotSpec
from wavetank.experiments.document.structures.values import NAME, OBJECT_NAME
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.nodegroups import TAINTS

if TYPE_CHECKING:
    from wavetank.simulation.scaling.nodepools import Provisioning, SimulatedPool

_NEVER = "Never"
_MOST_OPTIONS = 2000  # of one pool: each is a node that pending pods are tried on
_NODES = re.compile(r"(?:100|[0-9]{1,2})%|[0-9]+")
_SPOT_TO_SPOT = "SpotToSpotConsolidation"
_MINUTE: Nanoseconds = 60 * SECOND


def _read_time(value: object, path: str) -> Nanoseconds | None:
    return None if value == _NEVER else reading.duration(value, path)


def _read_nodes(value: object, path: str) -> str:
    text = str(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or not _NODES.fullmatch(text):
        raise InputError(f"expected a number of nodes or a percentage such as 10%, got {value!r:.60}", path=path)
    return text


def _read_limits(value: object, path: str) -> Amounts:
    given = dict(reading.mapping(value, path))
    nodes = given.pop(NODES, None)
    limits = reading.amounts(given, path)
    return limits if nodes is None else {**limits, NODES: reading.integer(nodes, f"{path}.{NODES}", 1)}


def _read_types(value: object, path: str) -> list[InstanceType]:
    if isinstance(value, str):
        return TABLES[reading.choice(value, path, list(TABLES))]()
    return [_read_type(item, f"{path}[{i}]") for i, item in enumerate(reading.items(value, path))]


def _read_type(value: object, path: str) -> InstanceType:
    if not isinstance(value, str):
        return InstanceTypeSpec.read(value, path).instance_type()
    known = _known_types()
    if value not in known:
        tables = ", ".join(TABLES)
        raise InputError(f"unknown instance type {value!r:.60}: not in the tables ({tables}); describe it", path=path)
    return known[value]


def _known_types() -> dict[str, InstanceType]:
    return {each.name: each for table in TABLES.values() for each in table()}


def _types_schema(definitions: Definitions) -> Schema:
    types_ = {"anyOf": [{"enum": list(_known_types())}, InstanceTypeSpec.refer(definitions)]}
    return {"anyOf": [{"enum": list(TABLES)}, {"type": "array", "minItems": 1, "items": types_}]}


def _limits_schema(definitions: Definitions) -> Schema:
    amounts = patterns.write_amounts(definitions)
    names = {"anyOf": [amounts["propertyNames"], {"const": NODES}]}
    return {**amounts, "propertyNames": names, "properties": {NODES: {"type": "integer", "minimum": 1}}}


_TIME = Type("duration or Never", _read_time, {"anyOf": [{"const": _NEVER}, patterns.DURATION]})
_SHARE = Type(
    "number or percentage",
    _read_nodes,
    {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": f"^({_NODES.pattern})$"}]},
)
_LIMITS = Type("quantities by name", _read_limits, _limits_schema)


class InstanceTypeSpec(Structure):
    """A kind of machine. In place of it the name of a type of a table can be given."""

    rules = (OneOf("price", "spotPrice", most=None, problem="expected price, spotPrice or both"),)

    name: str = field(NAME, doc="the label `node.kubernetes.io/instance-type`")
    cpu: int = field(types.amount(CPU, least=1), doc="CPU of a machine")
    memory: int = field(types.amount(MEMORY, least=1), doc="memory of a machine")
    pods: int = field(types.integer(1, MOST_OBJECTS), default=110, doc="how many pods fit on it")
    resources: Mapping[str, int] = field(types.amounts, default={}, doc="other resources, such as `nvidia.com/gpu: 8`")
    reserved: Mapping[str, int] = field(types.amounts, default={}, doc="what of it pods cannot use")
    price: float | None = field(PRICE, default=None, otherwise="not offered", doc="per hour, on demand")
    spot_price: float | None = field(PRICE, default=None, otherwise="not offered", doc="per hour, as spot")
    zones: list[str] = field(types.items(NAME), default=["zone-a"], doc="where it is offered")
    labels: dict[str, str] = field(types.labels, default={}, doc="further labels of its nodes")

    def instance_type(self) -> InstanceType:
        """Returns the type."""
        capacity = {CPU: self.cpu, MEMORY: self.memory, PODS: self.pods, **self.resources}
        labels = {ARCH: "amd64", OS: "linux", **self.labels}
        offered = offerings(self.zones, self.price, self.spot_price)
        return InstanceType(self.name, capacity, offered, self.reserved, labels)


class RequirementSpec(Structure):
    """What the labels of nodes must be, as in a NodePool; a key that instance types lack becomes a label of nodes."""

    key: str = field(types.text, doc="a label")
    operator: str = field(types.choice(OPERATORS), doc=f"{', '.join(OPERATORS[:-1])} or {OPERATORS[-1]}")
    values: list[str] = field(types.items(types.text, "list of texts", least=0), default=[], doc="its values")

    def requirement(self, path: str) -> Requirement:
        """Returns the requirement; InputError if its values do not fit the operator."""
        count = len(self.values)
        if self.operator in ("In", "NotIn") and not count:
            raise InputError(f"operator {self.operator} needs values", path=f"{path}.values")
        if self.operator in ("Exists", "DoesNotExist") and count:
            raise InputError(f"operator {self.operator} takes no values", path=f"{path}.values")
        if self.operator in NUMERIC and (count != 1 or not self.values[0].isdigit()):
            raise InputError(f"operator {self.operator} needs one whole number, in quotes", path=f"{path}.values")
        return Requirement(self.key, self.operator, tuple(self.values))


class BudgetSpec(Structure):
    """How many nodes of a pool may be disrupted at once; of several budgets the strictest counts."""

    rules = (
        Needs("schedule", "duration", problem="schedule goes with duration"),
        Needs("duration", "schedule", problem="duration goes with schedule"),
    )

    nodes: str = field(_SHARE, default="10%", doc="a number, or a share that is rounded up")
    schedule: str | None = field(
        types.text, default=None, otherwise="always", doc="when it begins to count, as in cron"
    )
    duration: Nanoseconds | None = field(
        types.duration, default=None, otherwise="always", doc="how long it counts then"
    )
    reasons: list[str] = field(
        types.items(types.choice(REASONS), least=0), default=[], doc=f"some of {', '.join(REASONS)}; none: all"
    )

    def budget(self, path: str) -> Budget:
        """Returns the budget; InputError if its schedule cannot be read."""
        if self.schedule is None or self.duration is None:
            return Budget(self.nodes, tuple(self.reasons))
        if self.duration % _MINUTE or not self.duration:
            raise InputError("expected hours and minutes", path=f"{path}.duration")
        try:
            schedule = parse_schedule(self.schedule, "")
        except ScheduleError as error:
            raise InputError(str(error), path=f"{path}.schedule") from None
        return Budget(self.nodes, tuple(self.reasons), schedule, self.duration, self.schedule)


class DisruptionSpec(Structure):
    """When working nodes are disrupted."""

    consolidation_policy: str = field(types.choice(POLICIES), default=WHEN_UNDERUTILIZED, doc=" or ".join(POLICIES))
    consolidate_after: Nanoseconds | None = field(
        _TIME, default="0s", doc="how long no pod must have been bound or ended; `Never`: no consolidation"
    )
    budgets: list[BudgetSpec] = field(
        types.items(types.nested(BudgetSpec), least=0), default=[{"nodes": "10%"}], doc="how many nodes at once"
    )


class NodePoolSpec(Structure):
    """A pool of nodes that are launched for pending pods; fields as in karpenter.sh/v1, without its nesting."""

    name: str = field(OBJECT_NAME, doc="its nodes are called `<name>-001`, `<name>-002`, and so on")
    instance_types: list[InstanceType] = field(
        Type("list, or name of a table", _read_types, _types_schema, [("[]", InstanceTypeSpec)]),
        doc=f"what can be launched: types, or a table of them ({', '.join(TABLES)})",
    )
    requirements: list[RequirementSpec] = field(
        types.items(types.nested(RequirementSpec), least=0), default=[], doc="which of them, where, on demand or spot"
    )
    weight: int = field(types.integer(0, 100), default=0, doc="pools of higher weight are tried first")
    limits: Amounts = field(_LIMITS, default={}, doc="most of cpu, memory, other resources and `nodes` in sum")
    labels: dict[str, str] = field(types.labels, default={}, doc="labels of its nodes")
    taints: list[Any] | None = field(
        TAINTS, default=None, otherwise="[]", doc="taints as in a Node: `{key, value, effect}`"
    )
    startup_taints: list[Any] | None = field(
        TAINTS, default=None, otherwise="[]", doc="taints that nodes have until `startup` is over"
    )
    expire_after: Nanoseconds | None = field(_TIME, default="720h", doc="the longest life of a node, or `Never`")
    termination_grace_period: Nanoseconds | None = field(
        types.duration, default=None, otherwise="as long as it takes", doc="the longest time of a drain"
    )
    disruption: DisruptionSpec = field(
        types.nested(DisruptionSpec), default={}, doc="consolidation, and how many nodes at once"
    )
    boot: Distribution = field(types.distribution, default=60, doc="from the NodeClaim to the registered node")
    startup: Distribution = field(
        types.distribution, default=0, doc="from the registration until the startup taints are removed"
    )
    halt: Distribution = field(types.distribution, default=0, doc="from the end of the drain until the node is gone")
    boot_failures: float = field(types.number(0, 1), default=0, doc="the share of machines that never become nodes")
    spot: SpotSpec | None = field(
        types.nullable(types.nested(SpotSpec)), default=None, otherwise="never", doc="how spot nodes are interrupted"
    )

    def simulated(self, path: str) -> SimulatedPool:
        """Returns the pool for a run; InputError if it could never launch a node."""
        requirements = [each.requirement(f"{path}.requirements[{i}]") for i, each in enumerate(self.requirements)]
        self._check_types(requirements, path)
        disruption = self.disruption
        budgets = [each.budget(f"{path}.disruption.budgets[{i}]") for i, each in enumerate(disruption.budgets)]
        pool = NodePool(
            self.name,
            self.instance_types,
            requirements,
            self.labels,
            self.taints or (),
            self.startup_taints or (),
            self.limits,
            self.weight,
            self.expire_after,
            self.termination_grace_period,
            disruption.consolidation_policy,
            disruption.consolidate_after,
            tuple(budgets),
        )
        _check_options(pool, path)
        from wavetank.simulation.scaling.nodepools import SimulatedPool  # few experiments need it

        spot = self.spot.spot() if self.spot else None
        return SimulatedPool(pool, self.boot, self.startup, self.halt, self.boot_failures, spot)

    def _check_types(self, requirements: Sequence[Requirement], path: str) -> None:
        known: set[str] = set()
        for i, each in enumerate(self.instance_types):
            if each.name in known:
                raise InputError(f"a second instance type {each.name!r:.60}", path=f"{path}.instanceTypes[{i}]")
            known.add(each.name)
        for i, requirement in enumerate(requirements):
            for j, value in enumerate(requirement.values if requirement.key == INSTANCE_TYPE else ()):
                if value not in known:
                    place = f"{path}.requirements[{i}].values[{j}]"
                    raise InputError(f"unknown instance type {value!r:.60}", path=place)


class ProvisionerSpec(Structure):
    """Settings of the provisioner, named as Karpenter's."""

    batch_idle_duration: Nanoseconds = field(
        types.duration, default="1s", doc="a batch of pending pods ends if no other arrives for this long"
    )
    batch_max_duration: Nanoseconds = field(types.duration, default="10s", doc="the longest time of a batch")
    feature_gates: Mapping[str, Any] = field(
        types.mapping, default={}, doc=f"`{{{_SPOT_TO_SPOT}: true}}`: spot nodes are replaced by cheaper spot nodes"
    )

    def settings(self, path: str) -> Settings:
        """Returns the settings; InputError for an unknown feature gate."""
        gates = reading.mapping(self.feature_gates, f"{path}.featureGates", [_SPOT_TO_SPOT])
        gate = gates.get(_SPOT_TO_SPOT, False)
        spot = reading.boolean(gate, f"{path}.featureGates.{_SPOT_TO_SPOT}")
        return Settings(self.batch_idle_duration, self.batch_max_duration, spot)


def make_provisioning(
    specs: Sequence[NodePoolSpec], provisioner: ProvisionerSpec | None, path: str
) -> Provisioning | None:
    """Returns the pools and settings, None if there are none; InputError if two pools have the same name."""
    inside = f"{path}." if path else ""
    if not specs:
        if provisioner is not None:
            raise InputError("a provisioner needs nodePools", path=f"{inside}provisioner")
        return None
    names = [spec.name for spec in specs]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(f"a second pool {name!r:.60}", path=f"{inside}nodePools[{i}].name")
    from wavetank.simulation.scaling.nodepools import Provisioning  # few experiments need it

    pools = tuple(spec.simulated(f"{inside}nodePools[{i}]") for i, spec in enumerate(specs))
    return Provisioning(pools, provisioner.settings(f"{inside}provisioner") if provisioner else Settings())


def check_end(specs: Sequence[NodePoolSpec], horizon: Nanoseconds | None, path: str) -> None:
    """Raises InputError if a run has node pools and no end."""
    if specs and horizon is None:
        raise InputError("a run with node pools needs an end: state a horizon", path=f"{path}.horizon")


def _check_options(pool: NodePool, path: str) -> None:
    if not pool.options:
        raise InputError("no instance type satisfies all requirements", path=f"{path}.requirements")
    if len(pool.options) > _MOST_OPTIONS:
        problem = f"{len(pool.options)} combinations of type, zone and labels, more than {_MOST_OPTIONS}"
        raise InputError(problem, path=f"{path}.requirements")
    for name, limit in pool.limits.items():
        if all(option.type.capacity.get(name, 0) > limit for option in pool.options):
            raise InputError(
                "every instance type that satisfies the requirements has more", path=f"{path}.limits.{name}"
            )
