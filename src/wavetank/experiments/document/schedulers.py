"""The entries under `schedulers` of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wavetank.batchoperator.esi.policy.policy import is_external
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.experiments.document.classes import load_class
from wavetank.experiments.document.structures.schedulers import SCHEDULERS, PluginSpec, SchedulerPart, SchedulerSpec
from wavetank.experiments.document.structures.values import make_name
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.results.layout import EXPERIMENT_FILES
from wavetank.scheduling.attachable import Attachable
from wavetank.scheduling.config import Configuration, default_configuration, parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named import find_scheduler, named_schedulers
from wavetank.scheduling.policy import OwnPlugin, build_policy
from wavetank.simulation.entries import SchedulerEntry

_Definition = Attachable | ProcessDefinition


def parse_entries(value: object, folder: Path, version: Version) -> tuple[SchedulerEntry, ...]:
    """Reads a list of schedulers; each must have a name of its own."""
    return make_entries(SCHEDULERS.read(value, "spec.schedulers"), folder, version, "spec.schedulers")


def make_entries(
    specs: Sequence[SchedulerSpec], folder: Path, version: Version, path: str
) -> tuple[SchedulerEntry, ...]:
    """Returns what to try; InputError if two have the same name, or one cannot be used."""
    entries: list[SchedulerEntry] = []
    for i, spec in enumerate(specs):
        where = f"{path}[{i}]"
        _check_name(spec.name, [entry.name for entry in entries], f"{where}.name")
        entries.append(_entry(spec.name, list(_definitions(spec, folder, version, where)), where))
    return tuple(entries)


def _entry(name: str, definitions: Sequence[_Definition], path: str) -> SchedulerEntry:
    schedulers = tuple(each for each in definitions if not isinstance(each, ProcessDefinition))
    processes = tuple(each for each in definitions if isinstance(each, ProcessDefinition))
    if len({process.sync for process in processes}) > 1:
        raise InputError("programs that run together must all have the same sync", path=path)
    return SchedulerEntry(name, schedulers, processes)


def _check_name(name: str, others: Sequence[str], path: str) -> None:
    """Refuses a name whose folder would be that of another scheduler, or a file of the results."""
    if name in others:
        raise InputError(f"a second scheduler called {name!r}: names must be unique", path=path)
    if name.lower() in {*EXPERIMENT_FILES, *(other.lower() for other in others)}:
        raise InputError(f"{name!r} cannot be the name of a folder beside the other results", path=path)


def _definitions(spec: SchedulerSpec, folder: Path, version: Version, path: str) -> Iterator[_Definition]:
    if spec.together is None:
        yield _definition(spec, folder, version, path)
        return
    names: set[str] = set()
    taken: set[str] = set()
    for i, part in enumerate(spec.together):
        where = f"{path}.together[{i}]"
        definition = _definition(part, folder, version, where)
        _take(definition.name, names, "scheduler called", f"{where}.name")
        for scheduler_name in definition.scheduler_names:
            _take(scheduler_name, taken, "scheduler for schedulerName", where)
        yield definition


def _take(name: str, taken: set[str], what: str, path: str) -> None:
    if name in taken:
        raise InputError(f"a second {what} {name!r}: each needs its own", path=path)
    taken.add(name)


def _definition(spec: SchedulerPart, folder: Path, version: Version, path: str) -> _Definition:
    kind = next((kind for kind in _MAKERS if getattr(spec, kind) is not None), "name")
    try:
        definition = _MAKERS.get(kind, _named)(spec, folder, version)
    except InputError as error:
        raise error.inside(path=path if error.path.startswith("args") else f"{path}.{kind}") from None
    if spec.plugins:
        definition = _with_plugins(definition, spec.plugins, folder, f"{path}.plugins")
    if isinstance(definition, ProcessDefinition) or spec.scheduler_name is None:
        return definition
    try:
        return definition.renamed(spec.scheduler_name)
    except InputError as error:
        raise error.inside(path=f"{path}.schedulerName") from None


def _with_plugins(definition: _Definition, specs: Sequence[PluginSpec], folder: Path, path: str) -> SchedulerDefinition:
    """Returns a configured scheduler with plugins of the user's; InputError if it is of another kind."""
    if not isinstance(definition, SchedulerDefinition) or definition.policy is not None:
        raise InputError("plugins go with config, or with the default configuration", path=path)
    profiles = definition.configuration.profiles
    taken = {plugin.name for profile in profiles for point in profile.plugins.values() for plugin in point}
    plugins: list[OwnPlugin] = []
    for i, spec in enumerate(specs):
        try:
            policy = load_class(spec.python, folder) if isinstance(spec.python, str) else spec.python
            build_policy(policy, spec.args)
        except InputError as error:
            raise error.inside(path=f"{path}[{i}]") from None
        name = spec.name or policy.__name__
        _take(name, taken, "plugin called", f"{path}[{i}].name")
        plugins.append(OwnPlugin(name, policy, spec.weight, spec.args))
    names = ", ".join(f"{each.name} (weight {each.weight})" for each in plugins)
    return replace(definition, description=f"{definition.description}, with {names}", plugins=tuple(plugins))


def _named(spec: SchedulerPart, folder: Path, version: Version) -> Attachable:
    if spec.plugins and spec.name not in named_schedulers():
        return SchedulerDefinition(spec.name, "kube-scheduler's default profile", default_configuration(version))
    return find_scheduler(spec.name, version)


def _policy(spec: SchedulerPart, folder: Path, version: Version) -> Attachable:
    assert spec.policy is not None
    return find_scheduler(spec.policy, version, name=spec.name, args=spec.args or {})


def _config(spec: SchedulerPart, folder: Path, version: Version) -> SchedulerDefinition:
    if isinstance(spec.config, Mapping):
        return SchedulerDefinition(spec.name, "kube-scheduler as configured", parse_configuration(spec.config, version))
    path = folder / (spec.config or "")
    return SchedulerDefinition(spec.name, f"kube-scheduler with {path.name}", read_configuration(path, version))


def _python(spec: SchedulerPart, folder: Path, version: Version) -> Attachable:
    policy = load_class(spec.python, folder) if isinstance(spec.python, str) else spec.python
    assert policy is not None
    args = spec.args or {}
    description = (policy.__doc__ or "").strip().partition("\n")[0].rstrip(".") or f"the policy {policy.__name__}"
    if is_external(policy):
        from wavetank.experiments.document.external import define_external  # few experiments need it

        return define_external(spec.name, description, policy, args, version)
    build_policy(policy, args)
    return SchedulerDefinition(spec.name, description, default_configuration(version), policy, args)


def _process(spec: SchedulerPart, folder: Path, version: Version) -> ProcessDefinition:
    from wavetank.experiments.document.processes import define_process  # few experiments have programs in the loop

    assert spec.process is not None
    return define_process(spec.name, spec.process, folder, spec.scheduler_name)


def _volcano(spec: SchedulerPart, folder: Path, version: Version) -> Attachable:
    from wavetank.experiments.document.volcano import define_volcano  # few experiments need it

    assert spec.volcano is not None
    return define_volcano(spec.name, spec.volcano, folder)


# By the field of an entry that says what it is; without any it is a scheduler's name.
_MAKERS: Mapping[str, Callable[[SchedulerPart, Path, Version], _Definition]] = {
    "policy": _policy,
    "config": _config,
    "python": _python,
    "process": _process,
    "volcano": _volcano,
}


def read_configuration(path: Path, version: Version) -> Configuration:
    """Reads the file of a KubeSchedulerConfiguration; InputError names the place of what is wrong with it."""
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise InputError("expected one KubeSchedulerConfiguration", source=str(path))
    try:
        return parse_configuration(documents[0], version)
    except InputError as error:
        raise error.inside(source=str(path)) from None


def entry_of(scheduler: str | Path | type) -> dict[str, object]:
    """Makes the entry that a short form stands for: a name, CONFIG.yaml, module:Class, or a class."""
    if isinstance(scheduler, type):
        return {"name": make_name(scheduler.__name__), "python": scheduler}
    if not isinstance(scheduler, str | Path):
        problem = f"expected a name, a file, module:Class, a class or a mapping, got {scheduler!r:.60}"
        raise InputError(problem, path="schedulers")
    path = Path(scheduler)
    if path.suffix in (".yaml", ".yml", ".json"):
        return {"name": make_name(path.stem), "config": str(path.resolve())}
    if ":" in str(scheduler):
        return {"name": make_name(str(scheduler).partition(":")[2]), "python": str(scheduler)}
    return {"name": str(scheduler)}
