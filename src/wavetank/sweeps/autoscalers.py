"""Settings of autoscalers as factors of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from wavetank.errors import InputError

Grids = Mapping[str, Mapping[str, Sequence[Any]]]  # values by autoscaler and field


def autoscaler_variants(hpas: object, grids: Grids, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields for each combination of values its label and the changed `hpa` of the spec; without grids, no change."""
    entries = [entry for entry in hpas if isinstance(entry, Mapping)] if isinstance(hpas, list) else []
    known = {_name(entry): entry for entry in entries}
    for name in grids:
        if name not in known:
            raise InputError(f"there is no HPA called {name!r:.60} in spec.hpa", path=path)
    factors = [(name, field, values) for name, grid in grids.items() for field, values in grid.items()]
    if not factors:
        yield "", {}
        return
    for chosen in product(*(values for _, _, values in factors)):
        changed = dict(known)
        for (name, field, _), value in zip(factors, chosen, strict=True):
            changed[name] = _with(changed[name], field.split("."), value)
        yield _label(factors, chosen, len(grids) > 1), {"hpa": list(changed.values())}


def _label(factors: Sequence[tuple[str, str, Sequence[Any]]], chosen: Sequence[Any], named: bool) -> str:
    pairs = zip(factors, (str(value).rstrip("%") for value in chosen), strict=True)
    return "-".join(f"{name}-{field}-{value}" if named else f"{field}-{value}" for (name, field, _), value in pairs)


def _with(entry: Mapping[str, Any], field: Sequence[str], value: object) -> dict[str, Any]:
    """Returns a mapping in which a field, perhaps one of an inner mapping, has another value."""
    first, *rest = field
    if not rest:
        return {**entry, first: value}
    inner = entry.get(first)
    return {**entry, first: _with(inner if isinstance(inner, Mapping) else {}, rest, value)}


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("name") or str(entry.get("target", "")).rpartition("/")[2])
