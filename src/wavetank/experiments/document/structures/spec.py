"""The structure of the Experiment document: every field with its type, default and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.releases import NEWEST, OLDEST, Version, version_name
from wavetank.controllers.descriptors import EVERYTHING
from wavetank.documents import types
from wavetank.documents.definitions import Schema
from wavetank.documents.rules import Needs, OneOf
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.experiments.document.structures.controllers import CONTROLLERS, ControllerList, ControllersSpec
from wavetank.experiments.document.structures.hpa import AutoscalingSpec, HpaSpec
from wavetank.experiments.document.structures.nodegroups import NodeGroupSpec
from wavetank.experiments.document.structures.nodepools import NodePoolSpec, ProvisionerSpec
from wavetank.experiments.document.structures.operator import OperatorSpec
from wavetank.experiments.document.structures.schedulers import SCHEDULERS, SchedulerSpec
from wavetank.experiments.document.structures.services import ServicesSpec
from wavetank.experiments.document.structures.values import NAME, RELEASE, SEEDS
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.faults import CORDON, DRAIN, FAIL, RECOVER, UNCORDON
from wavetank.results.assertions import Assertion, parse_assertions
from wavetank.scheduling.attachable import TieBreaking
from wavetank.simulation.execution import EXECUTIONS, KUBELET, SHARING, Execution
from wavetank.simulation.latency.model import IDEAL, LATENCY, Latency
from wavetank.simulation.metrics.document import MetricsSpec
from wavetank.workloads.generators.base import GeneratorSpec
from wavetank.workloads.generators.generators import GENERATOR
from wavetank.workloads.generators.inflation import InflateSpec
from wavetank.workloads.nodegroups import NODE_GROUPS, NodeGroup
from wavetank.workloads.open import FORMATS

API_VERSION = "wavetank.dev/v1alpha1"
KIND = "Experiment"

_FORMAT = types.nullable(types.choice(FORMATS))
_FILES = types.items(types.file, "list of files")
_TIES: tuple[TieBreaking, ...] = ("random", "exact")
_SOURCES = ("file", "files", "generator", "generators")
_GOES_WITH_FILES = "goes with file or files"


class Metadata(Structure):
    """The experiment's name."""

    name: str | None = field(
        NAME, default=None, otherwise="the file's name", doc="names the folder of results, `out/<name>`"
    )
    annotations: Any = field(types.unread("texts by name"), default={}, doc="for your own use")
    labels: Any = field(types.unread("texts by name"), default={}, doc="for your own use")


class ClusterSpec(Structure):
    """At least one of `nodes`, `file` and `files`; their nodes are combined."""

    rules = (OneOf("nodes", "file", "files", most=None, problem="expected nodes, file or files"),)

    nodes: list[NodeGroup] | None = field(NODE_GROUPS, default=None, doc="groups of equal nodes")
    file: str | None = field(types.file, default=None, doc="a file of nodes and other objects")
    files: list[str] | None = field(_FILES, default=None, doc="several of them")
    objects: list[Mapping[str, Any]] | None = field(
        types.items(types.mapping, "list of manifests"), default=None, doc="Kubernetes objects written in place"
    )
    format: str | None = field(
        _FORMAT, default=None, otherwise="recognized by the content", doc="the format of the files"
    )
    options: Mapping[str, Any] = field(types.mapping, default={}, doc="options of that format")


class WorkloadSpec(Structure):
    """Exactly one of `file`, `files`, `generator` and `generators`; the next three go with files."""

    rules = (
        OneOf(*_SOURCES),
        *(Needs(name, "file", "files", problem=_GOES_WITH_FILES) for name in ("format", "lenient", "options")),
    )

    file: str | None = field(types.file, default=None, doc="a file of pods or jobs")
    files: list[str] | None = field(_FILES, default=None, doc="several at once")
    generator: GeneratorSpec | None = field(GENERATOR, default=None, doc="pods or jobs drawn at random")
    generators: list[GeneratorSpec] | None = field(
        types.items(GENERATOR), default=None, doc="several of them, merged in the order of time"
    )
    format: str | None = field(
        _FORMAT, default=None, otherwise="recognized by the content", doc="the format of the files"
    )
    lenient: bool = field(types.boolean, default=False, doc="skip and count unusable entries")
    options: Mapping[str, Any] = field(
        types.mapping, default={}, doc="options of the format, such as `podsPerJob: one`"
    )
    events: str | None = field(
        types.file, default=None, doc="Batsim's external events, which cordon and uncordon nodes"
    )
    inflate: InflateSpec | None = field(
        types.nested(InflateSpec), default=None, doc="make the pods request a share of the cluster, all at once"
    )


_NODES = types.one_or_more(types.text, "node, or list of nodes")


class FaultSpec(Structure):
    """`at`, and exactly one of the actions."""

    rules = (
        OneOf(FAIL, RECOVER, CORDON, UNCORDON, DRAIN),
        Needs("for", FAIL, CORDON, DRAIN, problem=f"`for` goes with {FAIL}, {CORDON}, {DRAIN}"),
    )

    at: Nanoseconds = field(types.duration, doc="when it happens")
    for_: Nanoseconds | None = field(
        types.duration, default=None, doc="after what time `fail`, `cordon` or `drain` is undone"
    )
    fail: list[str] | None = field(_NODES, default=None, doc="fails, with its pods")
    recover: list[str] | None = field(_NODES, default=None, doc="comes back")
    cordon: list[str] | None = field(_NODES, default=None, doc="takes no new pods")
    uncordon: list[str] | None = field(_NODES, default=None, doc="takes pods again")
    drain: list[str] | None = field(_NODES, default=None, doc="takes no new pods, and those on it are evicted")


class Inputs(Structure):
    """What an experiment is about: a cluster and a workload."""

    cluster: ClusterSpec = field(
        types.nested(ClusterSpec), doc="the nodes, and other objects that exist when a run begins"
    )
    workload: WorkloadSpec = field(types.nested(WorkloadSpec), doc="the pods or jobs to submit")


class PowerSavingSpec(Structure):
    """Nodes that are switched off while they have no pods."""

    off_after: Nanoseconds = field(types.duration, default="5m", doc="how long a node has had no pods")
    spare: int = field(types.integer(), default=0, doc="how many nodes without pods stay on")

    def check(self, path: str) -> None:
        """Refuses nodes that are looked at without a pause."""
        if self.off_after < SECOND:
            raise InputError("expected 1s or more", path=f"{path}.offAfter")


class ExecutionSpec(Structure):
    """Kubelets with options."""

    sharing: bool = field(types.boolean, default=False, doc="nodes take pods that do not fit, as Batkube's did")


def _read_execution(value: object, path: str) -> Execution:
    return SHARING if ExecutionSpec.read(value, path).sharing else KUBELET


_EXECUTION: Type[Execution] = types.either(
    "text or mapping",
    Type("mapping", _read_execution, ExecutionSpec.refer, [("", ExecutionSpec)]),
    types.choice(EXECUTIONS),
    Mapping,
)


class Conditions(Structure):
    """What is tried on the cluster and the workload, and how."""

    schedulers: list[SchedulerSpec] = field(
        SCHEDULERS, default=[{"name": "default"}], doc="the schedulers to compare, each under each seed"
    )
    seeds: tuple[int, ...] = field(
        SEEDS, default=[1], doc="seeds of the random streams; the same seed gives the same bytes"
    )
    latency: Latency = field(
        LATENCY,
        default=IDEAL.name,
        doc="how long the steps of a pod's life take: a preset (`ideal`, `k3s`) or distributions",
    )
    kubernetes_version: Version = field(
        RELEASE,
        default=version_name(NEWEST),
        doc=f'the Kubernetes release to simulate, `"{version_name(OLDEST)}"` to `"{version_name(NEWEST)}"`',
    )
    ties: TieBreaking = field(
        types.choice(_TIES),
        default="random",
        doc="`random`: any of the best nodes; `exact`: the one that kube-scheduler takes at parallelism 1",
    )
    faults: list[FaultSpec] = field(
        types.items(types.nested(FaultSpec), least=0), default=[], doc="nodes that fail, are cordoned or drained"
    )
    horizon: Nanoseconds | None = field(
        types.nullable(types.duration), default=None, doc="the simulated time after which a run ends"
    )
    controllers: ControllersSpec | ControllerList = field(
        CONTROLLERS, default=EVERYTHING, doc="the built-in controllers that run, and real ones in the loop"
    )
    hpa: list[HpaSpec] = field(
        types.items(types.nested(HpaSpec), least=0), default=[], doc="autoscalers of pods; a run needs a `horizon` then"
    )
    metrics: MetricsSpec | None = field(
        types.nested(MetricsSpec),
        default=None,
        otherwise="pods use what they request",
        doc="what pods use over time, and other metrics that autoscalers read",
    )
    autoscaling: AutoscalingSpec | None = field(
        types.nested(AutoscalingSpec), default=None, otherwise="Kubernetes' own", doc="settings of the HPA controller"
    )
    node_groups: list[NodeGroupSpec] = field(
        types.items(types.nested(NodeGroupSpec), least=0), default=[], doc="groups of nodes that grow and shrink"
    )
    autoscaler: Mapping[str, Any] | None = field(
        types.mapping,
        default=None,
        doc="runs the cluster autoscaler with these flags, such as `{expander: priority}`; needs a `horizon`",
    )
    node_pools: list[NodePoolSpec] = field(
        types.items(types.nested(NodePoolSpec), least=0),
        default=[],
        doc="pools of nodes that are launched and consolidated as Karpenter does; a run needs a `horizon` then",
    )
    provisioner: ProvisionerSpec | None = field(
        types.nested(ProvisionerSpec), default=None, otherwise="Karpenter's own", doc="settings of the provisioner"
    )
    services: ServicesSpec | None = field(
        types.nested(ServicesSpec),
        default=None,
        otherwise="none",
        doc="microservices whose instances are pods; a run needs a `horizon` then",
    )
    operator: OperatorSpec | None = field(
        types.nested(OperatorSpec), default=None, otherwise="none", doc="the batch operator, with its objects"
    )
    power_saving: PowerSavingSpec | None = field(
        types.nested(PowerSavingSpec),
        default=None,
        otherwise="none",
        doc="switches nodes with a power model off and on",
    )
    execution: Execution = field(
        _EXECUTION,
        default=KUBELET,
        doc="the model of nodes that runs the pods: `kubelet`, `k8ssim`, `{sharing: true}`",
    )
    assert_: tuple[Assertion, ...] = field(
        Type("list of texts", parse_assertions, types.STRINGS),
        default=[],
        doc="what must hold of the results, such as `p95_waiting_time_s < 60`",
    )


class _NeedsWorkload:
    """There is a workload, unless the batch operator makes the pods."""

    def check(self, given: Mapping[str, Any], path: str) -> None:
        """Raises InputError if there is neither."""
        if "workload" not in given and "operator" not in given:
            raise InputError("this field is required (mapping): the pods or jobs to submit", path=f"{path}.workload")

    def schema(self) -> Schema:
        """Returns the two alternatives."""
        return {"anyOf": [{"required": ["workload"]}, {"required": ["operator"]}]}


class ExperimentSpec(Inputs, Conditions):
    """What is run."""

    rules = (_NeedsWorkload(),)

    workload: WorkloadSpec | None = field(  # type: ignore[assignment]  # optional here
        types.nested(WorkloadSpec),
        default=None,
        otherwise="none, with an `operator`; else required",
        doc="the pods or jobs to submit",
    )


class Head(Structure):
    """What every document begins with."""

    api_version: str = field(types.constant(API_VERSION), doc=f"`{API_VERSION}`")
    kind: str = field(types.constant(KIND), doc=f"`{KIND}`")
    metadata: Metadata = field(types.nested(Metadata), default={}, doc="the experiment's name")


class ExperimentDocument(Head):
    """Schedulers, compared on a simulated cluster with a workload."""

    spec: ExperimentSpec = field(types.nested(ExperimentSpec), doc="what is run")
