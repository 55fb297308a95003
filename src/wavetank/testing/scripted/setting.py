"""What a scripted cluster is made of, from what users write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.apiserver.features import read_features
from wavetank.cluster.releases import SERVED
from wavetank.controllers.descriptors import read_names
from wavetank.errors import InputError
from wavetank.experiments.document.controllers import make_manager
from wavetank.experiments.document.inputs import make_cluster
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.experiments.document.structures.controllers import ManagerSpec
from wavetank.experiments.document.structures.spec import ClusterSpec
from wavetank.loop.processes.definition import ManagerDefinition
from wavetank.scheduling.attachable import Attachable
from wavetank.simulation.served.cluster import ServedSetting
from wavetank.testing.scripted.pods import PodTimes
from wavetank.testing.scripted.signals import read_metrics
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.open import open_cluster

ClusterLike = Mapping[str, Any] | Sequence[Mapping[str, Any]]
SchedulerLike = str | type | Mapping[str, Any]
Times = Callable[[dict[str, Any]], PodTimes]

_NODES = {"nodes": [{"count": 3, "cpu": 32, "memory": "64Gi"}]}


@dataclass(frozen=True)
class Description:
    """What users write of a cluster; `ScriptedCluster` says what it means."""

    cluster: ClusterLike | None
    schedulers: Iterable[SchedulerLike]
    controllers: str | Sequence[str]
    process: Mapping[str, Any] | None
    flags: Mapping[str, str]
    kubelets: bool | PodTimes | Times
    metrics: Mapping[str, Any] | None
    feature_gates: str
    folder: Path
    seed: int

    def manager(self) -> ManagerDefinition | None:
        """Returns the real controller manager; InputError if it has not been built."""
        if self.process is None:
            return None
        return make_manager(ManagerSpec.read(dict(self.process), "process"), "process", self.flags)

    def setting(self, manager: ManagerDefinition | None) -> ServedSetting:
        """Returns what is served; the controllers of a real manager are not built-in."""
        named = self.controllers if isinstance(self.controllers, str) else list(self.controllers)
        built_in = read_names(named, "controllers")
        return ServedSetting(
            self._cluster(),
            self._schedulers(),
            self.kubelets is True,
            built_in - frozenset(manager.controllers if manager is not None else ()),
            measured=read_metrics(self.metrics or {}, self.folder),
            flags=self.flags,
            features=read_features(self.feature_gates, "feature_gates"),
            seed=self.seed,
            start=0,
        )

    def pod_times(self) -> Times | None:
        """Returns how pods are scripted, None if they are not."""
        times = self.kubelets
        if isinstance(times, bool):
            return None
        return (lambda pod: times) if isinstance(times, PodTimes) else times

    def _cluster(self) -> Cluster:
        given = _NODES if self.cluster is None else self.cluster
        if isinstance(given, Mapping):
            return make_cluster(ClusterSpec.read(dict(given), "cluster"), self.folder, "cluster")
        return open_cluster([], inline=list(given))

    def _schedulers(self) -> tuple[Attachable, ...]:
        entries = [dict(each) if isinstance(each, Mapping) else entry_of(each) for each in self.schedulers]
        if not entries:
            return ()
        parsed = parse_entries(entries, self.folder, SERVED.version)
        if any(entry.processes for entry in parsed):
            raise InputError("only built-in schedulers can be attached to a scripted cluster", path="schedulers")
        return tuple(scheduler for entry in parsed for scheduler in entry.schedulers)
