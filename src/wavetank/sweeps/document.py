"""The `sweep` of an Experiment: the scenarios that it is tried in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.document.names import make_name, read_name
from wavetank.sweeps.clusters import read_factor, with_larger_nodes, with_more_nodes
from wavetank.sweeps.documentfields import CLUSTER_VARIANT, SCENARIO, SWEEP, WORKLOAD_VARIANT
from wavetank.sweeps.keys import digest

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
    """Reads a sweep; InputError names the place of whatever is wrong with it."""
    spec = {**fields.mapping(document.get("spec"), "spec"), **(changes or {})}
    given = fields.mapping(spec.pop("sweep", {}), "spec.sweep", SWEEP)
    metadata = fields.mapping(document.get("metadata", {}), "metadata")
    name = read_name(metadata.get("name", default_name), "metadata.name")
    scenarios = []
    for label, changed, where in _scenarios(spec, given):
        scenarios.append(_scenario(label, {**document, "spec": changed}, given, folder, where))
    _check(scenarios)
    return Sweep(name, tuple(scenarios))


def _scenarios(spec: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yields the name of each scenario, its spec with the changes to its cluster still in it, and where it stands."""
    if "scenarios" in given:
        for field in ("clusters", "workloads"):
            if field in given:
                raise InputError(f"{field} does not go with scenarios", path=f"spec.sweep.{field}")
        yield from _listed(spec, given["scenarios"])
        return
    clusters = _variants(given.get("clusters"), CLUSTER_VARIANT, "spec.sweep.clusters")
    workloads = _variants(given.get("workloads"), WORKLOAD_VARIANT, "spec.sweep.workloads")
    for (cluster, where), (workload, elsewhere) in product(clusters, workloads):
        label = "-".join(part for part in (workload.get("name"), cluster.get("name")) if part) or "all"
        changes = {**cluster, **{key: value for key, value in workload.items() if key != "name"}}
        changes.pop("name", None)
        yield label, {**spec, **changes}, where or elsewhere


def _listed(spec: Mapping[str, Any], value: object) -> Iterator[tuple[str, dict[str, Any], str]]:
    for i, item in enumerate(fields.items(value, "spec.sweep.scenarios")):
        where = f"spec.sweep.scenarios[{i}]"
        changes = dict(fields.mapping(item, where, SCENARIO))
        label = fields.text(changes.pop("name", str(i + 1)), f"{where}.name")
        if "schedulers" in changes:
            changes["schedulers"] = [_entry(each, spec) for each in fields.items(changes["schedulers"], where)]
        yield label, {**spec, **changes}, where


def _entry(value: object, spec: Mapping[str, Any]) -> object:
    """Lets a scenario name a scheduler of the experiment, or one that has a name of its own."""
    if not isinstance(value, str):
        return value
    known = {each.get("name"): each for each in spec.get("schedulers") or () if isinstance(each, Mapping)}
    return known.get(value, {"name": value})


def _variants(value: object, known: Collection[str], path: str) -> list[tuple[Mapping[str, Any], str]]:
    if value is None:
        return [({}, "")]
    given = enumerate(fields.items(value, path))
    variants = [(fields.mapping(item, f"{path}[{i}]", known), f"{path}[{i}]") for i, item in given]
    for variant, where in variants:
        fields.text(variant.get("name"), f"{where}.name")
    return variants


def _scenario(label: str, document: Mapping[str, Any], given: Mapping[str, Any], folder: Path, where: str) -> Scenario:
    spec = dict(document["spec"])
    nodes, resources = spec.pop("nodes", None), spec.pop("resources", None)
    spec["schedulers"] = list(_crossed(spec.get("schedulers", [{"name": "default"}]), given.get("parameters", {})))
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


def _crossed(schedulers: object, parameters: object) -> Iterator[Any]:
    """Yields the schedulers, those with parameters once for each combination of their values."""
    grids = fields.mapping(parameters, "spec.sweep.parameters")
    entries = fields.items(schedulers, "spec.schedulers")
    names = {entry.get("name") for entry in entries if isinstance(entry, Mapping)}
    for name in grids:
        if name not in names:
            raise InputError(f"there is no scheduler called {name!r:.60}", path="spec.sweep.parameters")
    for entry in entries:
        name = str(entry.get("name")) if isinstance(entry, Mapping) else ""
        if name not in grids:
            yield entry
            continue
        path = f"spec.sweep.parameters.{name}"
        grid = {key: fields.items(values, f"{path}.{key}") for key, values in fields.mapping(grids[name], path).items()}
        for values in product(*grid.values()):
            chosen = dict(zip(grid, values, strict=True))
            label = make_name("-".join([str(name), *(f"{key}-{value}" for key, value in chosen.items())]))
            source = {} if {"python", "policy"} & entry.keys() else {"policy": name}
            yield {**entry, **source, "name": label, "args": {**entry.get("args", {}), **chosen}}


def _check(scenarios: Sequence[Scenario]) -> None:
    names: set[str] = set()
    for scenario in scenarios:
        if scenario.name.lower() in names:
            raise InputError(f"a second scenario called {scenario.name!r}: names must be unique", path="spec.sweep")
        names.add(scenario.name.lower())
    runs = sum(len(each.experiment.schedulers) * len(each.experiment.seeds) for each in scenarios)
    if runs > _MOST_RUNS:
        raise InputError(f"that makes {runs} runs; expected at most {_MOST_RUNS}", path="spec.sweep")
