"""The list of the priority expander, a ConfigMap that is read anew for every choice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import yaml

from wavetank.cluster.objects.groupkinds import CONFIG_MAP
from wavetank.cluster.store.store import Store
from wavetank.cluster.yamldepth import SafeLoader
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.textcache import LONGEST

PRIORITIES = "cluster-autoscaler-priority-expander"
_KEY = "priorities"

_Ranks = Mapping[int, Sequence[re.Pattern[str]]]


class WrongListError(Exception):
    """The list cannot be read."""


class PriorityList:
    """Regular expressions of the ids of groups, by priority."""

    def __init__(self, store: Store, namespace: str, events: EventWriter) -> None:
        self._store = store
        self._namespace = namespace
        self._events = events

    def highest(self, groups: Sequence[str]) -> list[str]:
        """Returns the groups of the highest priority; all of them, if none is listed or there is no valid list.

        A group that is not listed is told in an Event about the ConfigMap, and so is a list that cannot be read.
        """
        found = self._store.find(CONFIG_MAP, self._namespace, PRIORITIES)
        if found is None:
            return list(groups)
        try:
            ranks = _read(found.manifest.get("data") or {})
        except WrongListError as error:
            self._events.wrong_priorities(found, str(error))
            return list(groups)
        listed = {group: rank for group in groups if (rank := _rank(ranks, group)) is not None}
        for group in groups:
            if group not in listed:
                self._events.not_prioritized(found, group)
        if not listed:
            self._events.none_prioritized(found)
            return list(groups)
        highest = max(listed.values())
        return [group for group, rank in listed.items() if rank == highest]


def _rank(ranks: _Ranks, group: str) -> int | None:
    matching = (rank for rank, patterns in ranks.items() if any(pattern.search(group) for pattern in patterns))
    return max(matching, default=None)


def _read(data: Mapping[str, str]) -> _Ranks:
    if _KEY not in data:
        raise WrongListError(f"Wrong configmap for priority expander, doesn't contain {_KEY} key")
    try:
        read = yaml.load(data[_KEY], Loader=SafeLoader) or {}
        return {int(rank): [re.compile(str(each)) for each in patterns] for rank, patterns in read.items()}
    except (yaml.YAMLError, AttributeError, TypeError, ValueError, re.error) as error:
        why = str(error).partition("\n")[0]
        raise WrongListError(f"Wrong configuration for priority expander: {why}") from None
    finally:
        if len(data[_KEY]) > LONGEST:
            re.purge()  # it keeps the last 512 itself, however long they are
