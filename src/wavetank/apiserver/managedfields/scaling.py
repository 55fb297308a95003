"""The managers of a workload's replicas, translated between the workload and its Scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.managedfields import entries
from wavetank.apiserver.managedfields.entries import Entry
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.fieldsets import Path, difference, has

_SCALE_VERSION = "autoscaling/v1"
_IN_SCALE: Path = ("f:spec", "f:replicas")

# Where each version of a kind has its replicas; None where it has none that can be scaled.
ReplicaPaths = Mapping[str, Path | None]


@dataclass(frozen=True, slots=True)
class ScaleManagers:
    """The managers of a workload, and where its versions have their replicas."""

    workload: list[dict[str, Any]]
    paths: ReplicaPaths

    def of_scale(self) -> list[dict[str, Any]]:
        """Returns the managers of the replicas, as the Scale has them."""
        found = []
        for entry in entries.read(self.workload).values():
            path = self.paths.get(entry.api_version)
            if path is not None and has(entry.fields, path):
                found.append(entry.owning(fieldsets.of(_IN_SCALE)).in_version(_SCALE_VERSION))
        return entries.listed(found)

    def of_workload(self, scale: list[dict[str, Any]], api_version: str) -> list[dict[str, Any]]:
        """Returns the managers of the workload after its Scale was written in a version of the workload."""
        scaling = entries.read(scale)
        found: dict[str, Entry] = {}
        for identifier, entry in entries.read(self.workload).items():
            if entry.api_version not in self.paths:
                continue
            path = self.paths[entry.api_version]
            if path is None or not has(entry.fields, path) or scaling.pop(identifier, None) is not None:
                found[identifier] = entry
                continue
            rest = difference(entry.fields, fieldsets.of(path))
            if rest:
                found[identifier] = entry.owning(rest)
        path = self.paths[api_version]
        for identifier, entry in scaling.items():
            if path is not None and has(entry.fields, _IN_SCALE):
                # the real server sets no time
                found[identifier] = entry.owning(fieldsets.of(path)).in_version(api_version).at(None)
        return entries.listed(found.values())
