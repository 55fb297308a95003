"""`controllers:` of an experiment: names of built-in ones, or a real controller manager that runs in the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wavetank.controllers.descriptors import all_names
from wavetank.errors import InputError
from wavetank.experiments.document.structures.spec import ControllersSpec, ManagerSpec
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import parse_release
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.processes.definition import ManagerDefinition

# The controllers of a real manager by default: those that create pods, and those that decide when pods end.
_USUAL = frozenset(
    {
        "deployment-controller",
        "replicaset-controller",
        "statefulset-controller",
        "daemonset-controller",
        "job-controller",
        "cronjob-controller",
        "ttl-after-finished-controller",
        "disruption-controller",
    }
)


class Controllers(NamedTuple):
    """The controllers of a run: the names of the built-in ones that are on, and a real manager in place of others."""

    names: frozenset[str]
    manager: ManagerDefinition | None = None


def make_controllers(
    spec: ControllersSpec | frozenset[str], path: str, flags: Mapping[str, str] | None = None
) -> Controllers:
    """Returns the controllers; with a real manager, all that it does not run are built-in.

    `flags` are for the real manager as well; its own arguments override them.
    """
    if isinstance(spec, frozenset):
        return Controllers(spec)
    manager = make_manager(spec.process, f"{path}.process", flags or {})
    return Controllers(all_names() - frozenset(manager.controllers), manager)


def make_manager(spec: ManagerSpec, path: str, flags: Mapping[str, str]) -> ManagerDefinition:
    """Returns a real controller manager; InputError if it has not been built."""
    version = _version(spec.version, f"{path}.version")
    try:
        file = Cache().find(spec.package, version).file
    except InputError as error:
        raise error.inside(path=path) from None
    names = sorted(_USUAL if spec.controllers is None else spec.controllers)
    args = (*(f"--{name}={value}" for name, value in flags.items()), *(spec.args or ()))
    return ManagerDefinition(spec.package, version, file, names, args, patience_s=spec.patience / SECOND)


def _version(version: str, path: str) -> str:
    try:
        return parse_release(version)
    except BuildError as error:
        raise InputError(str(error), path=path) from None
