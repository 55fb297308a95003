"""A run with programs in the loop: the API that they speak to, and their turns beside the other actors."""

from __future__ import annotations

import random
import resource as limits
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.conversion.versions import serve_retired
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.releases import SERVED, read_version
from wavetank.errors import InputError
from wavetank.files import TemporaryFolder
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.loop.processes.controllermanager import launch_controller, launch_manager, manager_participant
from wavetank.loop.processes.definition import (
    ControllerDefinition,
    ManagerDefinition,
    ProcessDefinition,
    VolcanoProcess,
)
from wavetank.loop.processes.launch_overlay import launch_overlay
from wavetank.loop.processes.launch_unmodified import launch_unmodified
from wavetank.loop.timesteps.timestep import Timestep
from wavetank.loop.turns.expiry import EventExpiry
from wavetank.loop.turns.lockstep import Lockstep
from wavetank.loop.turns.participant import Participant
from wavetank.loop.turns.requestaudit import BINDING, RequestAudit
from wavetank.loop.turns.waiting import WaitingPods
from wavetank.loop.webhooks.client import LockstepWebhooks
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.simulation.creation.apicreation import ApiCreation
from wavetank.simulation.creation.loading import PodCompleter, load_cluster
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.metrics.setting import MetricsSetting
from wavetank.simulation.served.podbehavior import set_behavior
from wavetank.workloads.cluster import Cluster

POD_AUTOSCALER = "horizontal-pod-autoscaler-controller"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_JSON = {"content-type": "application/json"}


class Loop:
    """The programs of one run, the API that they speak to, and the lockstep that they are in.

    `api` is what they speak to. The store keeps a history, for watches, and is still empty. `define` custom kinds,
    `begin`, `load` the cluster, and `close` in any case. Programs start before the cluster is loaded, so that they see
    its nodes one after the other in the order of their creation: informers shuffle what they list. The metrics APIs are
    served if there is a setting for them, or the real pod autoscaler. `extenders` are in this process, by the
    urlPrefix under which programs know them.
    """

    def __init__(
        self,
        context: ActorContext,
        processes: Sequence[ProcessDefinition],
        takes_all: bool,
        manager: ManagerDefinition | None = None,
        metrics: MetricsSetting | None = None,
        extenders: Mapping[str, ExtenderClient] | None = None,
        controllers: Sequence[ControllerDefinition] = (),
    ) -> None:
        self._context = context
        store, clock = context.store, context.clock
        self._processes = processes
        self._extenders = extenders or {}
        self._manager = manager
        self._controllers = controllers
        if manager is not None or controllers:
            store.subscribe(POD, added=set_behavior)
        managed = [manager.version] if manager else [each.kubernetes for each in controllers]
        stated = [*(each.kubernetes for each in processes), *managed, SERVED.tag]
        reports = KubeletReports(context, next(version for version in stated if version))
        measured = None
        if metrics is not None or (manager is not None and POD_AUTOSCALER in manager.controllers):
            measured = ClusterMetrics(store, metrics, reports.ready_since)
        sync = processes[0].sync if processes else None
        self._lockstep = Lockstep(store) if sync is None else Timestep(clock, store, sync)
        self._webhooks = LockstepWebhooks(clock, self._lockstep.wake)
        self.api = Api(store, reports, measures=measured, metrics=measured, webhooks=self._webhooks)
        for release in filter(None, (read_version(version) for version in stated)):
            serve_retired(self.api.kinds, release)
        self.creation = ApiCreation(self.api)
        EventExpiry(store)
        self._participants: list[Participant] = []
        self._folder: TemporaryFolder | None = None
        names = processes[0].scheduler_names if processes else ()
        self.completer = PodCompleter(store, self.api.kinds, names[0] if takes_all and len(names) == 1 else None)

    def define(self, definitions: Iterable[Mapping[str, Any]]) -> None:
        """Creates CustomResourceDefinitions before programs start, which ask at their start what is served.

        InputError if the API refuses one.
        """
        for definition in definitions:
            self._post(_DEFINITIONS, definition)

    def _post(self, path: str, document: Mapping[str, Any]) -> None:
        answer = self.api.handle(Request("POST", path, headers=_JSON, body=msgspec.json.encode(document)))
        assert isinstance(answer, Response)
        if answer.status != 201:
            why = str(msgspec.json.decode(answer.body).get("message"))
            raise InputError(why, path=f"{document['kind']} {document['metadata']['name']}")

    def load(self, cluster: Cluster) -> None:
        """Creates the cluster's objects as an API server would hold them; then the clock may run.

        New objects of kinds that webhooks are about are created through the API. Webhooks of programs that the cluster
        does not have are added.
        """
        given = {each.get("metadata", {}).get("name") for each in cluster.manifests if each.get("kind") in _WEBHOOKS}
        for controller in self._controllers:
            for each in controller.manifests:
                if each["kind"] in _WEBHOOKS and each["metadata"]["name"] not in given:
                    self._post(f"/apis/admissionregistration.k8s.io/v1/{each['kind'].lower()}s", each)
        load_cluster(
            cluster,
            self._context.store,
            self.api.kinds,
            self.completer.scheduler_name,
            self._lockstep.settle,
            self.creation,
        )
        self._lockstep.settle()
        if any(map(self._lacks_controllers, self._processes)):
            self._start_volcano_groups()
        self._lockstep.open()

    def _lacks_controllers(self, definition: ProcessDefinition) -> bool:
        """Tells whether a program is Volcano's scheduler without its controllers, whose work is done here then."""
        return isinstance(definition, VolcanoProcess) and not any(each.replaces for each in self._controllers)

    def _start_volcano_groups(self) -> None:
        """Opens the queues, and gives pods without a PodGroup one, as Volcano's controllers do."""
        from wavetank.scheduling.volcano.podgroups import PodGroupController  # few runs need it
        from wavetank.scheduling.volcano.scheduler import open_queues

        names = {name for each in self._processes for name in each.scheduler_names}
        open_queues(self._context.store)
        PodGroupController(self._context.store, lambda pod: pod.scheduler_name in names)
        self._lockstep.settle()

    def begin(self, latency: SchedulerLatency) -> list[tuple[str, WaitingPods]]:
        """Starts the programs and lets them connect; returns which pods each is responsible for."""
        _allow_many_files()
        store, clock, streams = self._context.store, self._context.clock, self._context.streams
        self._folder = TemporaryFolder()
        folder = self._folder.path
        for i, definition in enumerate(self._processes):
            waiting = WaitingPods(store, definition.scheduler_names)
            costs = AttemptCosts(clock, latency, streams.stream(f"scheduler/{definition.name}/latency"))
            audit = RequestAudit(store, tells=definition.tells)
            participant = Participant(
                clock,
                self.api.handle,
                waiting,
                audit,
                costs.of,
                self._lockstep.wake,
                definition.own_timers,
                definition.slack,
            )
            self._participants.append(participant)
            seed = streams.stream(f"scheduler/{definition.name}/process").getrandbits(60)
            if definition.exact:
                launch_overlay(definition, participant, folder / str(i), seed, self._extenders)
            else:
                launch_unmodified(definition, participant, folder / str(i), self._extenders)
        schedulers = [
            (each.name, participant.waiting)
            for each, participant in zip(self._processes, self._participants, strict=True)
        ]
        if self._manager is not None:
            self._start_manager(self._manager, folder / "manager")
        for i, controller in enumerate(self._controllers):
            self._start_controller(controller, folder / f"controller-{i}")
        self._lockstep.begin(self._participants)
        self._webhooks.open()
        return schedulers

    def _start_manager(self, manager: ManagerDefinition, folder: Path) -> None:
        """Starts a real controller manager; its requests take no time."""
        store, streams = self._context.store, self._context.streams
        participant = manager_participant(store, self.api.handle, self._lockstep.wake, manager.slack)
        self._participants.append(participant)
        launch_manager(manager, participant, folder, streams.stream("controllers/process").getrandbits(60))

    def _start_controller(self, controller: ControllerDefinition, folder: Path) -> None:
        """Starts any other real controller."""
        participant = manager_participant(self._context.store, self.api.handle, self._lockstep.wake, controller.slack)
        self._participants.append(participant)
        seed = self._context.streams.stream(f"controllers/{controller.name}/process").getrandbits(60)
        self._webhooks.add(participant, folder, controller.services)
        launch_controller(controller, participant, folder, seed)

    def linger(self) -> bool:
        """Waits, when no timer is left, for programs to act once more; tells whether one did."""
        return self._lockstep.linger()

    @property
    def attempts(self) -> int:
        """Returns how many scheduling attempts the programs have made."""
        return sum(participant.audit.attempts for participant in self._participants)

    def close(self) -> None:
        """Ends the programs and deletes their files."""
        self._lockstep.close()
        self._webhooks.close()
        for participant in self._participants:
            participant.close()
        if self._folder is not None:
            self._folder.remove()


class AttemptCosts:
    """Delays the requests that end scheduling attempts by the latency model, since a program itself takes no time.

    Attempts are made one after the other, so each waits for those before it. This does not change what they decide: a
    scheduler counts a pod as placed as soon as it has decided.
    """

    def __init__(self, clock: Clock, latency: SchedulerLatency, random: random.Random) -> None:
        self._clock = clock
        self._latency = latency
        self._random = random
        self._free: Nanoseconds = 0

    def of(self, end: str) -> Nanoseconds:
        """Returns the time from now until the request at an attempt's end, a binding or a status, is served."""
        self._free = max(self._clock.now, self._free) + self._draw(self._latency.attempt)
        sent = self._latency.bind if end == BINDING else self._latency.patch
        return self._free - self._clock.now + self._draw(sent)

    def _draw(self, distribution: Distribution) -> Nanoseconds:
        return seconds(distribution.sample(self._random))


def _allow_many_files() -> None:
    """Raises the limit of open files: every pending request has its own connection."""
    _, most = limits.getrlimit(limits.RLIMIT_NOFILE)
    limits.setrlimit(limits.RLIMIT_NOFILE, (most, most))
