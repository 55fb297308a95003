"""A cluster with the batch operator, simulated Spark and Flink operators, and kube-scheduler with the extender."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

from tests.support.clusters import HEAD
from tests.support.objects import node_manifest
from wavetank.batchoperator.applications.simulated.operator import FLAVORS, SimulatedOperator
from wavetank.batchoperator.client.client import Client
from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.operator import BatchOperator, required_objects
from wavetank.batchoperator.reconcilers.context import OperatorContext, OperatorOptions
from wavetank.batchoperator.resources.groups import ESI, ApiGroup
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework import storeclient
from wavetank.kernel.durations import SECOND, seconds
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.simulation.latency.model import IDEAL
from wavetank.simulation.world import World

LABEL = "tuberlin.de/node-with-slots"
VERSION = (1, 35)
CONFIGURATION = {
    **HEAD,
    "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "external-scheduler"}],
    "extenders": [
        {
            "urlPrefix": "http://batch-operator/extender",
            "filterVerb": "filter",
            "preemptVerb": "preemption",
            "nodeCacheCapable": True,
            "weight": 1,
        }
    ],
}

ONLY_EXTERNAL = {**CONFIGURATION, "profiles": [{"schedulerName": "external-scheduler"}]}


class OperatedCluster:
    """Nodes n0, n1, … with the label of slots, and a node for drivers."""

    def __init__(
        self,
        nodes: int = 2,
        cpu: int = 2,
        *,
        form: Any = "labels",
        group: ApiGroup = ESI,
        start: bool = True,
        wrap: Any = None,
        extender: Any = None,
        two_schedulers: bool = False,
    ) -> None:
        self.world = World(VERSION, 1)
        self.store, self.clock, self.group = self.world.store, self.world.clock, group
        Kubelets(self.world.context, IDEAL.nodes)
        labelled = [node_manifest(f"n{i}", cpu=cpu, memory="64Gi", labels={LABEL: str(i)}) for i in range(nodes)]
        self.world.create([*required_objects(), *labelled, node_manifest("drivers", cpu=64, memory="256Gi")])
        writer = storeclient.StoreClient(self.store, random.Random(1), partial(admit, store=self.store))
        self.plain: Client = StoreClient(self.store, writer)
        self.client: Client = self.plain if wrap is None else wrap(self.plain)
        self.context = OperatorContext(self.client, self.clock, OperatorOptions(form=form))
        for flavor in FLAVORS:
            SimulatedOperator(self.plain, self.clock, flavor)
        self.operator = BatchOperator(self.context) if start else None
        options = SchedulerOptions(ties="exact", connect=lambda config: extender or _Current(self), takes_all=False)
        configurations = (
            {"kube-scheduler": CONFIGURATION} if not two_schedulers else {"default": HEAD, "external": ONLY_EXTERNAL}
        )
        parsed = {name: parse_configuration(each, VERSION) for name, each in configurations.items()}
        self.world.attach([SchedulerDefinition(name, "", each) for name, each in parsed.items()], options)

    # objects

    def create(self, kind: str, name: str, spec: Mapping[str, Any], **metadata: Any) -> KubeObject:
        """Creates an object of the batch operator."""
        return self.plain.create(
            {
                "apiVersion": self.group.api_version,
                "kind": kind,
                "metadata": {"name": name, "namespace": "default", **metadata},
                "spec": spec,
            }
        )

    def testbed(self, name: str = "bed", slots: int = 2, cpu: str = "1", label: str = LABEL) -> KubeObject:
        spec = {"slotsPerNode": slots, "nodeLabel": label, "resourcesPerSlot": {"cpu": cpu, "memory": "1Gi"}}
        return self.create(self.group.testbed_kind, name, spec)

    def spark(self, name: str, work: str = "60s") -> KubeObject:
        spec = {"sparkSpec": {"type": "Scala", "driver": {"coreRequest": "100m", "memory": "512m"}}}
        return self.create("BatchJob", name, spec, annotations={"wavetank.dev/work": work})

    def flink(self, name: str, work: str = "60s", **spec: Any) -> KubeObject:
        job = spec or {"jarFile": "./WordCount.jar"}
        return self.create("BatchJob", name, {"flinkSpec": job}, annotations={"wavetank.dev/work": work})

    def queue(self, name: str, *jobs: str, testbed: str = "bed") -> KubeObject:
        spec = {"testbed": _reference(testbed), "queueBased": [_reference(job) for job in jobs]}
        return self.create("Scheduling", name, spec)

    def slots(self, name: str, mode: str, *jobs: tuple[str, list[int]], testbed: str = "bed") -> KubeObject:
        listed = [{"name": _reference(job), "slotIds": ids} for job, ids in jobs]
        spec = {"testbed": _reference(testbed), "slotBased": {"mode": mode, "jobs": listed}}
        return self.create("Scheduling", name, spec)

    # what is there

    def find(self, kind: str, name: str) -> KubeObject:
        found = self.plain.get(kind, "default", name)
        assert found is not None, f"there is no {kind} {name}"
        return found

    def job_state(self, name: str) -> str:
        return str(self.find(self.group.batchjob, name).status.get("state", "")).removesuffix("State")

    def state(self, name: str) -> str:
        return str(self.find(self.group.scheduling, name).status.get("state", "")).removesuffix("State")

    def problems(self, kind: str, name: str) -> list[str]:
        return list(self.find(kind, name).status.get("problems") or ())

    def slot_states(self, name: str = "bed") -> list[str]:
        return [slot["state"] for slot in self.find(self.group.testbed, name).status.get("slots") or ()]

    def run(self, until: float | None = None) -> None:
        """Runs to a time in seconds, or to the end."""
        self.clock.run(None if until is None else seconds(until))

    @property
    def now(self) -> float:
        return self.clock.now / SECOND

    def extend(self, name: str, *jobs: str) -> None:
        """Extends the queue of a Scheduling."""
        found = self.find(self.group.scheduling, name)
        queue = [*found.spec["queueBased"], *map(_reference, jobs)]
        self.plain.update(found, {**found.spec, "queueBased": queue})


class _Current:
    """The extender of the operator that runs at present."""

    def __init__(self, cluster: OperatedCluster) -> None:
        self._cluster = cluster

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        assert self._cluster.operator is not None
        try:
            return self._cluster.operator.extender.call(verb, request)
        except ApiError as error:
            raise ExtenderError(str(error)) from None


def _reference(name: str) -> dict[str, str]:
    return {"name": name, "namespace": "default"}
