"""From the plugin lists of a profile to the plugins that run at each extension point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wavetank.cluster.fields.selectors import read_field, read_list, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config import intree
from wavetank.scheduling.config.intree import MULTI_POINT, WEIGHTED_POINTS
from wavetank.scheduling.config.model import EnabledPlugin
from wavetank.scheduling.config.reading import integer, read_object
from wavetank.words import did_you_mean

_ALL = "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """A plugin that a list enables; `path` is its place below `plugins`, empty if by default."""

    name: str
    weight: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class PluginSet:
    """What a profile enables and disables at one extension point or at all of them, in the order written."""

    enabled: tuple[Entry, ...] = ()
    disabled: tuple[str, ...] = ()

    @property
    def meaning(self) -> tuple[object, ...]:
        """Everything but the places, to compare the sets of two profiles."""
        return tuple((entry.name, entry.weight) for entry in self.enabled), self.disabled


def read_plugin_sets(raw: object, version: Version) -> Mapping[str, PluginSet]:
    """Reads the `plugins` of a profile: the set of every extension point, and that of multiPoint."""
    points = (*intree.extension_points(version), MULTI_POINT)
    sets = read_object(raw, points)
    return {point: read_field(sets, point, partial(_read_set, point)) for point in points}


def _read_set(point: str, raw: object) -> PluginSet:
    fields = read_object(raw, ("enabled", "disabled"))
    enabled = read_field(fields, "enabled", read_list(_read_plugin))
    disabled = read_field(fields, "disabled", read_list(_read_plugin))
    return PluginSet(
        tuple(Entry(name, weight, f"{point}.enabled[{index}]") for index, (name, weight) in enumerate(enabled)),
        tuple(name for name, _ in disabled),
    )


def _read_plugin(raw: object) -> tuple[str, int]:
    plugin = read_object(raw, ("name", "weight"))
    return read_field(plugin, "name", read_text), read_field(plugin, "weight", integer(0))


def merge_defaults(custom: PluginSet, version: Version) -> tuple[Entry, ...]:
    """Returns what multiPoint enables: a default that is enabled again keeps its place but not its weight."""
    defaults = [Entry(plugin.name, plugin.weight) for plugin in intree.default_plugins(version)]
    kept = [] if _ALL in custom.disabled else [it for it in defaults if it.name not in custom.disabled]
    again = {entry.name: entry for entry in custom.enabled}
    merged = [again.get(default.name, default) for default in kept]
    return tuple(merged + [entry for entry in custom.enabled if entry not in merged])


def expand(sets: Mapping[str, PluginSet], version: Version) -> Mapping[str, tuple[EnabledPlugin, ...]]:
    """Returns the plugins of every extension point in the order in which they run, with their weights.

    Raises InputError, with a path below `plugins`, for lists with which the framework would not start.
    """
    everywhere = merge_defaults(sets[MULTI_POINT], version)
    for entry in everywhere:
        _check_registered(entry, version)
    return {point: _weighed(point, sets[point], everywhere, version) for point in intree.extension_points(version)}


def enabled_names(sets: Mapping[str, PluginSet], version: Version) -> frozenset[str]:
    """Returns the plugins that some list enables, even if no extension point is left to them."""
    everywhere = merge_defaults(sets[MULTI_POINT], version)
    listed = (entry for own in sets.values() for entry in own.enabled)
    return frozenset(entry.name for entry in (*everywhere, *listed))


def _weighed(point: str, own: PluginSet, everywhere: Sequence[Entry], version: Version) -> tuple[EnabledPlugin, ...]:
    implementers = {name for name, points in intree.registry(version).items() if point in points}
    for entry in own.enabled:
        _check_at_point(entry, point, version)
    _check_once(own.enabled, point)
    offered = [entry for entry in everywhere if entry.name in implementers]
    names = _ordered(point, own, offered)
    weights = _weights([*own.enabled, *offered]) if point in WEIGHTED_POINTS else {}
    return tuple(EnabledPlugin(name, weights.get(name, 0)) for name in names)


def _ordered(point: str, own: PluginSet, offered: Iterable[Entry]) -> list[str]:
    listed = [entry.name for entry in own.enabled]
    if _ALL in own.disabled:
        return listed
    inherited = [entry for entry in offered if entry.name not in own.disabled]
    added = [entry for entry in inherited if entry.name not in listed]
    _check_once(added, point)
    overridden = {entry.name for entry in inherited}
    first = [name for name in listed if name in overridden]
    last = [name for name in listed if name not in overridden]
    return first + [entry.name for entry in added] + last


def _weights(entries: Iterable[Entry]) -> Mapping[str, int]:
    """The first mention of a plugin counts; a weight that it does not give is 1."""
    weights = dict[str, int]()
    total, last = 0, Entry("", 0)
    for entry in entries:
        if entry.name in weights:
            continue
        if total < 0:  # kube-scheduler's check for overflow wraps around here, and so rejects
            raise InputError(f"with {last.weight} the weights so far sum to {total}, below 0", path=last.path)
        weights[entry.name] = entry.weight or 1
        total, last = total + weights[entry.name], entry
    return weights


def _check_at_point(entry: Entry, point: str, version: Version) -> None:
    if intree.is_withdrawn(entry.name, version):
        raise InputError(f"plugin {entry.name} was replaced by NodeVolumeLimits", path=entry.path)
    _check_registered(entry, version)
    points = intree.registry(version)[entry.name]
    if point not in points:
        known = ", ".join(name for name in intree.extension_points(version) if name in points)
        raise InputError(f"plugin {entry.name} does not implement {point}, only {known}", path=entry.path)


def _check_registered(entry: Entry, version: Version) -> None:
    known = intree.registry(version)
    if entry.name not in known:
        raise InputError(f'unknown plugin "{entry.name}"{did_you_mean(entry.name, known)}', path=entry.path)


def _check_once(entries: Iterable[Entry], point: str) -> None:
    seen = set[str]()
    for entry in entries:
        if entry.name in seen:
            raise InputError(f"plugin {entry.name} is enabled twice at {point}", path=entry.path)
        seen.add(entry.name)
