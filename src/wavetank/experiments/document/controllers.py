"""`controllers:` of an experiment: names of built-in ones, or a real controller manager that runs in the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wavetank.controllers.descriptors import all_names, read_names
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import MANAGER
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import parse_release
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.processes.definition import PATIENCE_S, ManagerDefinition

# What a real manager does unless it is told otherwise: what makes pods, and what decides when they go.
_USUAL = [
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
    "ttl-after-finished-controller",
    "disruption-controller",
]


class Controllers(NamedTuple):
    """The controllers of a run: the names of the built-in ones that are on, and a real manager in place of others."""

    names: frozenset[str]
    manager: ManagerDefinition | None = None


def read_controllers(value: object, path: str) -> Controllers:
    """Reads names, or {process: {package: kube-controller-manager, version: v1.35.8, controllers: [...], args: [...]}}.

    The manager does what `controllers` of the process names; all the rest is built-in.
    """
    if not isinstance(value, Mapping):
        return Controllers(read_names(value, path))
    given = fields.mapping(value, path, ("process",))
    manager = _manager(given.get("process"), f"{path}.process")
    return Controllers(all_names() - frozenset(manager.controllers), manager)


def _manager(value: object, path: str) -> ManagerDefinition:
    given = fields.mapping(value, path, MANAGER)
    package = fields.text(given.get("package", "kube-controller-manager"), f"{path}.package")
    version = _version(given.get("version"), f"{path}.version")
    arguments = fields.items(given["args"], f"{path}.args") if "args" in given else []
    names = sorted(read_names(given.get("controllers", _USUAL), f"{path}.controllers"))
    stated = fields.duration(given["patience"], f"{path}.patience") / SECOND if "patience" in given else PATIENCE_S
    try:
        file = Cache().find(package, version).file
    except InputError as error:
        raise error.inside(path=path) from None
    return ManagerDefinition(
        package,
        version,
        file,
        names,
        tuple(fields.text(each, f"{path}.args[{i}]") for i, each in enumerate(arguments)),
        stated,
    )


def _version(value: object, path: str) -> str:
    try:
        return parse_release(fields.text(value, path))
    except BuildError as error:
        raise InputError(str(error), path=path) from None
