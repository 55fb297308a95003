"""`process:` of a scheduler's entry: a real scheduler that runs in the loop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import parse_release
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.completing import HEAD, check_configuration, renamed
from wavetank.loop.definition import PATIENCE_S, ProcessDefinition
from wavetank.workloads import fields

_FIELDS = ("package", "version", "config", "args", "patience")


def read_process(name: str, value: object, folder: Path, scheduler_name: str | None) -> ProcessDefinition:
    """Reads {package: kube-scheduler, version: v1.35.8, config: FILE, args: [...], patience: 60s}.

    `config` is a KubeSchedulerConfiguration, in a file or inline. InputError if the program has not been built.
    """
    given = fields.mapping(value, "", _FIELDS)
    package = fields.text(given.get("package"), "package")
    version = _version(given.get("version"))
    configuration = _configuration(given.get("config", HEAD), folder)
    if scheduler_name is not None:
        configuration = renamed(configuration, scheduler_name)
    patience = fields.duration(given["patience"], "patience") / SECOND if "patience" in given else PATIENCE_S
    arguments = fields.items(given["args"], "args") if "args" in given else []
    return ProcessDefinition(
        name=name,
        package=package,
        version=version,
        file=Cache().find(package, version).file,
        configuration=configuration,
        arguments=tuple(fields.text(each, f"args[{i}]") for i, each in enumerate(arguments)),
        patience_s=patience,
    )


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
