"""A pod template as Go's spew prints it: the text over which kube-controller-manager computes its hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wavetank.controllers.hashing.goquantity import quantity_text

TEMPLATE = "v1.PodTemplateSpec"

_NIL = "<nil>"
_EMBEDDED = "-"
_ZERO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
_MAPS = {"v1.ResourceList": "resource.Quantity", "map[string]string": "string"}
_NUMBERS = ("int32", "int64")


class Field(NamedTuple):
    """A field of a Go struct: its name in Go and in JSON, and its type as Go prints it."""

    go_name: str
    name: str
    type: str


def go_text(template: Mapping[str, Any]) -> str:
    """Returns a pod template, given in the form that the API stores, as spew prints it with types."""
    return f"({TEMPLATE}){_struct(TEMPLATE, template)}"


def _struct(name: str, document: Mapping[str, Any]) -> str:
    return f"{{{' '.join(_fields(name, document))}}}"


def _fields(name: str, document: Mapping[str, Any]) -> Iterator[str]:
    for field in _types()[name]:
        value = document if field.name == _EMBEDDED else document.get(field.name)
        yield f"{field.go_name}:({field.type}){_value(field.type, value)}"


def _value(go_type: str, value: Any) -> str:
    if go_type.startswith("*"):
        return _NIL if value is None else _value(go_type[1:], value)
    if go_type.startswith("[]"):
        return f"[{' '.join(_value(go_type[2:], item) for item in value)}]" if value else _NIL
    if go_type in _MAPS:
        return _map(_MAPS[go_type], value) if value else _NIL
    if go_type in _types():
        return _struct(go_type, value or {})
    return _scalar(go_type, value)


def _map(go_type: str, value: Mapping[str, Any]) -> str:
    return f"map[{' '.join(f'{key}:{_value(go_type, value[key])}' for key in sorted(value))}]"


def _scalar(go_type: str, value: Any) -> str:
    if go_type == "bool":
        return "true" if value else "false"
    if go_type in _NUMBERS:
        return str(value or 0)
    if go_type == "resource.Quantity":
        return quantity_text(str(value))
    if go_type == "intstr.IntOrString":
        return _int_or_string(value)
    if go_type == "v1.Time":
        return _ZERO_TIME  # a template has no times
    return str(value or "")


def _int_or_string(value: Any) -> str:
    kind, number, text = (1, 0, value) if isinstance(value, str) else (0, value or 0, "")
    return f"{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}"


@cache
def _types() -> dict[str, list[Field]]:
    """Returns the fields of each struct; the file is written by scripts/podtypes."""
    types: dict[str, list[Field]] = {}
    fields: list[Field] = []
    for line in files(__package__).joinpath("podtypes.txt").read_text().splitlines():
        if line.startswith("\t"):
            fields.append(Field(*line.split()))
        else:
            fields = types[line] = []
    return types
