from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from wavetank.apiserver.admission.chain import DEFAULT_PLUGINS
from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import User
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource
from wavetank.cluster.releases import SERVED
from wavetank.cluster.rules.readiness import stated_ready_since
from wavetank.cluster.store.store import Store
from wavetank.controllers.descriptors import start_controllers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import INSTANT, Constant
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.nodes.reports.leases import Leases
from wavetank.nodes.usage import Usage
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.simulation.entries import SchedulerEntry
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.kernels import compile_kernels
from wavetank.simulation.latency.model import IDEAL, Latency
from wavetank.simulation.loading import load_cluster
from wavetank.simulation.served.eventlog import EventLog
from wavetank.simulation.served.podbehavior import set_behavior
from wavetank.simulation.served.podevents import PodEvents
from wavetank.simulation.served.store import ServedStore
from wavetank.workloads.cluster import Cluster

_MANAGER = User("system:kube-controller-manager", ("system:authenticated",))

# What an attempt takes, if the latency model says nothing: any time at all, so that thousands of attempts are not
# made in one go while clients wait.
_THOUGHT = Constant(0.000_1)

# Writes of each kind that a watcher may have missed and still resume.
_HISTORY = 20_000


@dataclass(frozen=True)
class ServedSetting:
    """What a served cluster begins with, and who acts on it by himself; bare if nobody does."""

    cluster: Cluster | None = None
    scheduler: SchedulerEntry | None = None
    kubelets: bool = False
    controllers: frozenset[str] = frozenset()  # by the names that kube-controller-manager has for them
    latency: Latency = IDEAL
    plugins: Collection[str] = DEFAULT_PLUGINS  # of admission
    rbac: bool = False  # roles decide who may do what
    metrics: bool = True  # metrics.k8s.io tells what is used, if there are kubelets to measure it
    seed: int = 1
    start: Nanoseconds | None = None  # of its clock; None: the present


class ServedCluster:
    """A cluster for clients outside: the API and the actors of a run, without a workload and without an end.

    Its clock begins at the present time, unless the setting says otherwise, so that clients which compare times with
    their own clock are not confused.
    Pods that have finished stay until somebody deletes them. `authenticate` tells whose token it is.
    """

    def __init__(self, setting: ServedSetting, authenticate: Callable[[str], User | None]) -> None:
        present = time.time_ns() - EPOCH_SECONDS * SECOND
        self.clock = Clock(present if setting.start is None else setting.start)
        self.store = store = ServedStore(self.clock, _HISTORY)
        reports = KubeletReports(store, SERVED.tag) if setting.kubelets else None
        streams = Streams(setting.seed)
        if reports is not None:
            store.subscribe(POD, added=set_behavior)
            CrashLoopReporter(store, reports)
            Kubelets(store, self.clock, streams, setting.latency.nodes, keep_finished=True)
        measures = Usage(store) if setting.kubelets and setting.metrics else None
        self.api = Api(
            store, reports, authenticate=authenticate, plugins=setting.plugins, rbac=setting.rbac, measures=measures
        )
        if setting.cluster is not None:
            load_cluster(setting.cluster, store, self.api.kinds)
        if setting.kubelets:
            Leases(store)
        log = EventLog(store)
        if setting.scheduler is not None or setting.kubelets:
            PodEvents(store, log, setting.scheduler is not None, setting.kubelets)
        if setting.controllers:
            ready_since = stated_ready_since if reports is None else reports.ready_since
            render = Resource.render if reports is None else reports.render
            context = ControllerContext(store, self.api.actor(_MANAGER), ready_since, log.tell, render, self._serves)
            start_controllers(context, setting.controllers, served=True)
        if setting.scheduler is not None:
            compile_kernels()  # which would keep clients waiting later
            _attach(setting.scheduler, store, streams, setting.latency)

    def _serves(self, api_version: str, kind: str) -> bool:
        return self.api.kinds.named(api_version, kind) is not None


def _attach(entry: SchedulerEntry, store: Store, streams: Streams, latency: Latency) -> None:
    thinking = latency.scheduler
    if thinking.attempt == INSTANT:
        thinking = replace(thinking, attempt=_THOUGHT)
    options = SchedulerOptions(latency=thinking, takes_all=len(entry.schedulers) == 1, connect=connect_extender)
    for definition in entry.schedulers:
        definition.attach(ActorContext(store, streams, SERVED.version), options)
