"""`controllers:` of an experiment: names of built-in ones, and real programs that run in the loop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wavetank.controllers.descriptors import all_names
from wavetank.errors import InputError
from wavetank.experiments.document.configurations import read_configuration
from wavetank.experiments.document.structures.controllers import (
    BY_FLAG,
    MANAGER,
    ControllerList,
    ControllerProgramSpec,
    ControllersSpec,
    ManagerSpec,
)
from wavetank.kernel.durations import SECOND
from wavetank.loop.processes.definition import ControllerDefinition, ManagerDefinition
from wavetank.loop.recipes import Recipe, recipe_of

if TYPE_CHECKING:
    from wavetank.loop.building.cache import Program

# The controllers of a real manager by default: those that create pods, and those that decide when pods end.
_USUAL = frozenset(
    {
        "deployment-controller",
        "replicaset-controller",
        "replicationcontroller-controller",
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
    spec: ControllersSpec | ControllerList, folder: Path, path: str, flags: Mapping[str, str] | None = None
) -> Controllers:
    """Returns the controllers; with a real manager, all that it does not run are built-in.

    `flags` are for the real manager as well; its own arguments override them. Configurations of programs are files in
    the `folder`.
    """
    if not isinstance(spec, ControllerList):
        manager = make_manager(spec.process, f"{path}.process", flags or {})
        return Controllers(all_names() - frozenset(manager.controllers), manager)
    managers = [make_manager(each, f"{path}[{place}].process", flags or {}) for place, each in spec.managers.items()]
    if len(managers) > 1:
        raise InputError(f"a second {MANAGER}", path=f"{path}[{max(spec.managers)}].name")
    taken = frozenset(managers[0].controllers) if managers else frozenset()
    programs = _programs(spec, folder, path)
    # a real Kueue is in place of the built-in one, and Volcano's controllers of that of its Jobs
    taken = taken.union({each.package for each in programs}, *(each.replaces for each in programs))
    return Controllers(spec.names - taken, managers[0] if managers else None, programs)


def _programs(spec: ControllerList, folder: Path, path: str) -> tuple[ControllerDefinition, ...]:
    """Returns the real controllers of a list; InputError if two have one name, or one has not been built."""
    made: dict[str, ControllerDefinition] = {}
    for place, each in spec.programs.items():
        if each.name in made:
            raise InputError(f"a second controller {each.name!r:.60}", path=f"{path}[{place}].name")
        made[each.name] = _program(each, folder, f"{path}[{place}].process")
    return tuple(made.values())


def _program(spec: ControllerProgramSpec, folder: Path, path: str) -> ControllerDefinition:
    process = spec.process
    package = process.package or spec.name
    recipe = recipe_of(package)
    program = _built(package, _own_version(process.version, recipe, f"{path}.version"), path)
    try:
        given = {} if process.config is None else read_configuration(process.config, folder)
        if given and recipe.configure is None:
            raise InputError(f"{package} has no configuration that is known here: use args", path="config")
        configuration = recipe.configure(given) if recipe.configure else None
    except InputError as error:
        raise error.inside(path=path) from None
    return ControllerDefinition(
        spec.name,
        package,
        program.version,
        program.file,
        tuple(process.args or ()),
        recipe.has_flag if process.kubeconfig is None else process.kubeconfig == BY_FLAG,
        process.patience / SECOND,
        process.env,
        configuration,
        tuple(recipe.adapt(program.manifests, configuration or {})),
        {**recipe.services, **process.services},
        program.kubernetes,
        process.timer_slack,
        recipe.replaces,
    )


def _own_version(version: str | None, recipe: Recipe, path: str) -> str:
    """Returns the version of a program: of Kubernetes, or its own if it is a known one."""
    from wavetank.loop.building.module import parse_version  # few experiments need it
    from wavetank.loop.building.toolchain import BuildError

    if version is None and not recipe.version:
        raise InputError("this field is required", path=path)
    if not recipe.version:
        return _version(str(version), path)
    try:
        return parse_version(version or recipe.version, recipe.version)
    except BuildError as error:
        raise InputError(str(error), path=path) from None


def _built(package: str, version: str, path: str) -> Program:
    from wavetank.loop.building.cache import Cache  # few experiments need it

    try:
        return Cache().find(package, version, "controller")
    except InputError as error:
        raise error.inside(path=path) from None


def make_manager(spec: ManagerSpec, path: str, flags: Mapping[str, str]) -> ManagerDefinition:
    """Returns a real controller manager; InputError if it has not been built."""
    version = _version(spec.version, f"{path}.version")
    file = _built(spec.package, version, path).file
    names = sorted(_USUAL if spec.controllers is None else spec.controllers)
    args = (*(f"--{name}={value}" for name, value in flags.items()), *(spec.args or ()))
    return ManagerDefinition(spec.package, version, file, names, args, spec.patience / SECOND, spec.timer_slack)


def _version(version: str, path: str) -> str:
    from wavetank.loop.building.module import parse_release  # few experiments need it
    from wavetank.loop.building.toolchain import BuildError

    try:
        return parse_release(version)
    except BuildError as error:
        raise InputError(str(error), path=path) from None
