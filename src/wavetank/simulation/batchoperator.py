"""The batch operator in a run: its objects and planned changes, simulated applications, and the extender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wavetank.batchoperator.applications.simulated.operator import FLAVORS, SimulatedOperator
from wavetank.batchoperator.applications.work import DEFAULT_WORK, Work
from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.extender.extender import SlotExtender
from wavetank.batchoperator.operator import BatchOperator, install
from wavetank.batchoperator.reconcilers.context import OperatorContext, OperatorOptions
from wavetank.batchoperator.recording import BatchRecorder
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import Version
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.config import Configuration, parse_configuration
from wavetank.scheduling.framework.extenders.answers import ExtenderError, FilterAnswer
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient
from wavetank.scheduling.framework.plugin import Reason
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.observer import Observer

# The urlPrefix by which a scheduler of a run names the operator's extender.
EXTENDER_URL = "http://batch-operator/extender"


@dataclass(frozen=True)
class PlannedObject:
    """An object that is created at a time."""

    at: Nanoseconds
    manifest: Mapping[str, Any]


@dataclass(frozen=True)
class PlannedChange:
    """A merge patch of an object at a time; without a patch it is deleted. If it is not there, nothing happens."""

    at: Nanoseconds
    kind: GroupKind
    namespace: str
    name: str
    patch: Mapping[str, Any] | None


@dataclass(frozen=True)
class OperatorSetting:
    """The batch operator of a run: what happens to its objects, how it writes, how long applications run."""

    objects: tuple[PlannedObject, ...] = ()
    changes: tuple[PlannedChange, ...] = ()
    options: OperatorOptions = field(default_factory=OperatorOptions)
    work: Work = DEFAULT_WORK


class OperatorRun:
    """The batch operator of one run; schedulers may call its extender, under `url`, once it has started."""

    url = EXTENDER_URL

    def __init__(self, setting: OperatorSetting) -> None:
        self._setting = setting
        self._extender: SlotExtender | None = None

    def start(self, context: ActorContext, controllers: ControllerContext) -> None:
        """Starts the operator and the simulated operators of applications, which write as controllers do."""
        client, clock = StoreClient(context.store, controllers.client), context.clock
        operated = OperatorContext(client, clock, self._setting.options)
        install(operated)
        for flavor in FLAVORS:
            SimulatedOperator(client, clock, flavor, self._setting.work)
        self._extender = BatchOperator(operated).extender
        for planned in self._setting.objects:
            clock.at(planned.at, partial(_create, client, planned.manifest))
        for change in self._setting.changes:
            clock.at(change.at, partial(_carry_out, client, context, change))

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        """Answers a scheduler's call of the extender; ExtenderError if it cannot."""
        assert self._extender is not None
        try:
            return self._extender.call(verb, request)
        except ApiError as error:
            raise ExtenderError(str(error)) from None

    def filter_nodes(self, pod: Pod, names: Sequence[str]) -> FilterAnswer:
        """Answers a scheduler's filter call without JSON."""
        assert self._extender is not None
        try:
            kept, refusal = self._extender.choose(pod.key, pod.uid, names)
        except ApiError as error:
            raise ExtenderError(str(error)) from None
        return FilterAnswer(kept, None, dict.fromkeys(names, Reason(refusal, resolvable=True)) if refusal else {})

    def connect(self, config: Mapping[str, Any]) -> ExtenderClient:
        """Returns the client of an extender: this one under its own URL, others over HTTP."""
        return self if is_operator(config) else connect_extender(config)


def scheduler_configuration(version: Version, scheduler_name: str = "external-scheduler") -> Configuration:
    """Returns kube-scheduler's configuration with the operator's extender, and with a profile of this name."""
    extender = {
        "urlPrefix": EXTENDER_URL,
        "filterVerb": "filter",
        "preemptVerb": "preemption",
        "nodeCacheCapable": True,
    }
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": scheduler_name}],
        "extenders": [extender],
    }
    return parse_configuration(document, version)


class BatchObserver(Observer):
    """Records what becomes of jobs and slots."""

    def __init__(self) -> None:
        self.recorder = BatchRecorder()

    def join(self, context: ActorContext) -> None:
        """Watches BatchJobs and testbeds."""
        self.recorder.join(context.store)


def is_operator(config: Mapping[str, Any]) -> bool:
    """Tells whether an extender of a KubeSchedulerConfiguration is that of the run's batch operator."""
    return str(config.get("urlPrefix") or "").rstrip("/") == EXTENDER_URL


def _create(client: StoreClient, manifest: Mapping[str, Any]) -> None:
    client.create(manifest)


def _carry_out(client: StoreClient, context: ActorContext, change: PlannedChange) -> None:
    found = client.get(change.kind, change.namespace, change.name)
    if found is None:
        return
    if change.patch is None:
        client.delete(found)
    else:
        context.store.patch(change.kind, change.namespace, change.name, change.patch)
