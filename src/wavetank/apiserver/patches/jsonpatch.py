"""JSON patches (RFC 6902), with what the real server's library does differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from wavetank.apiserver.patches.refusal import PatchError
from wavetank.cluster.sortedjson import sorted_keys
from wavetank.cluster.yamldepth import is_too_deep

Operation = dict[str, Any]

_TOO_DEEP = "exceeded max depth"
_MOST_COPIED = 3 * 1024 * 1024  # bytes of JSON that the copies of a patch may add, as in the real server


def apply_operations(document: Any, operations: list[Operation]) -> Any:
    """Changes `document` by the operations, in place, and returns it or what replaces it.

    As the real server does: replacing a missing key of an object adds it, an index may count from the end, the value
    of a missing key equals null. Raises a PatchError at the first operation that fails, or if the result is too deep.
    """
    try:
        patched = _applied(document, operations)
    except RecursionError:
        raise PatchError(_TOO_DEEP) from None
    if is_too_deep(patched):
        raise PatchError(_TOO_DEEP)
    return patched


def _applied(document: Any, operations: list[Operation]) -> Any:
    holder, copied = [document], 0
    for operation in operations:
        kind = operation.get("op")
        apply = _OPERATIONS.get(kind) if isinstance(kind, str) else None
        if apply is None:
            raise PatchError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        if apply is _copy:
            copied += _size_of_copy(holder, operation)
            if copied > _MOST_COPIED:
                increase = f"the accumulated size increase of copy is {copied}, exceeding the limit {_MOST_COPIED}"
                raise PatchError(f"Unable to complete the copy, {increase}")
        apply(holder, operation)
    _sort_along(holder[0], (operation.get("path") or "" for operation in operations))
    return holder[0]


def _size_of_copy(holder: list[Any], operation: Operation) -> int:
    return len(msgspec.json.encode(_get(*_find(holder[0], _path(operation, "from")))))


def _add(holder: list[Any], operation: Operation) -> None:
    container, key = _find(holder[0], _path(operation, "path"))
    _insert(container, key, operation.get("value"))


def _remove(holder: list[Any], operation: Operation) -> None:
    _take(*_find(holder[0], _path(operation, "path")))


def _replace(holder: list[Any], operation: Operation) -> None:
    path = _path(operation, "path")
    if path == "":
        if not isinstance(operation.get("value"), dict | list):
            raise PatchError("replace operation value must be object or array")
        holder[0] = operation["value"]
        return
    container, key = _find(holder[0], path)
    if isinstance(container, dict):
        container[key] = operation.get("value")
    else:
        container[_index(key, len(container))] = operation.get("value")


def _move(holder: list[Any], operation: Operation) -> None:
    value = _take(*_find(holder[0], _path(operation, "from")))
    _insert(*_find(holder[0], _path(operation, "path")), value)


def _copy(holder: list[Any], operation: Operation) -> None:
    value = _get(*_find(holder[0], _path(operation, "from")))
    _insert(*_find(holder[0], _path(operation, "path")), msgspec.json.decode(msgspec.json.encode(value)))


def _test(holder: list[Any], operation: Operation) -> None:
    path = _path(operation, "path")
    found = holder[0] if path == "" else _get(*_find(holder[0], path))
    if not _equal(found, operation.get("value")):
        raise PatchError(f"testing value {path} failed")


_OPERATIONS: dict[str, Callable[[list[Any], Operation], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _path(operation: Operation, name: str) -> str:
    path = operation.get(name)
    if not isinstance(path, str):
        raise PatchError(f"operation missing {name} field")
    return path


def _find(document: Any, path: str) -> tuple[Any, str]:
    """Returns the container that a path leads to, and the key in it."""
    _, *parts = path.split("/")
    if not parts:
        raise PatchError(f"doc is missing path: {path}")
    *way, last = map(_unescaped, parts)
    for part in way:
        document = _get(document, part)
        if not isinstance(document, dict | list):
            raise PatchError(f"doc is missing path: {path}")
    return document, last


def _sort_along(document: Any, paths: Iterable[str]) -> None:
    """Sorts the keys of all objects on the way to some places, as the library writes them."""
    found = {id(each): each for path in paths for each in _way(document, path)}
    for each in found.values():
        if isinstance(each, dict):
            in_order = {key: each[key] for key in sorted_keys(each)}
            each.clear()
            each.update(in_order)


def _way(document: Any, path: str) -> Iterator[Any]:
    """Yields the containers that a path leads through, as far as they are there."""
    yield document
    for part in map(_unescaped, path.split("/")[1:-1]):
        if isinstance(document, dict):
            document = document.get(part)
        elif isinstance(document, list) and part.isdecimal() and int(part) < len(document):
            document = document[int(part)]
        else:
            return
        yield document


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~") if "~" in part else part


def _get(container: Any, key: str) -> Any:
    return container.get(key) if isinstance(container, dict) else container[_index(key, len(container))]


def _insert(container: Any, key: str, value: Any) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        container.insert(_index(key, len(container) + 1), value)


def _take(container: Any, key: str) -> Any:
    if isinstance(container, list):
        return container.pop(_index(key, len(container)))
    if key not in container:
        raise PatchError(f"Unable to remove nonexistent key: {key}")
    return container.pop(key)


def _index(key: str, size: int) -> int:
    digits = key[1:] if key[:1] in ("+", "-") else key
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise PatchError(f"value was not a proper array index: '{key}'")
    index = int(key)
    if not -size <= index < size:
        raise PatchError(f"Unable to access invalid index: {index}")
    return index + size if index < 0 else index


def _equal(left: Any, right: Any) -> bool:
    """Compares as JSON does: true is not 1, and numbers are equal only when they are written alike."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)
