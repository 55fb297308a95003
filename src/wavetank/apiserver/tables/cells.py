"""What the cells of several kinds' rows have in common: ages, labels, selectors, containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

Document = Mapping[str, Any]
Cells = list[Any]

NONE = "<none>"
UNSET = "<unset>"
UNKNOWN = "<unknown>"

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400


def dig(document: Any, *path: str) -> Any:
    """Returns the value at a path of field names, None if a part of it is missing."""
    for name in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    return document


def text_at(document: Any, *path: str, default: str = "") -> str:
    """Returns the string at a path, `default` where it is missing or empty."""
    found = dig(document, *path)
    return default if found is None or found == "" else str(found)


def number_at(document: Any, *path: str) -> int:
    """Returns the whole number at a path, 0 where it is missing."""
    found = dig(document, *path)
    return found if isinstance(found, int) else 0


def items_at(document: Any, *path: str) -> Sequence[Any]:
    """Returns the list at a path, an empty one where it is missing."""
    found = dig(document, *path)
    return found if isinstance(found, list) else ()


def name_of(document: Document) -> str:
    """Returns metadata.name."""
    return text_at(document, "metadata", "name")


def terminating(document: Document) -> bool:
    """Tells whether an object is being deleted."""
    return dig(document, "metadata", "deletionTimestamp") is not None


def seconds_of(time: Any) -> float | None:
    """Reads an RFC 3339 time as seconds since 1970; None where there is none."""
    if not isinstance(time, str) or not time:
        return None
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return None


def age(document: Document, now: float) -> str:
    """Returns how long ago an object was created."""
    return since(dig(document, "metadata", "creationTimestamp"), now)


def since(time: Any, now: float) -> str:
    """Returns how long ago a time was, `now` being seconds since 1970."""
    then = seconds_of(time)
    return UNKNOWN if then is None else human_duration(now - then)


def human_duration(seconds: float) -> str:
    """Writes a duration in two or three digits, as kubectl shows ages; a second into the future is still 0s."""
    whole = int(seconds)
    if whole < 0:
        return "0s" if whole == -1 else "<invalid>"
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if whole < 10 * _MINUTE:
        return _two_units(whole, _MINUTE, "m", 1, "s")
    if whole < 3 * _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 8 * _HOUR:
        return _two_units(whole, _HOUR, "h", _MINUTE, "m")
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    if whole < 8 * _DAY:
        return _two_units(whole, _DAY, "d", _HOUR, "h")
    if whole < 2 * _YEAR:
        return f"{whole // _DAY}d"
    return _two_units(whole, _YEAR, "y", _DAY, "d") if whole < 8 * _YEAR else f"{whole // _YEAR}y"


def _two_units(seconds: int, large: int, large_sign: str, small: int, small_sign: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large}{large_sign}" + (f"{rest}{small_sign}" if rest else "")


def labels_cell(labels: Any) -> str:
    """Writes a mapping of labels: a=b,c=d."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def selector_cell(selector: Any) -> str:
    """Writes a label selector: a=b,c in (d,e)."""
    return selector_text(selector) or NONE


_OPERATORS = {"In": "in", "NotIn": "notin"}


def selector_text(selector: Any) -> str:
    """Writes a label selector, an empty or missing one as an empty string."""
    words = [(key, f"{key}={value}") for key, value in (dig(selector, "matchLabels") or {}).items()]
    expressions = items_at(selector, "matchExpressions")
    words += [(text_at(expression, "key"), _requirement(expression)) for expression in expressions]
    return ",".join(word for _, word in sorted(words, key=lambda pair: pair[0]))


def _requirement(expression: Document) -> str:
    key, operator = text_at(expression, "key"), text_at(expression, "operator")
    if operator in _OPERATORS:
        return f"{key} {_OPERATORS[operator]} ({','.join(sorted(items_at(expression, 'values')))})"
    return f"!{key}" if operator == "DoesNotExist" else key


def container_cells(containers: Iterable[Document]) -> Cells:
    """Returns the names and the images of containers."""
    found = list(containers)
    return [",".join(text_at(container, field) for container in found) for field in ("name", "image")]


def template_cells(document: Document) -> Cells:
    """Returns the names and the images of the containers of a pod template in spec.template."""
    return container_cells(items_at(document, "spec", "template", "spec", "containers"))


def shortened(words: Sequence[str], most: int = 3, count: int | None = None) -> str:
    """Joins the first words and says how many more there are; `count` where that is not their number."""
    total = len(words) if count is None else count
    text = ",".join(words[:most])
    return f"{text} + {total - most} more..." if len(words) > most else text


def condition_of(document: Document, type_: str) -> Document | None:
    """Returns the first condition of a type in status.conditions."""
    conditions = items_at(document, "status", "conditions")
    return next((condition for condition in conditions if text_at(condition, "type") == type_), None)


def holds(document: Document, type_: str) -> bool:
    """Tells whether the first condition of a type is True."""
    return text_at(condition_of(document, type_), "status") == "True"
