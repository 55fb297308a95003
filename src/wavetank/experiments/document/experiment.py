"""The Experiment document: what is run on what, read strictly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import NEWEST, OLDEST, Version, read_version, version_name
from wavetank.controllers.descriptors import EVERYTHING
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.controllers import Controllers, read_controllers
from wavetank.experiments.document.faults import parse_faults
from wavetank.experiments.document.fields import METADATA, SPEC, TOP
from wavetank.experiments.document.inputs import read_cluster, read_machine_events, read_workload
from wavetank.experiments.document.names import make_name, read_name
from wavetank.experiments.document.schedulers import SchedulerEntry, parse_entries
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import Fault
from wavetank.results.assertions import Assertion, parse_assertions
from wavetank.scheduling.attachable import TieBreaking
from wavetank.simulation.execution import K8SSIM, KUBELET, Execution, of_k8ssim, read_execution
from wavetank.simulation.latency.model import IDEAL, Latency, parse_latency
from wavetank.simulation.simulation import Setting
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Workload

API_VERSION = "wavetank.dev/v1alpha1"
KIND = "Experiment"

_LARGEST_SEED = 10**18 - 1
_MOST_SEEDS = 100_000


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
    """Reads an experiment; InputError names the place of whatever is wrong with it."""
    top = fields.mapping(document, "", TOP)
    if top.get("apiVersion") != API_VERSION:
        raise InputError(f"expected {API_VERSION}, got {top.get('apiVersion')!r:.60}", path="apiVersion")
    if top.get("kind") != KIND:
        raise InputError(f"expected {KIND}, got {top.get('kind')!r:.60}", path="kind")
    metadata = fields.mapping(top.get("metadata", {}), "metadata", METADATA)
    spec = fields.mapping(top.get("spec"), "spec", SPEC)
    if "sweep" in spec:
        raise InputError("this experiment is a sweep: run it with wavetank sweep", path="spec.sweep")
    version = parse_version(spec.get("kubernetesVersion", version_name(NEWEST)), "spec.kubernetesVersion")
    cluster = read_cluster(spec.get("cluster"), folder, "spec.cluster")
    workload, notes = read_workload(spec.get("workload"), folder, cluster, "spec.workload")
    schedulers = parse_entries(spec.get("schedulers", [{"name": "default"}]), folder, version)
    faults = parse_faults(spec.get("faults", []), cluster, "spec.faults")
    events = read_machine_events(spec.get("workload"), folder, cluster, "spec.workload")
    latency = parse_latency(spec.get("latency", "ideal"), "spec.latency")
    execution = read_execution(spec.get("execution", KUBELET), "spec.execution")
    if execution == K8SSIM:
        latency = _k8ssim_latency(spec, bool(faults or events))
        schedulers = tuple(of_k8ssim(entry) for entry in schedulers)
    return Experiment(
        name=read_name(metadata.get("name", default_name), "metadata.name"),
        cluster=cluster,
        workload=workload,
        schedulers=schedulers,
        seeds=parse_seeds(spec.get("seeds", [1]), "spec.seeds"),
        latency=latency,
        version=version,
        ties=_ties(spec.get("ties", "random")),
        faults=tuple(sorted((*faults, *events), key=lambda fault: fault.at)),
        horizon=_horizon(spec.get("horizon")),
        controllers=read_controllers(spec.get("controllers", EVERYTHING), "spec.controllers"),
        execution=execution,
        assertions=parse_assertions(spec.get("assert", []), "spec.assert"),
        notes=(*notes, *(note for entry in schedulers for note in entry.notes(version))),
    )


def _k8ssim_latency(spec: Mapping[str, Any], has_faults: bool) -> Latency:
    """Returns what results call the times of K8sSim's nodes; refuses what these do not know."""
    if has_faults:
        raise InputError("nodes of execution k8ssim do not fail: leave the faults out", path="spec.faults")
    if spec.get("latency", IDEAL.name) != IDEAL.name:
        raise InputError("execution k8ssim has times of its own: leave the latency out", path="spec.latency")
    return Latency(K8SSIM)


def parse_version(value: object, path: str) -> Version:
    """Reads a Kubernetes release such as 1.36."""
    version = read_version(str(value)) if isinstance(value, str | float) else None
    if version is None or not OLDEST <= version <= NEWEST:
        raise InputError(
            f'expected a release from "{version_name(OLDEST)}" to "{version_name(NEWEST)}", got {value!r:.60}',
            path=path,
        )
    return version


def parse_seeds(value: object, path: str) -> tuple[int, ...]:
    """Reads seeds: a list of whole numbers, or a text such as 1-5,9."""
    if isinstance(value, str):
        return _no_twins(_seed_ranges(value, path), path)
    if isinstance(value, int):
        return (fields.integer(value, path, most=_LARGEST_SEED),)
    given = enumerate(fields.items(value, path))
    return _no_twins([fields.integer(seed, f"{path}[{i}]", most=_LARGEST_SEED) for i, seed in given], path)


def _seed_ranges(text: str, path: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,18})(?:-(\d{1,18}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise InputError(f"expected seeds such as 1-5 or 1,2,7, got {text!r:.60}", path=path)
        if len(seeds) + last - first >= _MOST_SEEDS:
            raise InputError(f"expected at most {_MOST_SEEDS} seeds, got {text!r:.60}", path=path)
        seeds.extend(range(first, last + 1))
    return seeds


def _no_twins(seeds: Sequence[int], path: str) -> tuple[int, ...]:
    for seed, times in Counter(seeds).items():
        if times > 1:
            raise InputError(f"the seed {seed} stands twice", path=path)
    return tuple(seeds)


def _ties(value: object) -> TieBreaking:
    if value == "random":
        return "random"
    if value == "exact":
        return "exact"
    raise InputError(f"expected random or exact, got {value!r:.60}", path="spec.ties")


def _horizon(value: object) -> Nanoseconds | None:
    return None if value is None else fields.duration(value, "spec.horizon")
