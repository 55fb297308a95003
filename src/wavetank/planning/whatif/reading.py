"""Reads changes from flags and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError
from wavetank.planning.whatif.changes import (
    SCALED,
    Add,
    AddWorkload,
    Change,
    Cordon,
    Drain,
    Fail,
    Remove,
    Reschedule,
    Scale,
    Uncordon,
    Upgrade,
)
from wavetank.words import did_you_mean
from wavetank.workloads.open import open_workload

_SCALE = re.compile(r"(?:([a-z0-9][-a-z0-9]*)/)?([A-Za-z]+)/([a-z0-9][-a-z0-9.]*)=([0-9]{1,7})")
_UPGRADE = re.compile(r"(surge|unavailable)=([1-9][0-9]{0,5})")


def read_changes(value: object, folder: Path, path: str = "changes") -> list[Change]:
    """Reads a list of changes, each `{drain: node-1}` or `reschedule`; files are relative to `folder`."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InputError(f"expected a list of changes, got {value!r:.60}", path=path)
    return [change for i, item in enumerate(value) for change in _changes(item, folder, f"{path}[{i}]")]


def read_document(file: Path) -> tuple[list[Change], list[str]]:
    """Reads a document with `changes` and `assert`; returns both. InputError names what is wrong with it."""
    documents = load_documents(read_text(file), str(file))
    try:
        if len(documents) != 1 or not isinstance(documents[0], Mapping):
            raise InputError("expected one mapping with changes")
        document = documents[0]
        for key in document:
            if key not in ("changes", "assert"):
                raise InputError(f"unknown field {key!r}: expected changes and assert")
        asserted = document.get("assert") or []
        if not isinstance(asserted, list) or not all(isinstance(text, str) for text in asserted):
            raise InputError("expected a list of assertions", path="assert")
        return read_changes(document.get("changes"), file.parent), asserted
    except InputError as error:
        raise error.inside(source=str(file)) from None


def read_change(name: str, value: object, folder: Path) -> Change:
    """Reads one change by its name and value, as in a flag; InputError if it is none."""
    if name not in _READERS:
        hint = did_you_mean(name, _READERS)
        raise InputError(f"unknown change {name!r:.60}{hint}: expected one of {', '.join(_READERS)}")
    try:
        return _READERS[name](value, folder)
    except InputError as error:
        raise error if error.source else error.inside(path=name) from None


def _changes(item: object, folder: Path, path: str) -> Iterator[Change]:
    try:
        if item == "reschedule":
            yield Reschedule()
        elif isinstance(item, Mapping):
            for name, value in item.items():
                values = value if isinstance(value, list) and name not in _OF_NODES else [value]
                yield from (read_change(str(name), each, folder) for each in values)
        else:
            raise InputError(f"expected a change such as {{drain: node-1}}, got {item!r:.60}")
    except InputError as error:
        raise error.inside(path=path) from None


def _text(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return ",".join(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"expected a text, got {value!r:.60}")
    return value


def _scale(value: object, folder: Path) -> Change:
    match = _SCALE.fullmatch(_text(value))
    if match is None or match[2].lower() not in SCALED:
        raise InputError(f"expected deploy/NAME=REPLICAS or NAMESPACE/deploy/NAME=REPLICAS, got {value!r:.60}")
    return Scale(SCALED[match[2].lower()], match[1] or "", match[3], int(match[4]))


def _upgrade(value: object, folder: Path) -> Change:
    text = "surge=1" if value is True else _text(value)
    match = _UPGRADE.fullmatch(text)
    if match is None:
        raise InputError(f"expected surge=1 or unavailable=1, got {text!r:.60}")
    return Upgrade(**{match[1]: int(match[2])})


def _workload(value: object, folder: Path) -> Change:
    path = folder / _text(value)
    return AddWorkload(path, open_workload(path))


def _add(value: object, folder: Path) -> Change:
    text = _text(value)
    number, sign, name = text.partition("x")
    if Path(text).suffix in (".yaml", ".yml", ".json") and not Path(text).is_absolute():  # relative to the document
        counted = sign and number.isdecimal()
        return Add(f"{number}x{folder / name}" if counted else str(folder / text))
    return Add(text)


_OF_NODES: Mapping[str, Callable[[str], Change]] = {
    "drain": Drain,
    "remove": Remove,
    "cordon": Cordon,
    "uncordon": Uncordon,
    "fail": Fail,
}
_READERS: Mapping[str, Callable[[object, Path], Change]] = {
    **{name: lambda value, folder, make=make: make(_text(value)) for name, make in _OF_NODES.items()},  # type: ignore[misc]
    "add": _add,
    "add-workload": _workload,
    "scale": _scale,
    "upgrade": _upgrade,
    "reschedule": lambda value, folder: Reschedule(),
}
