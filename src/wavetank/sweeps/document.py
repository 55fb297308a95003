"""The `sweep` of an Experiment: the scenarios that it is tried in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.documents import reading
from wavetank.documents.structure import Structure
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION, KIND
from wavetank.experiments.document.structures.values import make_name, read_name
from wavetank.sweeps.autoscalers import autoscaler_variants, flag_variants, group_variants, pool_variants
from wavetank.sweeps.clusters import read_factor, with_larger_nodes, with_more_nodes
from wavetank.sweeps.keys import digest
from wavetank.sweeps.spec import ClusterVariant, ScenarioSpec, SweepDocument, SweepSpec, WorkloadVariant

_NO_INPUTS = ("seeds", "assert")  # a run has one seed, and does not know what is asked of it
_MOST_RUNS = 100_000


@dataclass(frozen=True)
class Scenario:
    """One cluster with one workload, on which every one of its schedulers is tried under every seed.

    `digests` is the hash of all inputs of a scheduler's runs, but for the seed, by the scheduler's name.
    """

    name: str
    experiment: Experiment
    digests: Mapping[str, str]


@dataclass(frozen=True)
class Sweep:
    """Scenarios, in the order in which they are reported."""

    name: str
    scenarios: tuple[Scenario, ...]

    @property
    def runs(self) -> int:
        """Returns how many runs there are in all."""
        return sum(len(each.experiment.schedulers) * len(each.experiment.seeds) for each in self.scenarios)


def load_sweep(experiment: str | Path | Mapping[str, Any] | None, changes: Mapping[str, Any]) -> Sweep:
    """Reads a sweep from a file, or from a document itself, with some fields of its spec replaced."""
    if isinstance(experiment, str | Path):
        return read_sweep(Path(experiment), changes)
    return parse_sweep(experiment or {"apiVersion": API_VERSION, "kind": KIND, "spec": {}}, Path.cwd(), changes=changes)


def read_sweep(path: Path, changes: Mapping[str, Any] | None = None) -> Sweep:
    """Reads an Experiment with its `sweep`; without one it is a sweep of one scenario.

    `changes` replace fields of the spec. Names of files are relative to the document's folder.
    """
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise InputError("expected one Experiment document", source=str(path))
    try:
        return parse_sweep(documents[0], path.parent, make_name(path.stem), changes)
    except InputError as error:
        raise error.inside(source=str(path)) from None


def parse_sweep(
    document: Mapping[str, Any], folder: Path, default_name: str = "sweep", changes: Mapping[str, Any] | None = None
) -> Sweep:
    """Reads a sweep; InputError names the place of what is wrong with it."""
    spec = {**reading.mapping(document.get("spec"), "spec"), **(changes or {})}
    read = SweepDocument.read({**document, "spec": spec}, "")
    spec.pop("sweep", None)
    given = read.spec.sweep
    scenarios = [
        _scenario(label, {**document, "spec": changed}, given, folder, where)
        for label, changed, where in _scenarios(spec, given)
    ]
    _check(scenarios)
    return Sweep(read.metadata.name or read_name(default_name, "metadata.name"), tuple(scenarios))


def _scenarios(spec: Mapping[str, Any], given: SweepSpec) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yields the name of each scenario, its spec with the changes to its cluster still in it, and its path."""
    if given.scenarios is not None:
        yield from _listed(spec, given.scenarios)
        return
    clusters = _variants(given.clusters, "spec.sweep.clusters")
    workloads = _variants(given.workloads, "spec.sweep.workloads")
    factors = (
        list(autoscaler_variants(spec.get("hpa"), given.hpa, "spec.sweep.hpa")),
        list(group_variants(spec.get("nodeGroups"), given.node_groups, "spec.sweep.nodeGroups")),
        list(pool_variants(spec.get("nodePools"), given.node_pools, "spec.sweep.nodePools")),
        list(flag_variants(spec.get("autoscaler"), given.autoscaler)),
    )
    for (cluster, of_cluster, where), (workload, of_workload, elsewhere), *others in product(
        clusters, workloads, *factors
    ):
        label = "-".join(part for part in (workload, cluster, *(name for name, _ in others)) if part) or "all"
        changed = {**spec, **of_cluster, **of_workload}
        for _, change in others:
            changed |= change
        yield label, changed, where or elsewhere


def _listed(spec: Mapping[str, Any], scenarios: Sequence[ScenarioSpec]) -> Iterator[tuple[str, dict[str, Any], str]]:
    for i, scenario in enumerate(scenarios):
        changes = _changes(scenario)
        if "schedulers" in changes:
            changes["schedulers"] = [_entry(each, spec) for each in changes["schedulers"]]
        yield scenario.name or str(i + 1), {**spec, **changes}, f"spec.sweep.scenarios[{i}]"


def _variants(
    given: Sequence[ClusterVariant | WorkloadVariant] | None, path: str
) -> list[tuple[str, dict[str, Any], str]]:
    """Returns the name of each variant, the fields of the spec that it replaces, and its path."""
    if given is None:
        return [("", {}, "")]
    return [(variant.name, _changes(variant), f"{path}[{i}]") for i, variant in enumerate(given)]


def _changes(variant: Structure) -> dict[str, Any]:
    """Returns the fields of the spec that a scenario or a variant replaces, as they are written."""
    given = {field.name: getattr(variant, field.attribute) for field in variant.fields.values()}
    return {name: value for name, value in given.items() if name != "name" and value is not None}


def _entry(value: object, spec: Mapping[str, Any]) -> object:
    """Lets a scenario name a scheduler of the experiment, or one that has a name of its own."""
    if not isinstance(value, str):
        return value
    known = {each.get("name"): each for each in spec.get("schedulers") or () if isinstance(each, Mapping)}
    return known.get(value, {"name": value})


def _scenario(label: str, document: Mapping[str, Any], given: SweepSpec, folder: Path, where: str) -> Scenario:
    spec = dict(document["spec"])
    nodes, resources = spec.pop("nodes", None), spec.pop("resources", None)
    spec["schedulers"] = list(_crossed(spec.get("schedulers", [{"name": "default"}]), given.parameters))
    name = read_name(make_name(label), f"{where}.name" if where else "metadata.name")
    try:
        experiment = parse_experiment({**document, "spec": spec}, folder, name)
    except InputError as error:
        raise InputError(f"{error.message} (scenario {label})", path=error.path, source=error.source) from None
    cluster = experiment.cluster
    if nodes is not None:
        cluster = with_more_nodes(cluster, read_factor(nodes, f"{where}.nodes"))
    if resources is not None:
        cluster = with_larger_nodes(cluster, read_factor(resources, f"{where}.resources"))
    inputs = {field: value for field, value in spec.items() if field not in _NO_INPUTS}
    digests = {
        entry.name: digest({**inputs, "schedulers": [raw], "nodes": nodes, "resources": resources}, folder)
        for entry, raw in zip(experiment.schedulers, spec["schedulers"], strict=True)
    }
    return Scenario(name, replace(experiment, name=name, cluster=cluster), digests)


def _crossed(entries: Sequence[Any], grids: Mapping[str, Mapping[str, Sequence[Any]]]) -> Iterator[Any]:
    """Yields the schedulers, those with parameters once for each combination of their values."""
    names = {entry.get("name") for entry in entries}
    for name in grids:
        if name not in names:
            raise InputError(f"there is no scheduler called {name!r:.60}", path="spec.sweep.parameters")
    for entry in entries:
        name = entry["name"]
        if name not in grids:
            yield entry
            continue
        for values in product(*grids[name].values()):
            chosen = dict(zip(grids[name], values, strict=True))
            label = make_name("-".join([name, *(f"{key}-{value}" for key, value in chosen.items())]))
            source = {} if {"python", "policy"} & entry.keys() else {"policy": name}
            yield {**entry, **source, "name": label, "args": {**(entry.get("args") or {}), **chosen}}


def _check(scenarios: Sequence[Scenario]) -> None:
    names: set[str] = set()
    for scenario in scenarios:
        if scenario.name.lower() in names:
            raise InputError(f"a second scenario called {scenario.name!r}: names must be unique", path="spec.sweep")
        names.add(scenario.name.lower())
    runs = sum(len(each.experiment.schedulers) * len(each.experiment.seeds) for each in scenarios)
    if runs > _MOST_RUNS:
        raise InputError(f"that makes {runs} runs; expected at most {_MOST_RUNS}", path="spec.sweep")
