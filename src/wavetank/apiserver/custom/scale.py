"""The scale subresource of custom resources, whose fields the definition names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.custom.customtype import AGE, CustomType, ScalePaths
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.fielderrors import FieldError, invalid

_LARGEST = 2**31 - 1
_NAMED = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def _column(which: str) -> Document:
    name, part = {"desired": ("Desired", "spec"), "actual": ("Available", "status")}[which]
    path = f".{part}.replicas"
    return {"name": name, "type": "integer", "description": f"Number of {which} replicas", "jsonPath": path}


# How the scale of a custom object is shown in a table.
SCALE_TYPE = CustomType(
    "autoscaling", "v1", "Scale", "ScaleList", "v1", {}, (_column("desired"), _column("actual"), AGE)
)


class WrongValueError(ValueError):
    """A value that is no number; the text is Go's message."""


def show_custom_scale(paths: ScalePaths, document: Document) -> tuple[Document, bool]:
    """Returns the Scale of an object, and whether it states its number of replicas; WrongValueError if it is none."""
    metadata = {name: document["metadata"][name] for name in _NAMED if name in document["metadata"]}
    wanted = _integer_at(document, paths.spec_replicas)
    shown: Document = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata}
    shown["spec"] = {"replicas": wanted} if wanted else {}
    shown["status"] = {"replicas": _integer_at(document, paths.status_replicas) or 0}
    if paths.selector and (selector := _string_at(document, paths.selector)):
        shown["status"]["selector"] = selector
    return shown, wanted is not None


def set_replicas(paths: ScalePaths, document: Document, replicas: int) -> None:
    """Writes the wanted number of replicas into an object, in place."""
    *steps, last = _steps(paths.spec_replicas)
    for name in steps:
        document[name] = dict(document.get(name) or {})
        document = document[name]
    document[last] = replicas


def check_scale_spec(paths: ScalePaths | None, document: Document) -> Iterator[FieldError]:
    """Checks the wanted number of replicas."""
    if paths is not None:
        yield from _check_figure(document, paths.spec_replicas)


def check_scale_status(paths: ScalePaths | None, document: Document) -> Iterator[FieldError]:
    """Checks the current number of replicas and the selector."""
    if paths is None:
        return
    yield from _check_figure(document, paths.status_replicas)
    if paths.selector:
        try:
            _string_at(document, paths.selector)
        except WrongValueError as error:
            yield invalid(paths.selector, "", str(error))


def _check_figure(document: Document, path: str) -> Iterator[FieldError]:
    try:
        figure = _integer_at(document, path) or 0
    except WrongValueError as error:
        yield invalid(path, 0, str(error))
        return
    if figure < 0:
        yield invalid(path, figure, "should be a non-negative integer")
    elif figure > _LARGEST:
        yield invalid(path, figure, f"should be less than or equal to {_LARGEST}")


def _steps(path: str) -> list[str]:
    return path.removeprefix(".").split(".")


def _integer_at(document: Document, path: str) -> int | None:
    value = _value_at(document, path)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise _wrong(path, value, "int64")
    return value


def _string_at(document: Document, path: str) -> str:
    value = _value_at(document, path)
    if value is not None and not isinstance(value, str):
        raise _wrong(path, value, "string")
    return value or ""


def _value_at(document: Any, path: str) -> Any:
    steps = _steps(path)
    for i, name in enumerate(steps):
        if not isinstance(document, dict):
            if document is None:
                return None
            place = "." + ".".join(steps[:i])
            what = f"{_go_value(document)} is of the type {_go_type(document)}, expected map[string]interface {{}}"
            raise WrongValueError(f"{place} accessor error: {what}")
        document = document.get(name)
    return document


def _wrong(path: str, value: Any, wanted: str) -> WrongValueError:
    what = f"{_go_value(value)} is of the type {_go_type(value)}, expected {wanted}"
    return WrongValueError(f".{'.'.join(_steps(path))} accessor error: {what}")


def _go_type(value: Any) -> str:
    names: dict[type, str] = {bool: "bool", int: "int64", float: "float64", str: "string", list: "[]interface {}"}
    return names.get(type(value), "map[string]interface {}")


def _go_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{' '.join(_go_value(each) for each in value)}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_go_value(value[name])}' for name in sorted(value))}]"
    return str(value)
