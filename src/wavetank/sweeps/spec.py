"""The structure of an Experiment document with a `sweep`."""

from __future__ import annotations

from typing import Any

from wavetank.documents import types
from wavetank.documents.rules import Excludes
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.experiments.document.structures.schedulers import SchedulerSpec
from wavetank.experiments.document.structures.spec import ClusterSpec, Conditions, ExperimentSpec, Head, WorkloadSpec
from wavetank.sweeps.clusters import PERCENTAGE, read_factor

_SAME = "the experiment's"

# Variants replace fields of the spec, and are kept as they are written until the experiment of a scenario is read.
_CLUSTER = types.as_written(types.nested(ClusterSpec))
_WORKLOAD = types.as_written(types.nested(WorkloadSpec))
_SCHEDULERS = types.items(
    types.as_written(types.either("text or mapping", types.text, types.nested(SchedulerSpec), str))
)
_CHANGE = types.as_written(Type("text", read_factor, {"type": "string", "pattern": f"^{PERCENTAGE.pattern}$"}))


def _like_the_spec(name: str) -> Type[Any]:
    return types.as_written(ExperimentSpec.fields[name].type)


class ClusterVariant(Structure):
    """The experiment on another cluster."""

    name: str = field(types.text, doc="a part of the scenario's name")
    cluster: Any = field(_CLUSTER, default=None, otherwise=_SAME, doc="another cluster")
    nodes: Any = field(
        _CHANGE,
        default=None,
        otherwise="+0%",
        doc="a change such as `-50%` or `+25%` of the number of nodes, sizes in proportion",
    )
    resources: Any = field(_CHANGE, default=None, otherwise="+0%", doc="a change of the size of every node")


class WorkloadVariant(Structure):
    """The experiment with another workload."""

    name: str = field(types.text, doc="a part of the scenario's name")
    workload: Any = field(_WORKLOAD, default=None, otherwise=_SAME, doc="another workload")


class ScenarioSpec(Structure):
    """One scenario: what differs from the experiment."""

    name: str | None = field(types.text, default=None, otherwise="its number", doc="the scenario's name")
    cluster: Any = field(_CLUSTER, default=None, otherwise=_SAME, doc="another cluster")
    workload: Any = field(_WORKLOAD, default=None, otherwise=_SAME, doc="another workload")
    schedulers: Any = field(
        _SCHEDULERS, default=None, otherwise=_SAME, doc="other schedulers: names of the experiment's, or entries"
    )
    nodes: Any = field(_CHANGE, default=None, otherwise="+0%", doc="a change of the number of nodes")
    resources: Any = field(_CHANGE, default=None, otherwise="+0%", doc="a change of the size of every node")
    seeds: Any = field(_like_the_spec("seeds"), default=None, otherwise=_SAME, doc="other seeds")
    horizon: Any = field(_like_the_spec("horizon"), default=None, otherwise=_SAME, doc="another horizon")
    execution: Any = field(_like_the_spec("execution"), default=None, otherwise=_SAME, doc="another execution")
    hpa: Any = field(_like_the_spec("hpa"), default=None, otherwise=_SAME, doc="other autoscalers")
    metrics: Any = field(_like_the_spec("metrics"), default=None, otherwise=_SAME, doc="other loads and metrics")
    autoscaling: Any = field(
        _like_the_spec("autoscaling"), default=None, otherwise=_SAME, doc="other settings of the HPA controller"
    )
    node_groups: Any = field(_like_the_spec("nodeGroups"), default=None, otherwise=_SAME, doc="other node groups")
    node_pools: Any = field(_like_the_spec("nodePools"), default=None, otherwise=_SAME, doc="other node pools")
    provisioner: Any = field(
        _like_the_spec("provisioner"), default=None, otherwise=_SAME, doc="other settings of the provisioner"
    )
    autoscaler: Any = field(
        _like_the_spec("autoscaler"), default=None, otherwise=_SAME, doc="other flags of the cluster autoscaler"
    )


_VALUES = types.items(types.unread("values"))
_GRID = {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}


def _read_parameters(value: object, path: str) -> dict[str, dict[str, list[Any]]]:
    grids = types.mapping.read(value, path)
    return {name: _read_grid(grid, f"{path}.{name}") for name, grid in grids.items()}


def _read_grid(value: object, path: str) -> dict[str, list[Any]]:
    return {name: _VALUES.read(values, f"{path}.{name}") for name, values in types.mapping.read(value, path).items()}


class SweepSpec(Structure):
    """See [how to sweep scenarios](../how-to/sweep-scenarios.md)."""

    rules = (
        Excludes(
            "scenarios",
            *("clusters", "workloads", "hpa", "nodeGroups", "nodePools", "autoscaler"),
            problem="{} does not go with scenarios",
        ),
    )

    clusters: list[ClusterVariant] | None = field(
        types.nullable(types.items(types.nested(ClusterVariant))),
        default=None,
        doc="variants of the cluster; each with each of the workloads",
    )
    workloads: list[WorkloadVariant] | None = field(
        types.nullable(types.items(types.nested(WorkloadVariant))), default=None, doc="variants of the workload"
    )
    parameters: dict[str, dict[str, list[Any]]] = field(
        Type("mapping", _read_parameters, {"type": "object", "additionalProperties": _GRID}),
        default={},
        doc="by scheduler and argument, a list of values; every combination is a scheduler of its own",
    )
    hpa: dict[str, dict[str, list[Any]]] = field(
        Type("mapping", _read_parameters, {"type": "object", "additionalProperties": _GRID}),
        default={},
        doc="by HPA and field, such as `cpu` or `scaleDown.window`, a list of values; every combination is a scenario",
    )
    node_groups: dict[str, dict[str, list[Any]]] = field(
        Type("mapping", _read_parameters, {"type": "object", "additionalProperties": _GRID}),
        default={},
        doc="by node group and field, such as `max` or `spot.rate`, a list of values; every combination is a scenario",
    )
    node_pools: dict[str, dict[str, list[Any]]] = field(
        Type("mapping", _read_parameters, {"type": "object", "additionalProperties": _GRID}),
        default={},
        doc="by node pool and field, such as `disruption.consolidateAfter`, a list of values; every combination is a "
        "scenario",
    )
    autoscaler: dict[str, list[Any]] = field(
        Type("mapping", _read_grid, _GRID),
        default={},
        doc="by flag of the cluster autoscaler, such as `expander`, a list of values; every combination is a scenario",
    )
    scenarios: list[ScenarioSpec] | None = field(
        types.items(types.nested(ScenarioSpec)),
        default=None,
        doc="scenarios one by one, in place of clusters and workloads",
    )


class SweptInputs(Structure):
    """A cluster and a workload, unless every scenario has its own."""

    cluster: ClusterSpec | None = field(
        types.nested(ClusterSpec),
        default=None,
        otherwise="required",
        doc="the nodes, and other objects that exist when a run begins",
    )
    workload: WorkloadSpec | None = field(
        types.nested(WorkloadSpec), default=None, otherwise="required", doc="the pods or jobs to submit"
    )


class SweptSpec(SweptInputs, Conditions):
    """What is run."""

    sweep: SweepSpec = field(types.nested(SweepSpec), default={}, doc="the scenarios of `wavetank sweep`")


class SweepDocument(Head):
    """Schedulers, compared on a simulated cluster with a workload, or in several scenarios of them."""

    spec: SweptSpec = field(types.nested(SweptSpec), doc="what is run")
