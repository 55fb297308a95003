from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from wavetank.cluster.admission import admit
from wavetank.cluster.kinds import Namespace
from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.resource import EPOCH_SECONDS, Manifest, Resource
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.controllers.resourceclaims import attach_claim_controller
from wavetank.controllers.volumes import attach_volume_controllers
from wavetank.errors import InputError
from wavetank.experiments.connecting import connect_extender
from wavetank.experiments.entries import SchedulerEntry
from wavetank.experiments.latency import IDEAL, Latency
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.nodes.kubelets import Kubelets
from wavetank.nodes.stories import Stories
from wavetank.scheduling.config import Version
from wavetank.workloads.cluster import HOSTNAME, Cluster
from wavetank.workloads.runs import run_of

# Writes of each kind that a watcher may have missed and still resume.
_HISTORY = 16_384


@dataclass(frozen=True)
class ServedSetting:
    """What a served cluster begins with, and who acts on it by himself; bare if nobody does."""

    version: Version
    cluster: Cluster | None = None
    scheduler: SchedulerEntry | None = None
    kubelets: bool = False
    controllers: bool = False
    latency: Latency = IDEAL
    seed: int = 1


class ServedCluster:
    """A cluster for clients outside: the store and the actors of a run, without a workload and without an end.

    Its clock begins at the present time, so that clients which compare times with their own clock are not confused.
    Pods that have finished stay until somebody deletes them.
    """

    def __init__(self, setting: ServedSetting, kubelet_version: str) -> None:
        self.clock = Clock(time.time_ns() - EPOCH_SECONDS * SECOND)
        self.store = Store(self.clock, _HISTORY)
        self.stories = Stories(self.store, kubelet_version) if setting.kubelets else None
        streams = Streams(setting.seed)
        if setting.kubelets:
            self.store.subscribe("Pod", _Runs())
            Kubelets(self.store, self.clock, streams, setting.latency.nodes, keep_finished=True)
        for resource in _objects(setting, self.store):
            _create(resource, self.store)
        if setting.controllers:
            attach_volume_controllers(self.store)
            attach_claim_controller(self.store)
        if setting.scheduler is not None:
            self._attach(setting, setting.scheduler, streams)

    def _attach(self, setting: ServedSetting, entry: SchedulerEntry, streams: Streams) -> None:
        for definition in entry.schedulers:
            definition.attach(
                self.store,
                self.clock,
                streams,
                setting.version,
                latency=setting.latency.scheduler,
                takes_all=len(entry.schedulers) == 1,
                connect=connect_extender,
            )


class _Runs:
    """Gives pods that clients create what they will do, before any kubelet hears of them."""

    def added(self, new: Pod) -> None:
        if new.run is None:
            try:
                new.run = run_of(new.manifest)
            except InputError:
                new.run = None  # an annotation that says nothing: it runs until it is stopped

    def modified(self, old: Pod, new: Pod) -> None:
        """What a pod does never changes."""

    def deleted(self, old: Pod) -> None:
        """Nothing is kept of it."""


def _objects(setting: ServedSetting, store: Store) -> Iterator[Resource]:
    """Yields the objects of the cluster's files, and before them the namespaces that they need."""
    if setting.cluster is None:
        return
    resources = setting.cluster.resources(store.specs)
    stated = {resource.name for resource in resources if isinstance(resource, Namespace)}
    for namespace in dict.fromkeys(resource.namespace for resource in resources):
        if namespace and namespace not in stated and store.find("Namespace", "", namespace) is None:
            yield Namespace({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    for resource in resources:
        yield _registered(resource.manifest) if isinstance(resource, Node) and setting.kubelets else resource


def _registered(manifest: Manifest) -> Node:
    """Returns a node with the labels that a kubelet gives it when it comes into the cluster."""
    metadata = manifest.get("metadata") or {}
    labels = {HOSTNAME: metadata.get("name"), "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    return Node({**manifest, "metadata": {**metadata, "labels": {**labels, **(metadata.get("labels") or {})}}})


def _create(resource: Resource, store: Store) -> None:
    try:
        if isinstance(resource, Pod):
            admit(resource, store)
        store.create(resource)
    except ApiError as error:
        place = f"{resource.manifest_kind} {'/'.join(part for part in resource.key if part)}"
        raise InputError(str(error), path=place) from None
