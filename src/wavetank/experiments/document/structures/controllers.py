"""`controllers` of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wavetank.controllers.descriptors import EVERYTHING, read_names
from wavetank.documents import types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.experiments.document.structures.schedulers import PATIENCE
from wavetank.experiments.document.structures.values import NAME
from wavetank.kernel.durations import Nanoseconds

_NAMES = Type("text or list", read_names, {"anyOf": [{"type": "string"}, types.STRINGS]})
BY_FLAG, BY_ENVIRONMENT = "flag", "environment"


class ManagerSpec(Structure):
    """A real controller manager in the loop."""

    package: str = field(
        types.text,
        default="kube-controller-manager",
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


class ControllersSpec(Structure):
    """Controllers of which a real program runs some."""

    process: ManagerSpec = field(types.nested(ManagerSpec), doc="a real controller manager in the loop")


class ControllerProcessSpec(Structure):
    """A program that was built by `wavetank controller build`."""

    package: str | None = field(
        types.text, default=None, otherwise="the controller's name", doc="the name under which it was built"
    )
    version: str = field(types.text, doc="its release of Kubernetes")
    args: list[str] | None = field(
        types.items(types.text, "list of texts"),
        default=None,
        otherwise="[]",
        doc="its arguments; `{kubeconfig}` stands for that file",
    )
    kubeconfig: str = field(
        types.choice((BY_FLAG, BY_ENVIRONMENT)),
        default=BY_FLAG,
        doc="`flag`: it has the flag `--kubeconfig`; `environment`: it reads KUBECONFIG only",
    )
    env: Mapping[str, str] = field(types.strings, default={}, doc="more environment variables")
    patience: Nanoseconds = field(
        types.duration, default=PATIENCE, doc="how long it may run, in real time, before it waits again"
    )


class ControllerProgramSpec(Structure):
    """A real controller in the loop, beside the built-in ones."""

    name: str = field(NAME, doc="its name in messages")
    process: ControllerProcessSpec = field(types.nested(ControllerProcessSpec), doc="the program")


class ControllerList(NamedTuple):
    """Which built-in controllers are on, and the real ones by their places in the list."""

    names: frozenset[str]
    programs: Mapping[int, ControllerProgramSpec]


def _read_list(value: object, path: str) -> ControllerList:
    entries = list(enumerate(value)) if isinstance(value, list) else []
    programs = {i: entry for i, entry in entries if isinstance(entry, Mapping)}
    read = {i: ControllerProgramSpec.read(entry, f"{path}[{i}]") for i, entry in programs.items()}
    if not programs:
        return ControllerList(read_names(value, path), {})
    names = [entry for i, entry in entries if i not in programs]
    return ControllerList(read_names(names or EVERYTHING, path), read)


def _list_schema(definitions: Definitions) -> Schema:
    entry = {"anyOf": [{"type": "string"}, ControllerProgramSpec.refer(definitions)]}
    return {"anyOf": [{"type": "string"}, {"type": "array", "items": entry}]}


_LIST = Type("text or list", _read_list, _list_schema, [("[]", ControllerProgramSpec)])
CONTROLLERS = types.either("text, list or mapping", types.nested(ControllersSpec), _LIST, Mapping)
