"""`controllers` of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.controllers.descriptors import EVERYTHING, read_names
from wavetank.documents import reading, types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.experiments.document.structures.schedulers import CONFIG, PATIENCE, SLACK_DOC
from wavetank.experiments.document.structures.values import NAME
from wavetank.kernel.durations import Nanoseconds

_NAMES = Type("text or list", read_names, {"anyOf": [{"type": "string"}, types.STRINGS]})
BY_FLAG, BY_ENVIRONMENT = "flag", "environment"
MANAGER = "kube-controller-manager"


def _read_ports(value: object, path: str) -> Mapping[str, int]:
    ports: dict[str, int] = {}
    for name, port in reading.mapping(value, path).items():
        if name.count("/") != 1:
            raise InputError(f"expected NAMESPACE/NAME of a Service, got {name!r:.60}", path=path)
        if not isinstance(port, int) or not 0 < port < 1 << 16:
            raise InputError(f"expected a port, got {port!r:.60}", path=f"{path}[{name!r}]")
        ports[name] = port
    return ports


_PORTS: Type[Mapping[str, int]] = Type(
    "ports by name", _read_ports, {"type": "object", "additionalProperties": {"type": "integer"}}
)


class ManagerSpec(Structure):
    """A real controller manager in the loop."""

    package: str = field(
        types.text,
        default=MANAGER,
        doc="the name under which `wavetank controller build` built it",
    )
    version: str = field(types.text, doc="its release of Kubernetes")
    controllers: frozenset[str] | None = field(
        _NAMES,
        default=None,
        otherwise="those that create and delete pods",
        doc="the controllers that it runs; the others are built-in",
    )
    args: list[str] | None = field(
        types.items(types.text, "list of texts"), default=None, otherwise="[]", doc="more arguments"
    )
    patience: Nanoseconds = field(
        types.duration, default=PATIENCE, doc="how long it may run, in real time, before it waits again"
    )
    timer_slack: Nanoseconds = field(types.duration, default=0, doc=SLACK_DOC)


class ControllersSpec(Structure):
    """Controllers of which a real program runs some."""

    process: ManagerSpec = field(types.nested(ManagerSpec), doc="a real controller manager in the loop")


class ControllerProcessSpec(Structure):
    """A program that was built by `wavetank controller build`."""

    package: str | None = field(
        types.text, default=None, otherwise="the controller's name", doc="the name under which it was built"
    )
    version: str | None = field(
        types.text,
        default=None,
        otherwise="that which was tried, of a known program",
        doc="its own version for a known program (`kueue`, `karpenter`), else its release of Kubernetes",
    )
    config: str | Mapping[str, Any] | None = field(
        CONFIG, default=None, doc="its configuration, which is completed; `kueue` has one"
    )
    args: list[str] | None = field(
        types.items(types.text, "list of texts"),
        default=None,
        otherwise="[]",
        doc="its arguments; `{kubeconfig}` stands for that file",
    )
    kubeconfig: str | None = field(
        types.choice((BY_FLAG, BY_ENVIRONMENT)),
        default=None,
        otherwise=f"`{BY_FLAG}`",
        doc="`flag`: it has the flag `--kubeconfig`; `environment`: it reads KUBECONFIG only",
    )
    services: Mapping[str, int] = field(
        _PORTS,
        default={},
        doc="the Services (NAMESPACE/NAME) whose webhooks it serves, with the ports on which it listens",
    )
    env: Mapping[str, str] = field(types.strings, default={}, doc="more environment variables")
    patience: Nanoseconds = field(
        types.duration, default=PATIENCE, doc="how long it may run, in real time, before it waits again"
    )
    timer_slack: Nanoseconds = field(types.duration, default=0, doc=SLACK_DOC)


class ControllerProgramSpec(Structure):
    """A real controller in the loop, beside the built-in ones."""

    name: str = field(NAME, doc="its name in messages")
    process: ControllerProcessSpec = field(types.nested(ControllerProcessSpec), doc="the program")


class ManagerProgramSpec(Structure):
    """A real controller manager in a list of controllers, in place of built-in ones."""

    name: str = field(types.choice((MANAGER,)), doc="by this name the controllers that it runs are not built-in")
    process: ManagerSpec = field(types.nested(ManagerSpec), doc="the program")


class ControllerList(NamedTuple):
    """Which built-in controllers are on, and the real ones by their places in the list."""

    names: frozenset[str]
    programs: Mapping[int, ControllerProgramSpec]
    managers: Mapping[int, ManagerSpec]


def _read_list(value: object, path: str) -> ControllerList:
    entries = list(enumerate(value)) if isinstance(value, list) else []
    programs = {i: entry for i, entry in entries if isinstance(entry, Mapping)}
    if not programs:
        return ControllerList(read_names(value, path), {}, {})
    managers = {
        i: ManagerProgramSpec.read(entry, f"{path}[{i}]").process
        for i, entry in programs.items()
        if entry.get("name") == MANAGER
    }
    others = {
        i: ControllerProgramSpec.read(entry, f"{path}[{i}]") for i, entry in programs.items() if i not in managers
    }
    names = [entry for i, entry in entries if i not in programs]
    return ControllerList(read_names(names or EVERYTHING, path), others, managers)


def _list_schema(definitions: Definitions) -> Schema:
    programs = (ControllerProgramSpec.refer(definitions), ManagerProgramSpec.refer(definitions))
    entry = {"anyOf": [{"type": "string"}, *programs]}
    return {"anyOf": [{"type": "string"}, {"type": "array", "items": entry}]}


_LIST = Type(
    "text or list", _read_list, _list_schema, [("[]", ControllerProgramSpec), ("[] (manager)", ManagerProgramSpec)]
)
CONTROLLERS = types.either("text, list or mapping", types.nested(ControllersSpec), _LIST, Mapping)
