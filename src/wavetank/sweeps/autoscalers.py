"""Settings of autoscalers, node groups and node pools as factors of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from wavetank.errors import InputError

Grids = Mapping[str, Mapping[str, Sequence[Any]]]  # values by autoscaler or node group, and field


Variant = tuple[str, dict[str, Any]]  # its label, and the fields of the spec that it changes


def autoscaler_variants(hpas: object, grids: Grids, path: str) -> Iterator[Variant]:
    """Yields a variant of `hpa` for each combination of values; without grids, no change."""
    known = {_name(entry): entry for entry in _mappings(hpas)}
    return _entry_variants("hpa", "HPA", known, grids, path)


def group_variants(groups: object, grids: Grids, path: str) -> Iterator[Variant]:
    """Yields a variant of `nodeGroups` for each combination of values; without grids, no change."""
    known = {str(entry.get("name")): entry for entry in _mappings(groups)}
    return _entry_variants("nodeGroups", "node group", known, grids, path)


def pool_variants(pools: object, grids: Grids, path: str) -> Iterator[Variant]:
    """Yields a variant of `nodePools` for each combination of values; without grids, no change."""
    known = {str(entry.get("name")): entry for entry in _mappings(pools)}
    return _entry_variants("nodePools", "node pool", known, grids, path)


def flag_variants(flags: object, grid: Mapping[str, Sequence[Any]]) -> Iterator[Variant]:
    """Yields a variant of `autoscaler` for each combination of its flags' values; without any, no change."""
    given = flags if isinstance(flags, Mapping) else {}
    for chosen in product(*grid.values()):
        values = dict(zip(grid, chosen, strict=True))
        label = "-".join(f"{flag}-{value}" for flag, value in values.items())
        yield label, {"autoscaler": {**given, **values}} if values else {}


def _entry_variants(
    field: str, what: str, known: Mapping[str, Mapping[str, Any]], grids: Grids, path: str
) -> Iterator[Variant]:
    for name in grids:
        if name not in known:
            raise InputError(f"there is no {what} called {name!r:.60} in spec.{field}", path=path)
    factors = [(name, inner, values) for name, grid in grids.items() for inner, values in grid.items()]
    if not factors:
        yield "", {}
        return
    for chosen in product(*(values for _, _, values in factors)):
        changed = dict(known)
        for (name, inner, _), value in zip(factors, chosen, strict=True):
            changed[name] = _with(changed[name], inner.split("."), value)
        yield _label(factors, chosen, len(grids) > 1), {field: list(changed.values())}


def _mappings(entries: object) -> list[Mapping[str, Any]]:
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


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
