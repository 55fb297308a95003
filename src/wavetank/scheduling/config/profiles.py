"""Reads the profiles of a configuration, each by itself and then side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from wavetank.cluster.fields.selectors import read_field, read_list, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config.args import PluginArgs
from wavetank.scheduling.config.gates import NO_GATES, FeatureGates
from wavetank.scheduling.config.intree import is_withdrawn
from wavetank.scheduling.config.model import EnabledPlugin, Profile
from wavetank.scheduling.config.pluginsets import PluginSet, enabled_names, expand, read_plugin_sets
from wavetank.scheduling.config.readargs import read_args, takes_args
from wavetank.scheduling.config.reading import integer, read_object

_DEFAULT_NAME = "default-scheduler"


@dataclass(frozen=True, slots=True)
class _Plugins:
    sets: Mapping[str, PluginSet]
    expanded: Mapping[str, tuple[EnabledPlugin, ...]]


@dataclass(frozen=True, slots=True)
class _PluginConfig:
    """One entry of pluginConfig; `args` is None for a plugin whose arguments have no type."""

    name: str
    given: object
    args: PluginArgs | None


@dataclass(frozen=True, slots=True)
class _Written:
    """A profile with what must be the same in all profiles; `name` is None if it has none."""

    name: str | None
    profile: Profile
    queue_sort: PluginSet
    queue_sort_args: object


def read_profiles(raw: object, version: Version, gates: FeatureGates = NO_GATES) -> tuple[Profile, ...]:
    """Reads the list of profiles; an empty one means a single profile with all defaults."""
    written = read_list(partial(_read_profile, version, gates))(raw) or (_read_profile(version, gates, None),)
    for index, each in enumerate(written):
        _check_name(index, written)
        _check_queue_sort(index, written[0], each)
    return tuple(each.profile for each in written)


def _read_profile(version: Version, gates: FeatureGates, raw: object) -> _Written:
    fields = read_object(raw, ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"))
    name = None if fields.get("schedulerName") is None else read_field(fields, "schedulerName", read_text)
    percentage = read_field(fields, "percentageOfNodesToScore", integer(None, 0, 100))
    plugins = read_field(fields, "plugins", partial(_read_plugins, version))
    config = read_field(fields, "pluginConfig", partial(_read_config, version, gates))
    args = _all_args(config, enabled_names(plugins.sets, version), version, gates)
    profile = Profile(_DEFAULT_NAME if name is None else name, plugins.expanded, args, percentage)
    (sorter,) = profile.plugins["queueSort"]
    sorter_args = next((entry.given for entry in config if entry.name == sorter.name), None)
    return _Written(name, profile, plugins.sets["queueSort"], sorter_args)


def _read_plugins(version: Version, raw: object) -> _Plugins:
    sets = read_plugin_sets(raw, version)
    expanded = expand(sets, version)
    if len(expanded["queueSort"]) != 1:
        message = f"{len(expanded['queueSort'])} plugins are enabled, expected exactly one"
        raise InputError(message, path="queueSort")
    if not expanded["bind"]:
        raise InputError("no plugin is enabled, expected at least one", path="bind")
    return _Plugins(sets, expanded)


def _read_config(version: Version, gates: FeatureGates, raw: object) -> tuple[_PluginConfig, ...]:
    entries = read_list(partial(_read_plugin_config, version, gates))(raw)
    names = [entry.name for entry in entries]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InputError(f"plugin {name} is configured twice", path=f"[{index}]")
    return entries


def _read_plugin_config(version: Version, gates: FeatureGates, raw: object) -> _PluginConfig:
    fields = read_object(raw, ("name", "args"))
    name, given = read_field(fields, "name", read_text), fields.get("args")
    if is_withdrawn(name, version):
        raise InputError(f"plugin {name} was replaced by NodeVolumeLimits", path="name")
    if not takes_args(name, version):
        return _PluginConfig(name, given, None)
    return _PluginConfig(name, given, read_field(fields, "args", lambda raw: read_args(name, raw, version, gates)))


def _all_args(
    config: tuple[_PluginConfig, ...], enabled: frozenset[str], version: Version, gates: FeatureGates
) -> Mapping[str, PluginArgs]:
    configured = {entry.name: entry.args for entry in config if entry.args is not None}
    taking = sorted(name for name in enabled if takes_args(name, version))
    return {name: read_args(name, None, version, gates) for name in taking} | configured


def _check_name(index: int, written: tuple[_Written, ...]) -> None:
    name, path = written[index].name, f"[{index}].schedulerName"
    if name == "" or (name is None and len(written) > 1):
        raise InputError("is missing, expected a name for each profile", path=path)
    if name in [earlier.name for earlier in written[:index]]:
        raise InputError(f"{name!r} is the name of an earlier profile", path=path)


def _check_queue_sort(index: int, first: _Written, other: _Written) -> None:
    if other.queue_sort.meaning != first.queue_sort.meaning:
        message = "differs from that of the first profile, but all profiles share one queue"
        raise InputError(message, path=f"[{index}].plugins.queueSort")
    if other.queue_sort_args != first.queue_sort_args:
        message = "gives the queueSort plugin other args than the first profile, but all profiles share one queue"
        raise InputError(message, path=f"[{index}].pluginConfig")
