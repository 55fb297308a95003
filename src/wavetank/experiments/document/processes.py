"""`process:` of a scheduler's entry: a real scheduler that runs in the loop."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import read_text
from wavetank.errors import InputError
from wavetank.experiments.document.configurations import read_configuration
from wavetank.experiments.document.structures.schedulers import ProcessSpec
from wavetank.experiments.document.sync import make_sync
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import parse_release, parse_version
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.processes.configuration import HEAD, check_configuration, renamed
from wavetank.loop.processes.definition import ProcessDefinition, VolcanoProcess
from wavetank.loop.recipes import recipe_of
from wavetank.loop.tracing.tracing import check_machine

VOLCANO = "vc-scheduler"


def define_process(name: str, spec: ProcessSpec, folder: Path, scheduler_name: str | None) -> ProcessDefinition:
    """Returns the program; InputError if it has not been built, or cannot be started."""
    if spec.package == VOLCANO:
        return _define_volcano(name, spec, folder, scheduler_name)
    configuration = _configuration(HEAD if spec.config is None else spec.config, folder)
    if scheduler_name is not None:
        configuration = renamed(configuration, scheduler_name)
    return ProcessDefinition(
        name=name,
        configuration=configuration,
        arguments=tuple(spec.args or ()),
        patience_s=spec.patience / SECOND,
        slack=spec.timer_slack,
        listen=spec.listen,
        **_program(spec, folder),
    )


def _define_volcano(name: str, spec: ProcessSpec, folder: Path, scheduler_name: str | None) -> VolcanoProcess:
    """Returns Volcano's own scheduler; its version is Volcano's, its configuration a volcano-scheduler.conf."""
    recipe = recipe_of(VOLCANO)
    try:
        version = parse_version(spec.version or recipe.version, recipe.version)
    except BuildError as error:
        raise InputError(str(error), path="version") from None
    program = Cache().find(VOLCANO, version, "controller")
    return VolcanoProcess(
        name=name,
        package=VOLCANO,
        version=version,
        file=program.file,
        configuration={},
        arguments=tuple(spec.args or ()),
        patience_s=spec.patience / SECOND,
        slack=spec.timer_slack,
        manifests=tuple(program.manifests),
        conf=_volcano_conf(spec.config, folder),
        scheduler_name=scheduler_name or "volcano",
        release=program.kubernetes,
    )


def _volcano_conf(value: str | Mapping[str, Any] | None, folder: Path) -> str:
    """Returns the text of a volcano-scheduler.conf: a file's, or a mapping's, since JSON is YAML."""
    if value is None:
        return ""
    return read_text(folder / value) if isinstance(value, str) else json.dumps(value)


def _program(spec: ProcessSpec, folder: Path) -> dict[str, Any]:
    """Returns what the program is and how it keeps step, as fields of its definition."""
    sync = make_sync(spec.sync)
    version = "" if spec.version is None else _version(spec.version)
    shared = {"version": version, "sync": sync}
    if spec.package is not None:
        return {**shared, "package": spec.package, "file": Cache().find(spec.package, version).file}
    if sync is None:
        check_machine()
    unbuilt = {**shared, "built": False}
    if spec.binary is not None:
        path = _binary(folder / spec.binary)
        return {**unbuilt, "package": path.name, "file": str(path)}
    if spec.command is None and sync is None:
        raise InputError("expected one of package, binary, command (listen alone only with sync)")
    words = tuple(spec.command or ())
    return {**unbuilt, "package": Path(words[0]).name if words else "", "file": "", "command": _located(words, folder)}


def _located(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Makes the words of a command that are files beside the experiment whole; links stay (a venv's python is one)."""
    return tuple(os.path.abspath(folder / word) if (folder / word).is_file() else word for word in command)


def _binary(path: Path) -> Path:
    if not os.access(path, os.X_OK) or path.is_dir():
        raise InputError(f"{path} is not a program that can be started", path="binary")
    return path.absolute()


def _version(version: str) -> str:
    try:
        return parse_release(version)
    except BuildError as error:
        raise InputError(str(error), path="version") from None


def _configuration(value: str | Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    document = read_configuration(value, folder, HEAD["kind"])
    try:
        check_configuration(document)
    except InputError as error:
        place = {"source": str(folder / value)} if isinstance(value, str) else {"path": "config"}
        raise error.inside(**place) from None
    return document
