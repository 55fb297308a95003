"""The entries under `schedulers` of an experiment."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import Version
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import SCHEDULER
from wavetank.experiments.document.names import make_name, read_name
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.results.layout import EXPERIMENT_FILES
from wavetank.scheduling.attachable import Attachable
from wavetank.scheduling.config import Configuration, default_configuration, parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named import find_scheduler
from wavetank.scheduling.policy import build_policy

_KINDS = ("config", "policy", "python", "volcano", "process", "together")
_Definition = Attachable | ProcessDefinition


@dataclass(frozen=True)
class SchedulerEntry:
    """One thing to try: a scheduler, or several side by side."""

    name: str
    schedulers: tuple[Attachable, ...]
    processes: tuple[ProcessDefinition, ...] = ()

    def notes(self, version: Version) -> list[str]:
        """Returns what the user should know of it: plugins that are not simulated, programs of another release."""
        ignored = [f"{self.name}: {note}" for scheduler in self.schedulers for note in scheduler.notes()]
        return [*ignored, *(note for process in self.processes for note in process.notes(version))]

    @property
    def description(self) -> str:
        """Says in a line what it is."""
        parts: list[_Definition] = [*self.schedulers, *self.processes]
        return " + ".join(part.description for part in parts)


def parse_entries(value: object, folder: Path, version: Version) -> tuple[SchedulerEntry, ...]:
    """Reads the list of schedulers; each must have a name of its own."""
    entries: list[SchedulerEntry] = []
    for i, item in enumerate(fields.items(value, "spec.schedulers")):
        path = f"spec.schedulers[{i}]"
        given = fields.mapping(item, path, SCHEDULER)
        name = read_name(given.get("name"), f"{path}.name")
        _check_name(name, [entry.name for entry in entries], f"{path}.name")
        entries.append(_entry(name, list(_definitions(name, given, folder, version, path)), path))
    return tuple(entries)


def _entry(name: str, definitions: Sequence[_Definition], path: str) -> SchedulerEntry:
    schedulers = tuple(each for each in definitions if not isinstance(each, ProcessDefinition))
    processes = tuple(each for each in definitions if isinstance(each, ProcessDefinition))
    if len({process.sync for process in processes}) > 1:
        raise InputError("programs that run together keep step in one way: the same sync for all", path=path)
    return SchedulerEntry(name, schedulers, processes)


def _check_name(name: str, others: Sequence[str], path: str) -> None:
    """Refuses a name whose folder would be that of another scheduler, or a file of the results."""
    if name in others:
        raise InputError(f"a second scheduler called {name!r}: names must be unique", path=path)
    if name.lower() in {*EXPERIMENT_FILES, *(other.lower() for other in others)}:
        raise InputError(f"{name!r} cannot be the name of a folder beside the other results", path=path)


def _definitions(
    name: str, given: Mapping[str, Any], folder: Path, version: Version, path: str
) -> Iterator[_Definition]:
    if "together" not in given:
        yield _definition(name, given, folder, version, path)
        return
    _only(given, ("name", "together"), path)
    names: set[str] = set()
    taken: set[str] = set()
    for i, item in enumerate(fields.items(given["together"], f"{path}.together")):
        where = f"{path}.together[{i}]"
        part = fields.mapping(item, where, tuple(field for field in SCHEDULER if field != "together"))
        definition = _definition(fields.text(part.get("name"), f"{where}.name"), part, folder, version, where)
        _take(definition.name, names, "scheduler called", f"{where}.name")
        for scheduler_name in definition.scheduler_names:
            _take(scheduler_name, taken, "scheduler for schedulerName", where)
        yield definition


def _take(name: str, taken: set[str], what: str, path: str) -> None:
    if name in taken:
        raise InputError(f"a second {what} {name!r}: each needs its own", path=path)
    taken.add(name)


def _definition(name: str, given: Mapping[str, Any], folder: Path, version: Version, path: str) -> _Definition:
    kinds = [kind for kind in _KINDS if kind in given]
    if len(kinds) > 1:
        raise InputError(f"expected only one of {', '.join(kinds)}", path=path)
    kind = kinds[0] if kinds else "name"
    if "args" in given and kind not in ("policy", "python"):
        raise InputError("args go with policy or python", path=f"{path}.args")
    try:
        definition = _MAKERS[kind](name, given, folder, version)
    except InputError as error:
        raise error.inside(path=path if error.path.startswith("args") else f"{path}.{kind}") from None
    renamed = given.get("schedulerName")
    if isinstance(definition, ProcessDefinition):
        return definition
    return definition if renamed is None else _renamed(definition, fields.text(renamed, f"{path}.schedulerName"), path)


def _named(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> Attachable:
    return find_scheduler(name, version)


def _policy(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> Attachable:
    args = fields.mapping(given.get("args", {}), "args")
    return find_scheduler(fields.text(given["policy"], ""), version, name=name, args=args)


def _config(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> SchedulerDefinition:
    value = given["config"]
    if isinstance(value, Mapping):
        return SchedulerDefinition(name, "kube-scheduler as configured", parse_configuration(value, version))
    path = folder / fields.text(value, "")
    return SchedulerDefinition(name, f"kube-scheduler with {path.name}", read_configuration(path, version))


def read_configuration(path: Path, version: Version) -> Configuration:
    """Reads the file of a KubeSchedulerConfiguration; InputError names the place of whatever is wrong with it."""
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise InputError("expected one KubeSchedulerConfiguration", source=str(path))
    try:
        return parse_configuration(documents[0], version)
    except InputError as error:
        raise error.inside(source=str(path)) from None


def _python(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> SchedulerDefinition:
    reference = given["python"]
    policy = reference if isinstance(reference, type) else load_class(fields.text(reference, ""), folder)
    args = fields.mapping(given.get("args", {}), "args")
    build_policy(policy, args)
    description = (policy.__doc__ or "").strip().partition("\n")[0].rstrip(".") or f"the policy {policy.__name__}"
    return SchedulerDefinition(name, description, default_configuration(version), policy, args)


def _process(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> ProcessDefinition:
    from wavetank.experiments.document.processes import read_process  # programs are seldom in the loop

    renamed = given.get("schedulerName")
    return read_process(name, given["process"], folder, None if renamed is None else fields.text(renamed, ""))


def _volcano(name: str, given: Mapping[str, Any], folder: Path, version: Version) -> Attachable:
    from wavetank.experiments.document.volcano import read_volcano  # not in many experiments

    return read_volcano(name, given["volcano"], folder)


_Maker = Callable[[str, Mapping[str, Any], Path, Version], _Definition]
_MAKERS: Mapping[str, _Maker] = {
    "name": _named,
    "policy": _policy,
    "config": _config,
    "python": _python,
    "process": _process,
    "volcano": _volcano,
}


def load_class(reference: str, folder: Path) -> type:
    """Imports `module:Class`; modules are looked for in `folder` first, then in the working folder."""
    match = re.fullmatch(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)", reference)
    if not match:
        raise InputError(f"expected module:Class, got {reference!r:.60}")
    _look_first_in(match[1], [str(folder.resolve()), str(Path.cwd())])
    try:
        found = getattr(importlib.import_module(match[1]), match[2], None)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot import {match[1]}: {type(error).__name__}: {error}") from error
    if not isinstance(found, type):
        raise InputError(f"the module {match[1]} has no class {match[2]}")
    return found


_searched: set[str] = set()


def _look_first_in(module: str, places: list[str]) -> None:
    """Puts places at the head of the search, and forgets a namesake that came from the place of another experiment."""
    loaded = sys.modules.get(module)
    origin = str(Path(getattr(loaded, "__file__", None) or "").parent)
    if origin in _searched and origin not in places:
        del sys.modules[module]
    sys.path[:] = [*places, *(place for place in sys.path if place not in places)]
    _searched.update(places)
    importlib.invalidate_caches()  # a module may have been written a moment ago


def _renamed(definition: Attachable, scheduler_name: str, path: str) -> Attachable:
    try:
        return definition.renamed(scheduler_name)
    except InputError as error:
        raise error.inside(path=f"{path}.schedulerName") from None


def _only(given: Mapping[str, Any], known: tuple[str, ...], path: str) -> None:
    for field in given:
        if field not in known:
            raise InputError(f"{field} does not go with together: give it to one of its parts", path=path)


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
