"""`process:` of a scheduler's entry: a real scheduler that runs in the loop."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import PROCESS
from wavetank.experiments.document.sync import read_address, read_sync
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import parse_release
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.processes.configuration import HEAD, check_configuration, renamed
from wavetank.loop.processes.definition import PATIENCE_S, ProcessDefinition
from wavetank.loop.tracing.tracing import check_machine

_PROGRAMS = ("package", "binary", "command", "listen")


def read_process(name: str, value: object, folder: Path, scheduler_name: str | None) -> ProcessDefinition:
    """Reads {package: kube-scheduler, version: v1.35.8, config: FILE, args: [...], patience: 60s, sync: {...}}.

    `config` is a KubeSchedulerConfiguration, in a file or inline. InputError if the program has not been built. In
    place of a package there may be the `binary` of a kube-scheduler, or any `command`, or an address to `listen` at.
    """
    given = fields.mapping(value, "", PROCESS)
    configuration = _configuration(given.get("config", HEAD), folder)
    if scheduler_name is not None:
        configuration = renamed(configuration, scheduler_name)
    patience = fields.duration(given["patience"], "patience") / SECOND if "patience" in given else PATIENCE_S
    arguments = fields.items(given["args"], "args") if "args" in given else []
    return ProcessDefinition(
        name=name,
        configuration=configuration,
        arguments=tuple(fields.text(each, f"args[{i}]") for i, each in enumerate(arguments)),
        patience_s=patience,
        **_program(given, folder),
    )


def _program(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Reads what the program is and how it keeps step; the fields of its definition."""
    sync = read_sync(given["sync"]) if given.get("sync") is not None else None
    version = _version(given.get("version")) if "version" in given or "package" in given else ""
    shared = {"version": version, "sync": sync, "listen": read_address(given["listen"]) if "listen" in given else None}
    if "package" in given:
        package = fields.text(given["package"], "package")
        return {**shared, "package": package, "file": Cache().find(package, version).file}
    if sync is None:
        check_machine()
    unbuilt = {**shared, "built": False}
    if "binary" in given:
        path = _binary(folder / fields.text(given["binary"], "binary"))
        return {**unbuilt, "package": path.name, "file": str(path)}
    command = fields.items(given["command"], "command") if "command" in given else []
    if not command and (sync is None or "listen" not in given):
        raise InputError(f"expected one of {', '.join(_PROGRAMS)} (listen alone only with sync)")
    words = tuple(fields.text(word, f"command[{i}]") for i, word in enumerate(command))
    return {**unbuilt, "package": Path(words[0]).name if words else "", "file": "", "command": _located(words, folder)}


def _located(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Makes the words of a command that are files beside the experiment whole; links stay (a venv's python is one)."""
    return tuple(os.path.abspath(folder / word) if (folder / word).is_file() else word for word in command)


def _binary(path: Path) -> Path:
    if not os.access(path, os.X_OK) or path.is_dir():
        raise InputError(f"{path} is no program that can be started", path="binary")
    return path.absolute()


def _version(value: object) -> str:
    try:
        return parse_release(fields.text(value, "version"))
    except BuildError as error:
        raise InputError(str(error), path="version") from None


def _configuration(value: object, folder: Path) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        _check(value, "")
        return value
    path = folder / fields.text(value, "config")
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise InputError("expected one KubeSchedulerConfiguration", source=str(path))
    _check(documents[0], str(path))
    return documents[0]


def _check(document: Mapping[str, Any], source: str) -> None:
    try:
        check_configuration(document)
    except InputError as error:
        raise error.inside(path="config" if not source else "", source=source) from None
