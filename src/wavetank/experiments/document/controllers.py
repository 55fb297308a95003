"""`controllers:` of an experiment: names of built-in ones, and real programs that run in the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wavetank.controllers.descriptors import all_names
from wavetank.errors import InputError
from wavetank.experiments.document.structures.controllers import (
    BY_FLAG,
    ControllerList,
    ControllerProgramSpec,
    ControllersSpec,
    ManagerSpec,
)
from wavetank.kernel.durations import SECOND
from wavetank.loop.processes.definition import ControllerDefinition, ManagerDefinition

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
    """The controllers of a run: the names of the built-in ones that are on, and real programs.

    A `manager` is in place of built-in controllers, other `programs` are beside them.
    """

    names: frozenset[str]
    manager: ManagerDefinition | None = None
    programs: tuple[ControllerDefinition, ...] = ()

    @property
    def description(self) -> str:
        """Describes the real programs in a line; empty if there are none."""
        manager = [self.manager.description] if self.manager else []
        return "; ".join([*manager, *(each.description for each in self.programs)])


def make_controllers(
    spec: ControllersSpec | ControllerList, path: str, flags: Mapping[str, str] | None = None
) -> Controllers:
    """Returns the controllers; with a real manager, all that it does not run are built-in.

    `flags` are for the real manager as well; its own arguments override them.
    """
    if isinstance(spec, ControllerList):
        return Controllers(spec.names, programs=_programs(spec, path))
    manager = make_manager(spec.process, f"{path}.process", flags or {})
    return Controllers(all_names() - frozenset(manager.controllers), manager)


def _programs(spec: ControllerList, path: str) -> tuple[ControllerDefinition, ...]:
    """Returns the real controllers of a list; InputError if two have one name, or one has not been built."""
    made: dict[str, ControllerDefinition] = {}
    for place, each in spec.programs.items():
        if each.name in made:
            raise InputError(f"a second controller {each.name!r:.60}", path=f"{path}[{place}].name")
        made[each.name] = _program(each, f"{path}[{place}].process")
    return tuple(made.values())


def _program(spec: ControllerProgramSpec, path: str) -> ControllerDefinition:
    process = spec.process
    package, version = process.package or spec.name, _version(process.version, f"{path}.version")
    file = _built(package, version, path)
    by_flag = process.kubeconfig == BY_FLAG
    return ControllerDefinition(
        spec.name, package, version, file, tuple(process.args or ()), by_flag, process.patience / SECOND, process.env
    )


def _built(package: str, version: str, path: str) -> str:
    from wavetank.loop.building.cache import Cache  # few experiments need it

    try:
        return Cache().find(package, version, "controller").file
    except InputError as error:
        raise error.inside(path=path) from None


def make_manager(spec: ManagerSpec, path: str, flags: Mapping[str, str]) -> ManagerDefinition:
    """Returns a real controller manager; InputError if it has not been built."""
    version = _version(spec.version, f"{path}.version")
    file = _built(spec.package, version, path)
    names = sorted(_USUAL if spec.controllers is None else spec.controllers)
    args = (*(f"--{name}={value}" for name, value in flags.items()), *(spec.args or ()))
    return ManagerDefinition(spec.package, version, file, names, args, patience_s=spec.patience / SECOND)


def _version(version: str, path: str) -> str:
    from wavetank.loop.building.module import parse_release  # few experiments need it
    from wavetank.loop.building.toolchain import BuildError

    try:
        return parse_release(version)
    except BuildError as error:
        raise InputError(str(error), path=path) from None
