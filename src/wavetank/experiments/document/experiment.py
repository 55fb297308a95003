"""The Experiment document: what is run on what, read strictly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavetank.cluster.fields.power import POWER
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.experiments.document.autoscaling import controller_flags, make_metrics, with_autoscalers
from wavetank.experiments.document.controllers import Controllers, make_controllers
from wavetank.experiments.document.daemonsets import check_daemon_sets
from wavetank.experiments.document.faults import late_faults, make_faults
from wavetank.experiments.document.inputs import make_cluster, make_workload, read_machine_events
from wavetank.experiments.document.schedulers import make_entries
from wavetank.experiments.document.structures.nodegroups import check_flags, make_groups
from wavetank.experiments.document.structures.nodepools import check_end, make_provisioning
from wavetank.experiments.document.structures.spec import (
    API_VERSION,
    KIND,
    ExperimentDocument,
    ExperimentSpec,
    PowerSavingSpec,
)
from wavetank.experiments.document.structures.values import make_name, read_name
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import Fault
from wavetank.nodes.power.saver import SavingOptions
from wavetank.results.assertions import Assertion
from wavetank.scheduling.attachable import TieBreaking
from wavetank.simulation.entries import SchedulerEntry
from wavetank.simulation.execution import K8SSIM, KUBELET, Execution, as_in_k8ssim
from wavetank.simulation.latency.model import IDEAL, Latency
from wavetank.simulation.scaling.scalablegroup import ScalableGroup
from wavetank.simulation.simulation import Setting
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Workload

if TYPE_CHECKING:
    from wavetank.microservices.cluster.services import ServicesSetting
    from wavetank.simulation.batchoperator import OperatorSetting
    from wavetank.simulation.metrics.setting import MetricsSetting
    from wavetank.simulation.scaling.nodepools import Provisioning


@dataclass(frozen=True)
class Experiment:
    """Schedulers, each tried on the same cluster and workload under each seed."""

    name: str
    cluster: Cluster
    workload: Workload
    schedulers: tuple[SchedulerEntry, ...]
    seeds: tuple[int, ...]
    latency: Latency
    version: Version
    ties: TieBreaking
    faults: tuple[Fault, ...]
    horizon: Nanoseconds | None
    controllers: Controllers
    execution: Execution = KUBELET
    assertions: tuple[Assertion, ...] = ()
    notes: tuple[str, ...] = ()  # on how the workload was read
    metrics: MetricsSetting | None = None
    controller_flags: Mapping[str, str] = field(default_factory=dict)
    node_groups: tuple[ScalableGroup, ...] = ()
    autoscaler_flags: Mapping[str, object] | None = None
    provisioning: Provisioning | None = None
    power_saving: SavingOptions | None = None
    services: ServicesSetting | None = None
    operator: OperatorSetting | None = None
    document: Mapping[str, Any] = field(default_factory=dict)  # that it was read from
    folder: Path = field(default_factory=Path)  # that the names of files in the document are relative to

    def setting(self, entry: SchedulerEntry) -> Setting:
        """Returns what the runs of one scheduler need."""
        return Setting(
            cluster=self.cluster,
            workload=self.workload,
            schedulers=entry.schedulers,
            version=self.version,
            latency=self.latency,
            ties=self.ties,
            faults=self.faults,
            horizon=self.horizon,
            processes=entry.processes,
            controllers=self.controllers.names,
            execution=self.execution,
            manager=self.controllers.manager,
            programs=self.controllers.programs,
            metrics=self.metrics,
            controller_flags=self.controller_flags,
            node_groups=self.node_groups,
            autoscaler_flags=self.autoscaler_flags,
            provisioning=self.provisioning,
            power_saving=self.power_saving,
            services=self.services,
            operator=self.operator,
        )


def load_experiment(experiment: str | Path | Mapping[str, Any] | None, changes: Mapping[str, Any]) -> Experiment:
    """Reads an experiment with some fields of its spec replaced."""
    if isinstance(experiment, str | Path):
        return read_experiment(Path(experiment), changes)
    document = dict(experiment or {"apiVersion": API_VERSION, "kind": KIND})
    spec = document.get("spec", {})
    if not isinstance(spec, Mapping):
        raise InputError(f"expected a mapping, got {spec!r:.60}", path="spec")
    return parse_experiment({**document, "spec": {**spec, **changes}}, Path.cwd())


def read_experiment(path: Path, changes: Mapping[str, Any] | None = None) -> Experiment:
    """Reads an experiment's file, with some fields of its spec replaced.

    Names of files in it are relative to its folder.
    """
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1:
        raise InputError(f"expected one {KIND} document, found {len(documents)}", source=str(path))
    document = documents[0]
    if changes and isinstance(document, Mapping) and isinstance(document.get("spec"), Mapping):
        document = {**document, "spec": {**document["spec"], **changes}}
    try:
        return parse_experiment(document, path.parent, default_name=make_name(path.stem))
    except InputError as error:
        raise error.inside(source=str(path)) from None


def parse_experiment(document: object, folder: Path, default_name: str = "experiment") -> Experiment:
    """Reads an experiment; InputError names the place of what is wrong with it."""
    read = read_document(document)
    spec = read.spec
    gates = spec.autoscaling.feature_gates if spec.autoscaling else frozenset()
    cluster = with_autoscalers(make_cluster(spec.cluster, folder, "spec.cluster"), spec.hpa, gates, spec.horizon)
    workload, notes = make_workload(spec.workload, folder, cluster, "spec.workload")
    services = None if spec.services is None else _services(spec, folder, cluster, workload)
    schedulers = make_entries(spec.schedulers, folder, spec.kubernetes_version, "spec.schedulers")
    faults = make_faults(spec.faults, cluster.node_names, "spec.faults")
    events = read_machine_events(spec.workload, folder, cluster, "spec.workload")
    flags = controller_flags(spec.autoscaling)
    latency = spec.latency
    if spec.execution == K8SSIM:
        latency = _k8ssim_latency(latency, bool(faults or events))
        schedulers = tuple(replace(entry, schedulers=as_in_k8ssim(entry.schedulers)) for entry in schedulers)
    groups = make_groups(spec.node_groups, "spec.nodeGroups")
    check_daemon_sets(groups, cluster.manifests, "spec.nodeGroups")
    operator = None if spec.operator is None else _operator(spec, folder, cluster, schedulers)
    if operator is not None:
        schedulers = _with_scheduler_name(schedulers, operator.options.scheduler_name, spec.kubernetes_version)
    check_end(spec.node_pools, spec.horizon, "spec")
    controllers = make_controllers(spec.controllers, folder, "spec.controllers", flags)
    if "kueue" in controllers.names and cluster.has_kind("ClusterQueue"):
        _check_queues(cluster)
    return Experiment(
        name=read.metadata.name or read_name(default_name, "metadata.name"),
        cluster=cluster,
        workload=workload,
        schedulers=schedulers,
        seeds=spec.seeds,
        latency=latency,
        version=spec.kubernetes_version,
        ties=spec.ties,
        faults=tuple(sorted((*faults, *events), key=lambda fault: fault.at)),
        horizon=spec.horizon,
        controllers=controllers,
        execution=spec.execution,
        assertions=spec.assert_,
        notes=(
            *notes,
            *late_faults(faults, spec.horizon),
            *(note for entry in schedulers for note in entry.notes(spec.kubernetes_version)),
        ),
        metrics=make_metrics(spec.metrics, folder, "spec.metrics"),
        controller_flags=flags,
        node_groups=groups,
        autoscaler_flags=check_flags(spec.autoscaler, spec.horizon, "spec.autoscaler"),
        provisioning=make_provisioning(spec.node_pools, spec.provisioner, "spec"),
        power_saving=_saving(spec.power_saving, cluster, groups),
        services=services,
        operator=operator,
        document=document if isinstance(document, Mapping) else {},
        folder=folder.resolve(),
    )


def _check_queues(cluster: Cluster) -> None:
    from wavetank.controllers.kueue.validation import check_objects  # few experiments need it

    try:
        check_objects(cluster.manifests)
    except InputError as error:
        raise error.inside(path="spec.cluster") from None


def _saving(spec: PowerSavingSpec | None, cluster: Cluster, groups: Iterable[ScalableGroup]) -> SavingOptions | None:
    if spec is None:
        return None
    if any(group.power for group in groups):
        problem = "nodes of groups with power are added and removed, not switched off: leave one of the two out"
        raise InputError(problem, path="spec.powerSaving")
    if not cluster.annotates_nodes(POWER):
        raise InputError("no node has a power model: state power: of nodes", path="spec.powerSaving")
    return SavingOptions(spec.off_after, spec.spare)


def read_document(document: object) -> ExperimentDocument:
    """Reads the fields of an experiment, without the files that it names."""
    spec = document.get("spec") if isinstance(document, Mapping) else None
    if isinstance(spec, Mapping) and "sweep" in spec:
        raise InputError("this experiment is a sweep: run it with wavetank sweep", path="spec.sweep")
    return ExperimentDocument.read(document, "")


def _services(spec: ExperimentSpec, folder: Path, cluster: Cluster, workload: Workload) -> ServicesSetting | None:
    from wavetank.experiments.document.deployments import check_deployments  # few experiments need them
    from wavetank.experiments.document.services import make_services

    services = make_services(spec.services, spec.horizon, folder, "spec.services")
    check_deployments(spec.services, cluster, workload, "spec.services")
    return services


def _with_scheduler_name(
    entries: tuple[SchedulerEntry, ...], scheduler_name: str, version: Version
) -> tuple[SchedulerEntry, ...]:
    from wavetank.experiments.document.external import with_scheduler_name  # few experiments need it

    return tuple(
        replace(entry, schedulers=with_scheduler_name(entry.schedulers, scheduler_name, version)) for entry in entries
    )


def _operator(
    spec: ExperimentSpec, folder: Path, cluster: Cluster, schedulers: Iterable[SchedulerEntry]
) -> OperatorSetting:
    from wavetank.batchoperator.esi.policy.definition import ExternalDefinition  # few experiments need them
    from wavetank.experiments.document.operator import make_operator

    assert spec.operator is not None
    policies = any(isinstance(each, ExternalDefinition) for entry in schedulers for each in entry.schedulers)
    nodes = None if spec.node_groups or spec.node_pools else cluster.node_names
    return make_operator(spec.operator, folder, "spec.operator", nodes, closed=not policies)


def _k8ssim_latency(latency: Latency, has_faults: bool) -> Latency:
    """Returns what results call the times of K8sSim's nodes; refuses what these do not support."""
    if has_faults:
        raise InputError("nodes of execution k8ssim do not fail: leave the faults out", path="spec.faults")
    if latency != IDEAL:
        raise InputError("execution k8ssim has times of its own: leave the latency out", path="spec.latency")
    return Latency(K8SSIM)
